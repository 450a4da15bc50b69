// The judge page without waiting: the next item is already here, answers are sent behind it and kept until the server
// has confirmed them, drafts survive a reload. Without this script the same forms work one page at a time.

const place = document.getElementById("judge");
const ahead = document.getElementById("ahead");
const dialog = document.getElementById("instructions");
const toast = document.getElementById("unsaved");
const unsentKey = `ireval-unsent-${place.dataset.study}`;
const HASTY = 250; // ms: a key pressed twice must not grade the next document unseen

// Storage may be full or forbidden; then answers live in memory only, and the page says so when it is left.
const store = {
  read(key) { try { return localStorage.getItem(key); } catch { return null; } },
  write(key, value) { try { value === null ? localStorage.removeItem(key) : localStorage.setItem(key, value); } catch { /* memory only */ } },
};

let unsent = JSON.parse(store.read(unsentKey) || "[]");
let sending = false;
let failures = 0;
let visibleSince = null;
let visibleFor = 0;

const current = () => place.querySelector("form.item");
const draftKey = (form) => `ireval-draft-${form.dataset.item}`;

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
  note.textContent = "Loading the next document…";
  place.replaceChildren(note);
}

function answer(form, button) {
  const fields = [...new FormData(form).entries(), [button.name, button.value], ["milliseconds", String(seen())]];
  unsent.push(Object.fromEntries(fields));
  keepUnsent();
  store.write(draftKey(form), null);
  if ("again" in form.dataset) form.querySelectorAll("button").forEach((other) => (other.disabled = true));
  else if (ahead.content.firstElementChild) show(ahead.content.firstElementChild);
  else waiting();
  send();
}

function keepUnsent() {
  store.write(unsentKey, unsent.length ? JSON.stringify(unsent) : null);
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
    say("Not saved yet. Retrying…");
    setTimeout(send, Math.min(30, 2 ** failures) * 500);
  } finally {
    sending = false;
  }
}

function post(fields) {
  const form = current();
  const token = form?.elements.csrfmiddlewaretoken.value ?? fields.csrfmiddlewaretoken;
  const body = new URLSearchParams({ ...fields, csrfmiddlewaretoken: token, have: form?.dataset.item ?? "" });
  return fetch(location.pathname.replace(/^(\/judge\/\d+\/).*/, "$1"), {
    method: "POST", body, headers: { "X-Requested-With": "fetch" }, credentials: "same-origin", signal: AbortSignal.timeout(15000),
  });
}

function accepted(text) {
  failures = 0;
  unsent.shift();
  keepUnsent();
  toast.hidden = true;
  const reply = parsed(text);
  if (!reply) return location.reload();
  progress(reply.dataset.done, reply.dataset.items);
  if (current() && "again" in current().dataset) return unsent.length ? undefined : location.assign(current().getAttribute("action"));
  const item = reply.querySelector("form.item");
  ahead.content.replaceChildren(...(item ? [document.adoptNode(item)] : []));
  if (!current()) item ? show(item) : location.reload();
}

function parsed(text) {
  return new DOMParser().parseFromString(text, "text/html").querySelector("[data-done]");
}

function refused(status, text) {
  if (status === 400) {
    unsent.shift();
    keepUnsent();
    say(`${text} Reload the page to go on.`, "error");
    return true;
  }
  say("Your answer is kept in this browser. Reload the page to save it.", "error");
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
  document.querySelector("#worker-progress .progress-text").textContent = `${done} of ${items}`;
}

place.addEventListener("submit", (event) => {
  event.preventDefault();
  if (seen() < HASTY || !event.submitter?.name) return;
  answer(event.target, event.submitter);
});

place.addEventListener("input", (event) => {
  if (event.target.name === "comment") store.write(draftKey(event.target.form), event.target.value || null);
});

place.addEventListener("click", (event) => {
  if (!event.target.closest(".guide")) return;
  event.preventDefault();
  dialog.showModal();
});

function press(key) {
  const form = current();
  if (/^\d$/.test(key)) form?.querySelector(`.grade[value="${key}"]`)?.click();
  else if (key === "c") toggle(form?.querySelector(".cannot"));
  else if (key === "b") form?.querySelector(".back").click();
  else if (key === "i") dialog.showModal();
  else return false;
  return true;
}

function toggle(menu) {
  if (!menu) return;
  menu.open = !menu.open;
  if (menu.open) menu.querySelector("button").focus();
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("textarea, input, select");
  if (event.key === "Escape") current()?.querySelector(".cannot")?.removeAttribute("open");
  if (event.key.toLowerCase() === "i" && dialog.open) return dialog.close();
  if (typing || dialog.open || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (press(event.key.toLowerCase())) event.preventDefault();
});

window.addEventListener("online", send);
window.addEventListener("beforeunload", (event) => {
  if (unsent.length && store.read(unsentKey) === null) event.preventDefault();
});

async function lookAhead() {
  const form = current();
  if (!form || "again" in form.dataset) return;
  const reply = await fetch(`${form.getAttribute("action")}ahead/?have=${form.dataset.item}`).catch(() => null);
  const item = reply?.ok && parsed(await reply.text())?.querySelector("form.item");
  if (item && !unsent.length && current() === form) ahead.content.replaceChildren(document.adoptNode(item));
}

restoreDraft(current());
startClock();
unsent.length ? send() : lookAhead();
