// The judge page without waiting: the next item, or ten, are already here, answers are sent behind them and kept until the
// server has confirmed them, drafts survive a reload, and whatever was answered can be had back. Without this script the same
// forms work one page at a time. Its words stand in the page (data-…), in the worker's language.

const place = document.getElementById("judge");
const ahead = document.getElementById("ahead");
const dialog = document.getElementById("instructions");
const toast = document.getElementById("unsaved");
const saved = document.getElementById("saved");
const manyAhead = document.getElementById("many-ahead");
const { address, token } = place.dataset;
const unsentPrefix = `ireval-unsent-${place.dataset.study}-`;
// As the offers on this page know the browser: kept with each answer, it outlives the cookie.
const browser = document.cookie.match(`(?:^|; )browser-${place.dataset.study}=([^;]*)`)?.[1] ?? "";
const HASTY = 250; // ms: a key pressed twice must not grade the next document unseen
const SHOWN_FOR = 6000; // ms, for what is only good to know
const TIMEOUT = 15000; // ms
const ASKS_AGAIN = 5000; // ms
const BY_SCRIPT = { "X-Requested-With": "fetch" };

// Storage may be full or forbidden; then answers live in memory only, and leaving the page asks first.
const store = {
  read(key) { try { return localStorage.getItem(key); } catch { return null; } },
  write(key, value) { try { value === null ? localStorage.removeItem(key) : localStorage.setItem(key, value); } catch { /* memory only */ } },
  keys() { try { return Object.keys(localStorage); } catch { return []; } },
};

// What this tab has seen, as far as it may keep that.
const session = {
  read(key) { try { return sessionStorage.getItem(key); } catch { return null; } },
  write(key) { try { sessionStorage.setItem(key, "1"); } catch { /* seen again then */ } },
};

const current = () => place.querySelector("form.item");
const reading = (form) => form.querySelector(".document, .lists");
const isAgain = (form) => "again" in form.dataset;

// One entry an answer, so that two tabs do not overwrite each other's; sent twice, it is stored once.
const unsent = store.keys().filter((key) => key.startsWith(unsentPrefix)).map((key) => JSON.parse(store.read(key)))
  .sort((a, b) => a.given - b.given);
const isUnsent = (form) => unsent.some((fields) => fields.item === form.dataset.item);

let work = null; // the item to be answered next, also while an earlier one is shown
const trail = []; // what was answered, in that order, as far back as the worker has been
let at = 0; // which of them is shown; behind the last one: the work
let sending = false;
let retrying; // the timer of it
let fetching = false;
let looking = false;
let lookingAgain; // the timer of it
let replies = 0; // to answers
let failures = 0;
let late = unsent.length ? 0 : null; // how many that had to wait are saved by now; null while none waits
let warned = false;
let visibleSince = null;
let visibleFor = 0;

// What is on the page

function startClock() {
  visibleFor = 0;
  visibleSince = document.hidden ? null : performance.now();
}

function seen() {
  return Math.round(visibleFor + (visibleSince === null ? 0 : performance.now() - visibleSince));
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) visibleFor = seen(), visibleSince = null;
  else visibleSince = performance.now(), send(); // perhaps the worker has signed in meanwhile, in another tab
});

function show(form) {
  closeMenus();
  place.replaceChildren(form);
  restoreDraft(form);
  startClock();
  window.scrollTo(0, 0);
  reading(form).focus({ preventScroll: true });
  place.dispatchEvent(new Event("shown"));
}

function waiting() {
  const note = document.createElement("p");
  note.className = "section lede";
  note.setAttribute("role", "status");
  note.textContent = place.dataset.loading;
  place.replaceChildren(note);
}

function goOn() {
  if (warned && !unsent.length) return location.assign(address); // where the warning stands
  const untold = trail.findIndex((form) => form.hasAttribute("aria-busy"));
  if (untold >= 0) return showTrail(untold); // practice goes on when it was told what is right
  at = trail.length;
  work ??= takeAhead();
  sayWhatIsReady();
  if (work) return show(work);
  waiting();
  lookAhead();
}

function showTrail(place_) {
  at = place_;
  saved.hidden = true;
  show(trail[at]);
}

async function back() {
  if (at > 0) return showTrail(at - 1);
  if (fetching) return;
  fetching = true;
  const here = current();
  const reply = await part(`${address}back/?before=${trail[0]?.dataset.item ?? ""}`);
  fetching = false;
  if (!reply) return say(place.dataset.unreachable);
  const form = reply.querySelector("form.item");
  if (!form || isIn(trail, form)) return say(place.dataset.first, "info");
  trail.unshift(document.adoptNode(form));
  at += 1;
  if (current() === here) showTrail(0);
}

// Drafts: what stands in fields with data-draft. What was only "measured" is no part of what the worker says.

const draftKey = (form) => `ireval-begun-${form.dataset.item}`;
const drafted = (form, which = "") => [...form.querySelectorAll(`[data-draft${which}]`)];
const measured = (form) => drafted(form, "=measured");
const chooses = (field) => ["checkbox", "radio"].includes(field.type);
const valueOf = (field) => (field.type === "checkbox" ? field.checked : field.value);
// Of radio buttons the one that is chosen.
const valuesOf = (fields) => fields.filter((field) => field.type !== "radio" || field.checked).map((field) => [field.name, valueOf(field)]);

function keepDraft(form) {
  const draft = Object.fromEntries(valuesOf(drafted(form)));
  store.write(draftKey(form), Object.values(draft).some(Boolean) ? JSON.stringify(draft) : null);
}

function restoreDraft(form) {
  const draft = JSON.parse(store.read(draftKey(form)) ?? "{}");
  for (const field of drafted(form).filter((field) => field.name in draft)) {
    if (chooses(field)) field.checked = [true, field.value].includes(draft[field.name]);
    else field.value = draft[field.name];
  }
}

// Answering

function answer(form, button) {
  const fields = { ...Object.fromEntries(new FormData(form)), [button.name]: button.value, item: form.dataset.item };
  const says = JSON.stringify([button.name, button.value, ...valuesOf(drafted(form, '=""'))]);
  const isNew = form.dataset.says !== says;
  if (isNew) keep({ ...fields, browser, milliseconds: String(seen()), given: Date.now(), label: labelOf(button) });
  mark(form, button, says);
  if (form === work) trail.push(form), work = null;
  if (isNew && fields.practice) at = trail.indexOf(form), form.setAttribute("aria-busy", "true");
  else goOn();
  send();
}

function labelOf(button) {
  const words = [...button.childNodes].filter((node) => !node.matches?.(".key-hint"));
  return words.map((node) => node.textContent.trim()).filter(Boolean).join(" ");
}

function keep(fields) {
  unsent.push(fields);
  store.write(unsentPrefix + fields.key, JSON.stringify(fields));
}

// The form stays, to be had back: as answered, and with another key, since a changed mind is another answer.
function mark(form, button, says) {
  form.dataset.says = says;
  form.dataset.again = "";
  form.elements.key.value = freshKey();
  measured(form).forEach((field) => { field.value = ""; });
  form.querySelectorAll("[aria-pressed]").forEach((other) => other.setAttribute("aria-pressed", "false"));
  button.setAttribute("aria-pressed", "true");
  store.write(draftKey(form), null);
}

function freshKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16)); // randomUUID is refused where there is no HTTPS
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

// Sending

async function send() {
  if (sending || !unsent.length) return;
  sending = true;
  clearTimeout(retrying);
  let reply = null;
  try {
    while (unsent.length) {
      reply = null;
      reply = await post(unsent[0]);
      if (reply.status >= 500 || reply.status === 429) throw new Error(reply.statusText);
      const text = await reply.text();
      const ours = reply.ok ? parsed(text) : null;
      if (ours) accepted(ours);
      else if (isForeign(reply)) return say(place.dataset.later, "error"), sendLater();
      else if (!refused(reply.status, text)) return;
    }
  } catch {
    sendLater();
    sayThatUnsent(reply ? place.dataset.unable : place.dataset.offline);
  } finally {
    sending = false;
  }
}

function sendLater() {
  failures += 1;
  late ??= 0;
  retrying = setTimeout(send, Math.min(30, 2 ** failures) * 500);
}

// Whether it comes from something before the server, such as a page to sign in or of maintenance: it confirms and refuses nothing.
// The server confirms by a part of a page, which is sought before, and refuses answers by plain text.
function isForeign({ ok, status, headers }) {
  return ok || ([400, 409].includes(status) && !headers.get("Content-Type")?.startsWith("text/plain"));
}

function post({ label, given, ...fields }) {
  return fetch(address, {
    method: "POST", body: new URLSearchParams({ ...fields, ...wanted(unsent.slice(1)), csrfmiddlewaretoken: token }),
    headers: BY_SCRIPT, credentials: "same-origin", signal: AbortSignal.timeout(TIMEOUT),
  });
}

function confirmed() {
  const fields = unsent.shift();
  store.write(unsentPrefix + fields.key, null);
  return fields;
}

function accepted(reply) {
  failures = 0;
  replies += 1;
  const sent = confirmed();
  if (late !== null) late += 1;
  toast.hidden = true;
  progress(reply.querySelector("[data-done]").dataset);
  if (!ahead) return unsent.length || location.assign(address);
  warned = Boolean(reply.querySelector("[data-warned]"));
  receive(reply);
  const told = tell(sent.item, reply.querySelector(".told"));
  if (unsent.length) return;
  if (warned && !told) return location.assign(address);
  if (!told) sayThatSaved(sent.label);
  late = null;
}

// What was right, to whom has just practised. Whether it was told.
function tell(item, told) {
  const form = trail.find((form) => form.dataset.item === item && form.hasAttribute("aria-busy"));
  if (!form) return false;
  form.removeAttribute("aria-busy");
  form.querySelector(".feedback").replaceChildren(...(told ? [document.adoptNode(told)] : []));
  if (form !== current()) return false;
  told ? form.querySelector(".told").focus({ preventScroll: true }) : goOn(); // none: it is in training no longer
  return Boolean(told);
}

// What the server sends to the script: how far the worker is, and beside it what there is to show.
function parsed(text) {
  const { body } = new DOMParser().parseFromString(text, "text/html");
  return body.querySelector("[data-done]") ? body : null;
}

function refused(status, text) {
  if (status === 400) {
    confirmed();
    say(`${text} ${place.dataset.reload}`, "error");
    return true;
  }
  if (status === 409) return unsent.shift(); // somebody else's, who answered in this browser: kept until they are back
  say(status === 404 ? place.dataset.stranger : place.dataset.later, "error");
  return false;
}

// Nothing of it: null where the server has none, undefined without a connection.
async function part(url) {
  try {
    const reply = await fetch(url, { headers: BY_SCRIPT, signal: AbortSignal.timeout(TIMEOUT) });
    return reply.ok ? parsed(await reply.text()) : null;
  } catch {
    return undefined;
  }
}

// What is ahead: items that wait in the template, the next one first

const MANY_KEY = `ireval-ahead-${place.dataset.study}`;
const chosen = () => (manyAhead?.checked ? Number(manyAhead.value) : 1);
const here = () => [work, ...(ahead?.content.children ?? [])].filter(Boolean);
const isIn = (forms, { dataset }) => forms.some((form) => form.dataset.item === dataset.item);

// What the server must know to send one item that is missing here. Who chooses fewer uses up what is loaded first.
function wanted(others) {
  const have = [...here().map((form) => form.dataset.item), ...others.map((fields) => fields.item)];
  return { have: have.join(), ahead: Math.max(chosen(), ahead?.content.childElementCount ?? 0) };
}

function takeAhead() {
  const form = ahead.content.firstElementChild;
  form?.remove();
  return form;
}

async function lookAhead() {
  if (looking) return;
  looking = true;
  clearTimeout(lookingAgain);
  const before = replies;
  const reply = await part(`${address}ahead/?${new URLSearchParams(wanted(unsent))}`);
  looking = false;
  if (replies !== before) return fillUp(); // an answer was saved meanwhile: what this one says may be no longer so
  if (reply) return receive(reply);
  if (reply === undefined || !current()) lookingAgain = setTimeout(lookAhead, ASKS_AGAIN);
}

// Drop what is not kept for the worker any more, add what is new, and ask for more while that comes.
function receive(reply) {
  const held = reply.querySelector("[data-held]").dataset.held.split(",");
  [...ahead.content.children].filter((form) => !held.includes(form.dataset.item)).forEach((form) => form.remove());
  const form = reply.querySelector("form.item");
  const isToDo = form && !isIn(trail, form) && !isUnsent(form);
  if (isToDo && !isIn(here(), form)) {
    ahead.content.append(form);
    place.dispatchEvent(new CustomEvent("ahead", { detail: form }));
  }
  work ??= takeAhead();
  sayWhatIsReady();
  if (isToDo && !unsent.length) fillUp(); // else the reply to what is unsent brings more
  if (current()) return;
  if (work) show(work);
  else if (!unsent.length) location.assign(address);
}

function fillUp() {
  if (ahead.content.childElementCount < chosen()) lookAhead();
}

function sayWhatIsReady() {
  const ready = manyAhead.closest("section").querySelector("[data-text]");
  ready.textContent = manyAhead.checked ? ready.dataset.text.replace("{count}", ahead.content.childElementCount) : "";
}

// Telling

let hiding;

function say(text, level = "warning") {
  clearTimeout(hiding);
  if (saved) saved.hidden = true;
  toast.className = `toast ${level}`;
  toast.querySelector("[data-text]").textContent = text;
  toast.hidden = false;
  if (level === "info") later(toast);
}

// How many answers wait, and whether the page may be closed: only where the browser keeps them.
function sayThatUnsent(why) {
  const { oneWaits, manyWait, mayClose, stay } = place.dataset;
  const waiting = unsent.length > 1 ? manyWait.replace("{count}", unsent.length) : oneWaits;
  say([why, waiting, areKept() ? mayClose : stay].join(" "));
}

const areKept = () => unsent.every((fields) => store.read(unsentPrefix + fields.key) !== null);

function sayThatSaved(label) {
  const { saved: single, allSaved: all } = place.dataset;
  saved.querySelector("[data-text]").textContent = late > 1 ? all.replace("{count}", late) : `${single} ${label}.`;
  saved.hidden = false;
  later(saved);
}

function later(what) {
  clearTimeout(hiding);
  hiding = setTimeout(() => { what.hidden = true; }, SHOWN_FOR);
}

function progress({ done, items, wage, reply }) {
  const bar = document.querySelector("#worker-progress progress");
  bar.max = items; // more than was thought, where chance decides how many there are
  bar.value = done;
  const text = document.querySelector("#worker-progress .progress-text");
  if (text.dataset.text) text.textContent = text.dataset.text.replace("{done}", done).replace("{items}", items);
  const earned = document.querySelector("#worker-progress .wage");
  if (earned) earned.textContent = wage;
  document.querySelector(".site-header .reply").hidden = !reply; // to a question: may come while they judge
}

// Hands

place.addEventListener("submit", (event) => {
  event.preventDefault();
  if (seen() < HASTY || !event.submitter?.name || event.target.hasAttribute("aria-busy")) return;
  answer(event.target, event.submitter);
});

place.addEventListener("input", (event) => {
  if (drafted(event.target.form).includes(event.target)) keepDraft(event.target.form);
});

const DOES = { ".guide": () => dialog.showModal(), ".back": back, ".undo": back, ".go-on": goOn };

document.addEventListener("click", (event) => {
  const wanted = Object.keys(DOES).find((name) => event.target.closest(name));
  if (wanted && dialog && !event.ctrlKey && !event.metaKey) event.preventDefault(), DOES[wanted]();
  if (!event.target.closest(".menu")) closeMenus();
});

const menu = (name) => current()?.querySelector(name);

function closeMenus() {
  current()?.querySelectorAll(".menu[open]").forEach((open) => open.removeAttribute("open"));
}

function toggle(name, inside) {
  const details = menu(name);
  if (!details) return;
  const opening = !details.open;
  closeMenus();
  details.open = opening;
  if (opening) details.querySelector(inside).focus();
}

function press(key) {
  if (/^\d$/.test(key) || keyed(key)) choose(key);
  else if (key === "c") toggle(".cannot", "button");
  else if (key === "n") toggle(".note", "textarea");
  else if (key === "q") current()?.querySelector(".question input")?.focus();
  else if (["b", "u", "z"].includes(key)) back();
  else if (key === "i") dialog.showModal();
  else return false;
  return true;
}

const keyed = (key) => menu(`[data-key="${CSS.escape(key)}"]`);

// While the reasons are open a digit picks one of them; it must never grade what the worker says they can't judge.
function choose(key) {
  if (menu(".cannot")?.open) menu(".cannot").querySelectorAll("[name=cannot_judge]")[key - 1]?.click();
  else keyed(key)?.click();
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || !dialog) return;
  if (event.key === "Escape" && menu(".menu[open]")) closeMenus(), reading(current()).focus({ preventScroll: true });
  if (event.key.toLowerCase() === "i" && dialog.open) return dialog.close();
  const typing = event.target.matches("textarea, input:not([type=checkbox], [type=radio]), select");
  if (typing || document.querySelector("dialog[open]") || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  const goesOn = event.key === "Enter" && at < trail.length && !event.target.closest("a, button, summary") && !current()?.hasAttribute("aria-busy");
  if (goesOn) event.preventDefault(), goOn();
  else if (press(event.key.toLowerCase())) event.preventDefault();
});

window.addEventListener("online", () => {
  if (unsent.length) return send(); // the replies bring what is missing ahead
  if (toast.classList.contains("warning")) toast.hidden = true;
  if (ahead) fillUp();
});
window.addEventListener("offline", () => {
  if (unsent.length) sayThatUnsent(place.dataset.offline);
  else if (current()) say(`${place.dataset.offline} ${place.dataset.goOn}`);
});
window.addEventListener("beforeunload", (event) => {
  if (!areKept()) event.preventDefault();
});

manyAhead?.addEventListener("change", () => {
  store.write(MANY_KEY, manyAhead.checked ? "yes" : null);
  sayWhatIsReady();
  fillUp();
});

// The beginning

function begin(form) {
  restoreDraft(form);
  startClock();
  if (isAgain(form)) return trail.push(form); // opened by its own address
  if (!isUnsent(form)) return work = form;
  form.dataset.again = ""; // answered before the reload, about to be saved
  if (form.elements.practice) trail.push(form), form.setAttribute("aria-busy", "true");
  else waiting();
}

// The invitation keeps instructions folded: they open before the first answer, whose time begins when they are closed.
function instruct() {
  const key = `ireval-instructed-${place.dataset.study}`;
  if (place.dataset.judged !== "0" || !work || unsent.length || session.read(key)) return;
  dialog.showModal();
  dialog.addEventListener("close", () => { session.write(key); startClock(); }, { once: true });
}

if (manyAhead) manyAhead.checked = store.read(MANY_KEY) === "yes";
if (current()) begin(current()), instruct();
unsent.length ? send() : current() && lookAhead();
