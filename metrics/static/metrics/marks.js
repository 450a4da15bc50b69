// Leads from a figure's marks to what they show: by a click, or by the keyboard, which goes from mark to mark.
// charts.js draws; it tells of a figure that is drawn for the first time by the event `drawn`. Neither calls the other.

// In figures of rows, named from the top down, a series runs downwards; in all others to the right.
const ALONG = { rows: { ArrowDown: 1, ArrowUp: -1 }, columns: { ArrowRight: 1, ArrowLeft: -1 } };
const ACROSS = { rows: { ArrowRight: 1, ArrowLeft: -1 }, columns: { ArrowUp: 1, ArrowDown: -1 } };
const number = (value) => (typeof value === "number" ? value : Date.parse(value));

// Each mark: the number of its trace and of its point there, and where it lies along its series and across it.
function marksOf(trace, traceNumber, rows, [low, high]) {
  const across = rows ? trace.x : trace.y;
  const along = trace.type === "bar" ? trace.x.map((_, point) => point) : (rows ? trace.y : trace.x).map(number);
  return along
    .map((place, point) => ({ trace: traceNumber, point, along: place, across: across[point] }))
    .filter(({ across }) => across !== null && across >= low && across <= high)
    .sort((a, b) => a.along - b.along);
}

// Bars of one figure stand in one line, so that they are one series, whatever their colours.
function seriesOf({ data, layout }, rows) {
  const { range } = rows ? layout.xaxis : layout.yaxis;
  const shown = data.map((trace, place) => [trace, place]).filter(([trace]) => trace.hoverinfo !== "skip" && trace.visible !== "legendonly");
  const series = shown.map(([trace, place]) => marksOf(trace, place, rows, range)).filter((marks) => marks.length);
  return shown.every(([trace]) => trace.type === "bar") ? [series.flat().sort((a, b) => a.along - b.along)] : series;
}

function nearest(marks, { along }) {
  return marks.reduce((best, mark) => (Math.abs(mark.along - along) < Math.abs(best.along - along) ? mark : best));
}

const isAt = (cursor) => (mark) => mark.trace === cursor.trace && mark.point === cursor.point;

// Where a key leads from a mark, or onto the figure from outside; nothing where it means nothing here.
function next(place, cursor, key) {
  const [bottom, top] = place.layout.yaxis.range;
  const rows = bottom > top ? "rows" : "columns";
  const series = seriesOf(place, rows === "rows");
  if (!series[0]?.length || !(key in ALONG[rows] || key in ACROSS[rows] || key === "Home" || key === "End")) return null;
  const main = series.find(([mark]) => place.data[mark.trace].meta.tone === 0) ?? series[0];
  const own = (cursor && series.find((marks) => marks.some(isAt(cursor)))) ?? main;
  if (key === "Home" || !cursor) return key === "End" ? own.at(-1) : own[0];
  if (key === "End") return own.at(-1);
  const step = ALONG[rows][key] ?? (series.length === 1 ? ACROSS[rows][key] : 0);
  if (step) return own[own.findIndex(isAt(cursor)) + step] ?? cursor;
  const levels = series.map((marks) => (marks === own ? cursor : nearest(marks, cursor))).sort((a, b) => a.across - b.across);
  return levels[levels.indexOf(cursor) + ACROSS[rows][key]] ?? cursor;
}

function addressOf(place, { trace, point }) {
  const { address, addresses } = place.data[trace].meta;
  return address ?? addresses?.[point];
}

function follow(address, event) {
  if (!address) return;
  if (address.startsWith("#")) document.querySelector(address).closest("details")?.setAttribute("open", "");
  if (event.ctrlKey || event.metaKey) open(address);
  else location.assign(address);
}

// The mark's label as it is shown, for those who hear it.
function say(place) {
  const lines = [...place.querySelectorAll(".hoverlayer .hovertext .nums")].flatMap((text) => (text.children.length ? [...text.children] : [text]));
  return lines.map((line) => line.textContent).join(", ");
}

// Without a script there is nothing to move on, so that it is made focusable here.
function introduce(place) {
  const caption = place.closest("figure")?.querySelector("figcaption");
  const name = (caption?.querySelector("b") ?? caption)?.textContent.trim().replace(/\s+/g, " ");
  const traits = { role: "application", tabindex: 0, "aria-roledescription": "figure", "aria-label": name, "aria-describedby": `${place.dataset.figure}-keys` };
  for (const [trait, value] of Object.entries(traits)) place.setAttribute(trait, value);
}

document.addEventListener("drawn", ({ target: place }) => {
  const words = document.getElementById(`${place.dataset.figure}-mark`);
  let cursor = null;
  introduce(place);
  const pointed = ({ points: [point] }) => addressOf(place, { trace: point.curveNumber, point: point.pointIndex });
  place.on("plotly_click", (clicked) => follow(pointed(clicked), clicked.event));
  place.on("plotly_hover", (hovered) => place.classList.toggle("leads", Boolean(pointed(hovered))));
  place.addEventListener("keydown", (event) => {
    if (event.key === "Escape") place.blur();
    if (event.key === "Enter" && cursor) follow(addressOf(place, cursor), event);
    const isPlain = !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey);
    const mark = isPlain && next(place, cursor, event.key);
    if (!mark) return;
    event.preventDefault();
    cursor = mark;
    Plotly.Fx.hover(place, [{ curveNumber: mark.trace, pointNumber: mark.point }]);
  });
  place.addEventListener("blur", () => {
    cursor = null;
    words.textContent = "";
    Plotly.Fx.unhover(place);
  });
  // A label is drawn a moment after it is asked for.
  new MutationObserver(() => {
    if (cursor && say(place)) words.textContent = say(place) + (addressOf(place, cursor) ? words.dataset.link : "");
  }).observe(place.querySelector(".hoverlayer"), { childList: true, subtree: true });
});
