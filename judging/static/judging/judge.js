// The judge page without waiting: the next item is already here, answers are sent behind it and kept until the server
// has confirmed them, drafts survive a reload. Without this script the same forms work one page at a time.
// Its words stand in the page (data-…), in the worker's language.

const place = document.getElementById("judge");
const ahead = document.getElementById("ahead");
const dialog = document.getElementById("instructions");
const toast = document.getElementById("unsaved");
const token = place.querySelector("[name=csrfmiddlewaretoken]").value;
const address = place.querySelector("form.item").getAttribute("action");
const unsentPrefix = `ireval-unsent-${place.dataset.study}-`;
const HASTY = 250; // ms: a key pressed twice must not grade the next document unseen

// Storage may be full or forbidden; then answers live in memory only, and leaving the page asks first.
const store = {
  read(key) { try { return localStorage.getItem(key); } catch { return null; } },
  write(key, value) { try { value === null ? localStorage.removeItem(key) : localStorage.setItem(key, value); } catch { /* memory only */ } },
  keys() { try { return Object.keys(localStorage); } catch { return []; } },
};

// One entry an answer, so that two tabs do not overwrite each other's; sent twice, it is stored once.
const unsent = store.keys().filter((key) => key.startsWith(unsentPrefix)).map((key) => JSON.parse(store.read(key)));
let sending = false;
let failures = 0;
let visibleSince = null;
let visibleFor = 0;

const current = () => place.querySelector("form.item");
const draftKey = (form) => `ireval-draft-${form.dataset.item}`;
const isUnsent = (form) => unsent.some((fields) => fields.item === form?.dataset.item);

function startClock() {
  visibleFor = 0;
  visibleSince = document.hidden ? null : performance.now();
}

function seen() {
  return Math.round(visibleFor + (visibleSince === null ? 0 : performance.now() - visibleSince));
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) visibleFor = seen(), visibleSince = null;
  else visibleSince = performance.now();
});

function show(form) {
  place.replaceChildren(form);
  restoreDraft(form);
  startClock();
  window.scrollTo(0, 0);
  form.querySelector(".document").focus({ preventScroll: true });
}

function restoreDraft(form) {
  const draft = store.read(draftKey(form));
  if (draft) form.elements.comment.value = draft;
}

function waiting() {
  const note = document.createElement("p");
  note.className = "section lede";
  note.setAttribute("role", "status");
  note.textContent = place.dataset.loading;
  place.replaceChildren(note);
}

function answer(form, button) {
  const fields = Object.fromEntries([...new FormData(form).entries(), [button.name, button.value]]);
  unsent.push({ ...fields, milliseconds: String(seen()), item: form.dataset.item });
  store.write(unsentPrefix + fields.key, JSON.stringify(unsent.at(-1)));
  store.write(draftKey(form), null);
  if ("again" in form.dataset) form.querySelectorAll("button").forEach((other) => (other.disabled = true));
  else showNext();
  send();
}

function showNext() {
  const item = ahead.content.firstElementChild;
  item ? show(item) : waiting();
}

async function send() {
  if (sending || !unsent.length) return;
  sending = true;
  try {
    while (unsent.length) {
      const reply = await post(unsent[0]);
      if (reply.status >= 500 || reply.status === 429) throw new Error(reply.statusText);
      const text = await reply.text();
      if (reply.ok) accepted(text);
      else if (!refused(reply.status, text)) return;
    }
  } catch {
    failures += 1;
    const { kept, unsaved } = place.dataset;
    say(unsent.length > 1 ? kept.replace("{count}", unsent.length) : unsaved);
    setTimeout(send, Math.min(30, 2 ** failures) * 500);
  } finally {
    sending = false;
  }
}

function post(fields) {
  const have = [current()?.dataset.item, ...unsent.slice(1).map((other) => other.item)].filter(Boolean).join();
  return fetch(address, {
    method: "POST", body: new URLSearchParams({ ...fields, csrfmiddlewaretoken: token, have }),
    headers: { "X-Requested-With": "fetch" }, credentials: "same-origin", signal: AbortSignal.timeout(15000),
  });
}

function confirmed() {
  const fields = unsent.shift();
  store.write(unsentPrefix + fields.key, null);
  return fields;
}

function accepted(text) {
  failures = 0;
  const sent = confirmed();
  toast.hidden = true;
  const reply = parsed(text);
  if (!reply) return location.reload();
  progress(reply.dataset.done, reply.dataset.items);
  const form = current();
  if (form && "again" in form.dataset) return unsent.length ? undefined : location.assign(address);
  const item = reply.querySelector("form.item");
  ahead.content.replaceChildren(...(item && !isUnsent(item) ? [document.adoptNode(item)] : []));
  if (form && sent.item !== form.dataset.item) return;
  if (ahead.content.firstElementChild) show(ahead.content.firstElementChild), lookAhead();
  else if (!unsent.length) location.reload();
}

function parsed(text) {
  return new DOMParser().parseFromString(text, "text/html").querySelector("[data-done]");
}

function refused(status, text) {
  if (status === 400) {
    confirmed();
    say(`${text} ${place.dataset.reload}`, "error");
    return true;
  }
  say(place.dataset.later, "error");
  return false;
}

function say(text, level = "warning") {
  toast.className = `toast ${level}`;
  toast.querySelector("[data-text]").textContent = text;
  toast.hidden = false;
}

function progress(done, items) {
  const bar = document.querySelector("#worker-progress progress");
  bar.value = done;
  const text = document.querySelector("#worker-progress .progress-text");
  text.textContent = text.dataset.text.replace("{done}", done).replace("{items}", items);
}

async function lookAhead() {
  const form = current();
  if (!form || "again" in form.dataset) return;
  const reply = await fetch(`${address}ahead/?have=${form.dataset.item}`).catch(() => null);
  const item = reply?.ok && parsed(await reply.text())?.querySelector("form.item");
  if (item && !unsent.length && current() === form) ahead.content.replaceChildren(document.adoptNode(item));
}

place.addEventListener("submit", (event) => {
  event.preventDefault();
  if (seen() < HASTY || !event.submitter?.name) return;
  answer(event.target, event.submitter);
});

place.addEventListener("input", (event) => {
  if (event.target.name === "comment") store.write(draftKey(event.target.form), event.target.value || null);
});

document.addEventListener("click", (event) => {
  if (event.target.closest(".guide")) event.preventDefault(), dialog.showModal();
  if (!event.target.closest(".cannot")) closeMenu();
});

const menu = () => current()?.querySelector(".cannot");

function closeMenu() {
  menu()?.removeAttribute("open");
}

function toggleMenu() {
  if (!menu()) return;
  menu().open = !menu().open;
  if (menu().open) menu().querySelector("button").focus();
}

function press(key) {
  if (/^\d$/.test(key)) choose(Number(key));
  else if (key === "c") toggleMenu();
  else if (key === "b") current()?.querySelector(".back").click();
  else if (key === "i") dialog.showModal();
  else return false;
  return true;
}

// While the reasons are open a digit picks one of them; it must never grade what the worker says they can't judge.
function choose(digit) {
  if (menu()?.open) menu().querySelectorAll("[name=cannot_judge]")[digit - 1]?.click();
  else current()?.querySelector(`.grade[value="${digit}"]`)?.click();
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("textarea, input, select");
  if (event.key === "Escape") closeMenu();
  if (event.key.toLowerCase() === "i" && dialog.open) return dialog.close();
  if (typing || dialog.open || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (press(event.key.toLowerCase())) event.preventDefault();
});

window.addEventListener("online", send);
window.addEventListener("beforeunload", (event) => {
  if (unsent.some((fields) => store.read(unsentPrefix + fields.key) === null)) event.preventDefault();
});

restoreDraft(current());
startClock();
if (isUnsent(current()) && !("again" in current().dataset)) waiting(); // answered before the reload, about to be saved
unsent.length ? send() : lookAhead();
