// What helps to read a document and to say what in it speaks for a grade: the full text behind an extract, finding in it,
// passages marked as evidence. Its words stand in the page (data-…). It works on the judge page and on the preview of it.

const place = document.getElementById("judge") ?? document.getElementById("preview");
const box = document.getElementById("find");
const field = box.querySelector("input");
const count = box.querySelector("[data-count]");
const spoken = document.getElementById("spoken");
const MOST_FOUND = 1000;
const MOST_PASSAGES = 20;
const LONGEST = 5000; // characters that are looked for in a page
const choice = (whole) => ("page" in whole.dataset ? "ireval-plain-text" : "ireval-full-text"); // a page is no extract

const current = () => place.querySelector("form.item");
const inside = (selector) => [...(current()?.querySelectorAll(selector) ?? [])];
const isVisible = (element) => element.getClientRects().length > 0;
const session = {
  read(whole) { try { return sessionStorage.getItem(choice(whole)); } catch { return null; } },
  write(whole, value) { try { sessionStorage.setItem(choice(whole), value); } catch { /* for this item only */ } },
};

function say(text) {
  spoken.textContent = "";
  setTimeout(() => { spoken.textContent = text; }, 50); // the same words again are news
}

const LAYERS = ["passage", "match", "match-here"]; // which lies above which

function highlight(name, ranges) {
  if (!globalThis.Highlight) return;
  CSS.highlights.set(name, Object.assign(new Highlight(...ranges), { priority: LAYERS.indexOf(name) }));
}

function shown() {
  const whole = current()?.querySelector(".whole");
  if (whole) whole.open = session.read(whole) === "yes";
  hits = [];
  at = -1;
  box.hidden = true;
  showFound();
  showPassages();
}

// The full text

function toggleFull() {
  const whole = current()?.querySelector(".whole");
  if (!whole) return;
  whole.open = !whole.open;
  session.write(whole, whole.open ? "yes" : "no");
}

place.addEventListener("click", (event) => {
  if (event.target.closest(".whole > summary")) event.preventDefault(), toggleFull();
});

// Text and its characters: the server counts code points, a range counts UTF-16 units in nodes

function pieces(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes = [];
  for (let at = 0; walker.nextNode(); at += walker.currentNode.data.length) nodes.push({ node: walker.currentNode, at });
  return nodes;
}

function rangesIn(root, spans) {
  const nodes = pieces(root);
  const spot = (unit) => {
    let [low, high] = [0, nodes.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (nodes[middle].at <= unit) low = middle;
      else high = middle - 1;
    }
    return [nodes[low].node, unit - nodes[low].at];
  };
  return spans.map(([start, end]) => {
    const range = document.createRange();
    range.setStart(...spot(start));
    range.setEnd(...spot(end));
    return range;
  });
}

const characters = (text) => (/[\ud800-\udbff]/.test(text) ? [...text].length : text.length);

function units(text, many) {
  if (!/[\ud800-\udbff]/.test(text)) return Math.min(many, text.length);
  let unit = 0;
  for (const character of text) {
    if (many-- <= 0) break;
    unit += character.length;
  }
  return unit;
}

// Finding

let hits = []; // ranges, in the order of the text
let at = -1;

function openFind() {
  const whole = current()?.querySelector(".whole");
  if (whole) whole.open = true;
  box.hidden = false;
  field.select();
  field.focus();
  search();
}

function closeFind() {
  box.hidden = true;
  hits = hits.slice(at, at + 1); // the one in view stays, to be marked as evidence
  at = hits.length - 1;
  showFound();
  current()?.querySelector(".document").focus({ preventScroll: true });
}

function search() {
  const wanted = pattern(field.value, "\\s+");
  const roots = wanted ? inside(".document h2, .text:not(.extract)") : [];
  hits = roots.flatMap((root) => rangesIn(root, matches(root.textContent, wanted))).slice(0, MOST_FOUND);
  at = hits.length ? 0 : -1;
  showFound();
}

const pattern = (words, blanks) => words.trim().replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, blanks);

function matches(text, wanted) {
  return Array.from(text.matchAll(new RegExp(wanted, "giu")), (match) => [match.index, match.index + match[0].length]);
}

function step(by) {
  if (hits.length) at = (at + by + hits.length) % hits.length;
  showFound();
}

function showFound() {
  highlight("match", hits);
  highlight("match-here", hits.slice(at, at + 1));
  const { none, of } = box.dataset;
  count.textContent = !field.value.trim() ? "" : hits.length ? of.replace("{at}", at + 1).replace("{count}", hits.length) : none;
  if (at >= 0) bringIntoView(hits[at]);
}

function bringIntoView(range) {
  const { top, bottom } = range.getBoundingClientRect();
  if (top < innerHeight * 0.35 || bottom > innerHeight * 0.75) window.scrollBy(0, top - innerHeight * 0.45);
}

field.addEventListener("input", search);
box.addEventListener("submit", (event) => event.preventDefault());
box.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.value === "close") closeFind();
  else if (button) step(Number(button.value));
});
box.addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeFind();
  else if (event.key === "Enter" && event.target === field) step(event.shiftKey ? -1 : 1);
  else return;
  event.preventDefault();
});

// Passages that speak for the grade

const kept = () => current()?.elements.passages;
const passages = () => JSON.parse(kept()?.value || "[]");
const roots = () => inside("[data-start]");
const firstOf = (root) => Number(root.dataset.start);

function write(spans) {
  kept().value = spans.length ? JSON.stringify(spans) : "";
  kept().dispatchEvent(new Event("input", { bubbles: true }));
  showPassages();
}

function merged(spans) {
  const joined = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  return joined;
}

// What is selected, as spans of the document's text; where the extract has gaps, so have they.
function selected() {
  const selection = getSelection();
  if (framed()) return selectedInPage(framed());
  if (!selection.rangeCount || selection.isCollapsed) return [];
  const range = selection.getRangeAt(0);
  return roots().filter((root) => isVisible(root) && range.intersectsNode(root)).map((root) => cut(root, range)).filter(Boolean);
}

function cut(root, range) {
  const part = document.createRange();
  part.selectNodeContents(root);
  if (range.compareBoundaryPoints(Range.START_TO_START, part) > 0) part.setStart(range.startContainer, range.startOffset);
  if (range.compareBoundaryPoints(Range.END_TO_END, part) < 0) part.setEnd(range.endContainer, range.endOffset);
  return span(root, part);
}

// A range as characters of the document, without the blanks at its ends; null if there is nothing else in it.
function span(root, range) {
  const before = document.createRange();
  before.selectNodeContents(root);
  before.setEnd(range.startContainer, range.startOffset);
  const text = range.toString();
  if (!text.trim()) return null;
  const start = firstOf(root) + characters(before.toString()) + characters(text) - characters(text.trimStart());
  return [start, start + characters(text.trim())];
}

function sentence(range) {
  const root = range.startContainer.parentElement.closest("[data-start]");
  if (!root) return [];
  const before = document.createRange();
  before.selectNodeContents(root);
  before.setEnd(range.startContainer, range.startOffset);
  const text = root.textContent;
  const here = before.toString().length;
  const starts = [0, ...Array.from(text.slice(0, here).matchAll(/[.!?…。！？]\s+|\n+/g), (match) => match.index + match[0].length)];
  const rest = text.slice(here + range.toString().length).match(/[.!?…。！？](?=\s|$)|\n/);
  const end = rest ? here + range.toString().length + rest.index + (rest[0] === "\n" ? 0 : 1) : text.length;
  return [span(root, rangesIn(root, [[starts.at(-1), end]])[0])].filter(Boolean);
}

// A page has the words of its plain text between other blanks: what is marked in one is found in the other.

const framed = () => inside("iframe.page").find((frame) => isVisible(frame) && frame.contentDocument?.body);
const placesOf = (words, text) => (words.length > LONGEST ? [] : matches(text, pattern(words, "\\s*")));

// The same words in another text, as often as they stand before them in their own.
function counterpart(words, before, text) {
  const places = placesOf(words, text);
  return places[Math.min(placesOf(words, before).length, places.length - 1)];
}

function selectedInPage(frame) {
  const selection = frame.contentWindow.getSelection();
  if (!selection?.rangeCount || selection.isCollapsed || !selection.toString().trim()) return [];
  const before = frame.contentDocument.createRange();
  before.selectNodeContents(frame.contentDocument.body);
  before.setEnd(selection.getRangeAt(0).startContainer, selection.getRangeAt(0).startOffset);
  const root = roots().at(-1);
  const place = counterpart(selection.toString(), before.toString(), root.textContent);
  return place ? [span(root, rangesIn(root, [place])[0])] : [];
}

function showInPage(frame, spans) {
  const [root, { body }, view] = [roots().at(-1), frame.contentDocument, frame.contentWindow];
  if (!view.Highlight) return;
  const ranges = spans.flatMap((span) => {
    const [start, end] = span.map((character) => units(root.textContent, character));
    const place = counterpart(root.textContent.slice(start, end), root.textContent.slice(0, start), body.textContent);
    return place ? rangesIn(body, [place]) : [];
  });
  view.CSS.highlights.set("passage", new view.Highlight(...ranges));
}

function markPassage() {
  const chosen = selected();
  const spans = chosen.length || at < 0 ? chosen : sentence(hits[at]);
  if (!spans.length || !kept()) return;
  const all = merged([...passages(), ...spans]);
  if (all.length > MOST_PASSAGES) return say(spoken.dataset.most);
  write(all);
  getSelection().removeAllRanges();
  framed()?.contentWindow.getSelection().removeAllRanges();
  say(`${spoken.dataset.marked} ${quote(spans[0])}`);
}

function removePassage(number) {
  write(passages().filter((_, other) => other !== number));
  say(spoken.dataset.removed);
  (inside(".passages button")[0] ?? current().querySelector(".note > summary")).focus();
}

function rangeOf(root, [start, end]) {
  const text = root.textContent;
  const [from, to] = [start, end].map((place) => units(text, Math.max(place - firstOf(root), 0)));
  return from < to ? rangesIn(root, [[from, to]]) : [];
}

function quote(span) {
  const whole = roots().at(-1); // the full text
  const text = rangeOf(whole, span)[0]?.toString() ?? "";
  return `“${text.length > 160 ? `${text.slice(0, 159)}…` : text}”`;
}

function showPassages() {
  const spans = passages();
  highlight("passage", spans.flatMap((span) => roots().flatMap((root) => rangeOf(root, span))));
  if (framed()) showInPage(framed(), spans);
  const list = current()?.querySelector(".passages");
  if (!list) return;
  list.replaceChildren(...spans.map((span, number) => row(list, span, number)));
  const badge = current().querySelector(".note .count");
  badge.textContent = spans.length || "";
  badge.hidden = !spans.length;
}

function row(list, span, number) {
  const item = document.createElement("li");
  const words = document.createElement("span");
  words.textContent = quote(span);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button small";
  button.textContent = list.dataset.remove;
  button.setAttribute("aria-label", `${list.dataset.remove} ${number + 1}`);
  button.addEventListener("click", (event) => { event.stopPropagation(); removePassage(number); });
  item.append(words, button);
  return item;
}

// A finger or a mouse that presses the button must not lose the selection first.
place.addEventListener("pointerdown", (event) => { if (event.target.closest(".mark-passage")) event.preventDefault(); });
place.addEventListener("click", (event) => { if (event.target.closest(".mark-passage")) markPassage(); });
document.addEventListener("selectionchange", () => {
  const button = inside(".mark-passage")[0];
  if (!button) return;
  button.hidden = !selected().length;
  const saved = document.getElementById("saved"); // stands where the button is, on a phone
  if (saved && !button.hidden) saved.hidden = true;
});

const KEYS = { "/": openFind, f: toggleFull, e: markPassage };

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("textarea, input, select") || document.querySelector("dialog[open]") || !current()) return;
  const does = KEYS[event.key.toLowerCase()];
  if (does) event.preventDefault(), does();
});

place.addEventListener("shown", shown);
place.addEventListener("opened", showPassages); // a page is in its frame
if (current()) shown();
