// Says beside the chosen way of paying what it comes to in the other one, and hides what choices do not use.

const form = document.querySelector("form.form");
const line = document.getElementById("pay-said");
const field = (name) => form.elements[name];
const number = (name) => Number(field(name).value);
const fixed = (amount) => amount.toFixed(4).replace(/(\.\d\d)0+$|(\.\d\d\d)0$/, "$1$2");

function words(way) {
  const seconds = number("seconds_a_judgement");
  const currency = field("currency").value;
  if (!(seconds > 0)) return "";
  const rate = number(way === "hour" ? "pay_an_hour" : "pay_a_judgement");
  if (!(rate > 0)) return "";
  const [shown, other] =
    way === "hour" ? [rate.toFixed(2), fixed((rate * seconds) / 3600)] : [fixed(rate), ((rate * 3600) / seconds).toFixed(2)];
  const values = { rate: shown, other, currency, seconds };
  return line.dataset[way].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

function show() {
  const way = field("paid").value;
  const used = { pay_a_judgement: way === "judgement", pay_an_hour: way === "hour", pay_screened_out: way !== "no" };
  for (const [name, visible] of Object.entries(used)) if (field(name)) field(name).closest(".field").hidden = !visible;
  line.textContent = way === "no" ? "" : words(way);
}

// Of a side-by-side study: what is only asked with some answers to another question.
const ASKED_WITH = { baseline: ["pairing", ["baseline"]], budget: ["pairing", ["budget"]], topic_count: ["topics", ["sample", "different"]] };

function showAsked() {
  for (const [name, [of, answers]] of Object.entries(ASKED_WITH)) field(name).closest(".field").hidden = !answers.includes(field(of).value);
}

if (form && line) {
  const shown = [show, ...(field("pairing") ? [showAsked] : [])];
  for (const refresh of shown) form.addEventListener("input", refresh), refresh();
}
