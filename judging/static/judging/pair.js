// What only the page with two lists has: a result read over it, moving among results, which of them both lists have, marks on
// single ones, the swipe between lists on a phone, no answer before both lists were seen, and a record of what the worker did. judge.js does the answering. It works on
// the judge page and on the preview of it; its words stand in the page (data-…).

const place = document.getElementById("judge") ?? document.getElementById("preview");
const dialog = document.getElementById("reader");
const reader = dialog?.querySelector("[data-reader]");
const spoken = document.getElementById("spoken");
const SHARED = "ireval-shared-results";
const MOST = 500; // interactions
const SETTLED = 300; // ms without scrolling
const BY_SCRIPT = { "X-Requested-With": "fetch" };

const current = () => place.querySelector("form.pair");
const inside = (selector) => [...(current()?.querySelectorAll(selector) ?? [])];
const session = { read() { try { return sessionStorage.getItem(SHARED); } catch { return null; } }, write(value) { try { sessionStorage.setItem(SHARED, value); } catch { /* for this pair only */ } } };
const sideOf = (element) => Number(element.closest(".panel").dataset.side);
const placeOf = (element) => Number(element.closest(".result").dataset.place);
const resultsOf = (side) => inside(`.panel[data-side="${side}"] .result`);

function say(text) {
  if (!spoken) return;
  spoken.textContent = "";
  setTimeout(() => { spoken.textContent = text; }, 50); // the same words again are news
}

let began = 0; // when the pair was shown
let deepest = [-1, -1]; // places seen on the left and on the right
let facing = 0; // the list that a phone shows

function shown() {
  const [shared] = inside(".show-shared");
  shared.checked = session.read() === "yes" && !shared.disabled;
  const kept = current().elements.marks;
  if (kept.value) mark(JSON.parse(kept.value));
  else kept.value = written(marks());
  const last = record.read().at(-1);
  began = performance.now() - (last?.[0] ?? 0); // a draft goes on where it was
  deepest = [0, 1].map((side) => Math.max(-1, ...record.read().filter(([, what, where]) => what === "scroll" && where === side).map((row) => row[3])));
  if (inside(".why")[0]) countReasons();
  face(0);
  watch();
}

// What the worker does

const record = {
  read() { return JSON.parse(current()?.elements.interactions.value || "[]"); },
  add(what, side, at) {
    const rows = record.read();
    if (!current() || rows.length >= MOST) return;
    put("interactions", [...rows, [Math.round(performance.now() - began), what, side, at]]);
  },
};

const written = (rows) => (rows.length ? JSON.stringify(rows) : "");

function put(name, rows) {
  const field = current().elements[name];
  field.value = written(rows);
  field.dispatchEvent(new Event("input", { bubbles: true })); // judge.js keeps it as a draft
}

place.addEventListener("toggle", (event) => {
  if (event.target.matches(".more")) record.add(event.target.open ? "expand" : "collapse", sideOf(event.target), placeOf(event.target));
}, true);

let settling;

place.addEventListener("scroll", (event) => {
  clearTimeout(settling);
  settling = setTimeout(event.target.matches(".panel") ? () => scrolled(event.target) : swiped, SETTLED);
}, true);

// How deep into the list; only what is deeper than before is news.
function scrolled(panel) {
  if (!panel.isConnected) return;
  const side = sideOf(panel);
  const last = reached(panel);
  count();
  if (last <= deepest[side]) return;
  deepest[side] = last;
  record.add("scroll", side, last);
}

// The place of the last result in view.
function reached(panel) {
  const { bottom } = panel.getBoundingClientRect();
  return resultsOf(sideOf(panel)).findLastIndex((result) => result.getBoundingClientRect().top + 24 < bottom);
}

// What was on the screen: of the left list and of the right one how long (ms), and how many results

const GLANCE = 150; // ms; what passes by is not seen
let seen = [[0, 0], [0, 0]];
let inView = [false, false];
let looking = false; // at the lists: not at another tab, nor at a result over them
let countedAt = 0;
let glancing;

const watcher = new IntersectionObserver((entries) => {
  if (!current()) return;
  count();
  for (const { target, isIntersecting } of entries) if (target.isConnected) inView[sideOf(target)] = isIntersecting;
  nudge();
}, { threshold: 0.5 });

function watch() {
  const { seen: kept } = current().elements;
  seen = kept.value ? JSON.parse(kept.value) : [[0, 0], [0, 0]];
  inView = [false, false];
  count();
  watcher.disconnect();
  inside(".panel").forEach((panel) => watcher.observe(panel));
}

function count() {
  if (!current()) return;
  const now = performance.now();
  const lasted = looking ? Math.round(now - countedAt) : 0;
  inside(".panel").forEach((panel, side) => {
    if (inView[side]) seen[side] = [seen[side][0] + lasted, Math.max(seen[side][1], reached(panel) + 1)];
  });
  if (seen.flat().some(Boolean)) put("seen", seen); // nothing: not measured
  looking = !document.hidden && !dialog?.open;
  countedAt = now;
}

const unseen = () => seen.findIndex(([lasted]) => lasted < GLANCE); // the first side that was not; -1: none

// Says which list is still to be looked at, where it is not on the screen. Answers wait for it; "can't judge" does not.
function nudge() {
  clearTimeout(glancing);
  const side = unseen();
  const missing = side >= 0 && !inView[side];
  const [hint] = inside(".look");
  hint.hidden = !missing;
  hint.textContent = missing ? hint.dataset[side ? "right" : "left"] : "";
  for (const button of inside(".grade")) {
    missing ? button.setAttribute("aria-disabled", "true") : button.removeAttribute("aria-disabled");
    missing ? button.setAttribute("aria-describedby", hint.id) : button.removeAttribute("aria-describedby");
  }
  if (side >= 0 && !missing) glancing = setTimeout(() => { count(); nudge(); }, GLANCE);
}

// Before judge.js hears of it.
place.addEventListener("submit", (event) => {
  if (!current()) return;
  count();
  const side = unseen();
  if (side < 0 || !event.submitter?.matches(".grade")) return;
  event.preventDefault();
  event.stopPropagation();
  nudge();
  if (!inView[side]) turn(side);
}, true);

document.addEventListener("visibilitychange", count);

// One result, over the lists

const texts = new Map(); // by address, as far as they have come

async function open(link) {
  const [side, at] = [sideOf(link), placeOf(link)];
  reader.textContent = reader.dataset.loading;
  dialog.dataset.side = side;
  dialog.dataset.place = at;
  count();
  dialog.showModal();
  count(); // the lists lie under it from now on
  record.add("open", side, at);
  const address = link.getAttribute("href");
  const text = texts.get(address) ?? (await fetched(address));
  if (dialog.open && dialog.dataset.side === String(side) && dialog.dataset.place === String(at)) fill(text);
}

async function fetched(address) {
  const reply = await fetch(address, { headers: BY_SCRIPT }).catch(() => null);
  if (!reply?.ok) return null;
  const text = await reply.text();
  texts.set(address, text);
  return text;
}

function fill(text) {
  if (text === null) reader.textContent = navigator.onLine ? reader.dataset.gone : place.dataset.unreachable;
  else reader.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
  if (reader.querySelector("iframe.page")) import(dialog.dataset.frame); // few results have one
  dialog.scrollTop = 0;
  reader.focus({ preventScroll: true });
}

dialog?.addEventListener("close", () => {
  count();
  record.add("close", Number(dialog.dataset.side), Number(dialog.dataset.place));
});
dialog?.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.isTrusted) dialog.close(); // pressed in the document's frame
});
dialog?.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close(); // beside it
  if (event.target.closest(".follow")) record.add("follow", Number(dialog.dataset.side), Number(dialog.dataset.place));
});

place.addEventListener("click", (event) => {
  const link = event.target.closest(".open");
  if (link && dialog && !event.ctrlKey && !event.metaKey && !event.shiftKey) event.preventDefault(), open(link);
  const side = event.target.closest(".sides button");
  if (side) turn(Number(side.value));
  const why = event.target.closest(".why");
  if (why) return explain(why.getAttribute("aria-expanded") !== "true");
  if (!event.target.closest(".reasons")) explain(false);
});

// Marks on single results; one that stands on both sides is marked on both

const boxes = (side, at) => inside(`.panel[data-side="${side}"] .result[data-place="${at}"] [data-mark]`);

function mark(rows) {
  inside("[data-mark]").forEach((box) => { box.checked = false; });
  for (const [side, at, grade] of rows) boxes(side, at).forEach((box) => { box.checked = Number(box.dataset.mark) === grade; });
}

const marks = () => inside("[data-mark]:checked").map((box) => [sideOf(box), placeOf(box), Number(box.dataset.mark)]);

function marked(box) {
  const { also } = box.closest(".result").dataset;
  const same = [...boxes(sideOf(box), placeOf(box)), ...(also === undefined ? [] : boxes(1 - sideOf(box), also))];
  for (const other of same) other.checked = box.checked && other.dataset.mark === box.dataset.mark;
  put("marks", marks());
}

place.addEventListener("change", (event) => {
  if (event.target.matches("[data-mark]")) marked(event.target);
  if (event.target.matches(".reasons input")) countReasons();
  if (event.target.matches(".show-shared")) session.write(event.target.checked ? "yes" : "no");
});

// Which list a phone shows

function turn(side) {
  glance(side === 2);
  if (side === 2 || facing === 2) face(side);
  if (side === 2) return say(place.querySelector(".lists").getAttribute("aria-label"));
  const panel = inside(".panel")[side];
  panel.parentElement.scrollTo({ left: panel.offsetLeft - panel.parentElement.offsetLeft });
}

// Both beside each other, titles alone, each from where it was, and back to there.
let tops = [];

function glance(both) {
  const [lists] = inside(".lists");
  if (lists.classList.contains("both") === both) return;
  tops = inside(".panel").map((panel, side) => (isOnTop(tops[side], panel) ? tops[side] : resultsOf(side).find((result) => result.offsetTop + result.offsetHeight > panel.scrollTop + 8)));
  lists.classList.toggle("both", both);
  tops.forEach((top, side) => { inside(".panel")[side].scrollTop = top?.offsetTop ?? 0; });
}

// Or as far up as it goes, where the list ends before.
const isOnTop = (result, panel) => result?.isConnected && Math.abs(panel.scrollTop - Math.min(result.offsetTop, panel.scrollHeight - panel.clientHeight)) < 2;

function face(side) {
  facing = side;
  for (const button of inside(".sides button")) Number(button.value) === side ? button.setAttribute("aria-current", "true") : button.removeAttribute("aria-current");
}

function swiped() {
  const [lists] = inside(".lists");
  if (!lists || lists.scrollWidth <= lists.clientWidth + 1) return;
  const side = Math.round(lists.scrollLeft / lists.clientWidth) ? 1 : 0;
  if (side === facing) return;
  face(side);
  say(inside(".panel")[side].getAttribute("aria-label"));
}

// Reasons, which a phone shows over the lists

function explain(open) {
  const [why] = inside(".why");
  if (!why) return;
  why.setAttribute("aria-expanded", open);
  inside(".reasons")[0].classList.toggle("unfolded", open);
}

function countReasons() {
  const [count] = inside(".why .count");
  const ticked = inside(".reasons input:checked").length;
  count.hidden = !ticked;
  count.textContent = ticked;
}

// Keys

const here = () => document.activeElement.closest?.(".result");

function go(side, at) {
  const results = resultsOf(side);
  const result = results[Math.max(0, Math.min(at, results.length - 1))];
  const target = result?.querySelector(".open") ?? inside(".panel")[side];
  target.focus({ preventScroll: true });
  (result ?? target).scrollIntoView({ block: "nearest", inline: "nearest" });
}

const step = (by) => (here() ? go(sideOf(here()), placeOf(here()) + by) : go(document.activeElement.closest?.(".panel") ? sideOf(document.activeElement) : facing, 0));
const cross = (side) => go(side, here() ? placeOf(here()) : 0);
const click = (box) => box?.click();

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  arrowleft: () => cross(0),
  arrowright: () => cross(1),
  o: () => here()?.querySelector(".open")?.click(),
  m: () => click(inside(".show-shared")[0]),
  r: () => { explain(true); inside(".reasons input")[0]?.focus(); },
  "+": () => click(here()?.querySelector('[data-mark="1"]')),
  "-": () => click(here()?.querySelector('[data-mark="0"]')),
};

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !current()) return;
  if (event.target.matches("textarea, input:not([type=checkbox]), select") || document.querySelector("dialog[open]")) return;
  const does = KEYS[event.key.toLowerCase()];
  if (does) event.preventDefault(), does();
});

place.addEventListener("shown", shown);
if (current()) shown();
