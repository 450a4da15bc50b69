// "All" and "None" over each list of checkboxes, how many are chosen, and over a long list a field to search it.
// The form around the lists says all this in its reader's language.

const LONG = 12;

function button(text, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "button small";
  made.textContent = text;
  made.addEventListener("click", act);
  return made;
}

// Every word typed has to occur in a line, capitals or not; what is hidden keeps its tick.
function search(lines, title, name) {
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = title;
  field.setAttribute("aria-label", `${title}: ${name}`);
  field.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const line of lines) line.hidden = !words.every((word) => line.textContent.toLowerCase().includes(word));
  });
  return field;
}

function equip(group) {
  const boxes = [...group.querySelectorAll("input[type=checkbox]")];
  if (boxes.length < 3) return;
  const words = group.closest("form").dataset;
  const count = document.createElement("span");
  count.className = "muted small num";
  count.setAttribute("aria-live", "polite");
  const say = () => {
    const chosen = boxes.filter((box) => box.checked).length;
    count.textContent = words.chosen.replace("{chosen}", chosen).replace("{all}", boxes.length);
  };
  const choose = (checked) => () => { for (const box of boxes) if (!box.closest("[hidden]")) box.checked = checked; say(); };
  const row = document.createElement("div");
  row.className = "toolbar";
  const buttons = document.createElement("div");
  buttons.className = "row";
  buttons.append(button(words.all, choose(true)), button(words.none, choose(false)));
  row.append(buttons, count);
  if (boxes.length > LONG) buttons.append(search(boxes.map((box) => box.closest("label").parentElement), words.search, group.querySelector("legend").textContent));
  group.querySelector(".choices").before(row);
  group.addEventListener("change", say);
  say();
}

for (const group of document.querySelectorAll("[data-choose-all]")) equip(group);
