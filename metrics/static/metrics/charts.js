// Draws a page's figures: what is drawn comes with the page as JSON, how it looks from the page's own colours.

const SERIES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];
const SERIES_ON_DARK = ["#56B4E9", "#FF8A4C", "#2FC79A", "#E3A0C8", "#F0B849", "#9AD3F5"];
const dark = matchMedia("screen and (prefers-color-scheme: dark)"); // paper is white
const print = matchMedia("print");

function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  return { text: of("--text"), muted: of("--muted"), line: of("--line"), edge: of("--edge"), ground: of("--surface"), series: dark.matches ? SERIES_ON_DARK : SERIES };
}

function coloured(trace, { series, text, line, edge }) {
  const bar = trace.type === "bar"; // dark enough in both schemes for its whisker to stand out on it
  const tone = trace.meta.tone === null ? line : trace.meta.tone === "baseline" ? edge : (bar ? SERIES : series)[trace.meta.tone];
  return {
    ...trace,
    line: { ...trace.line, color: tone },
    ...(trace.fill && { fillcolor: `${tone}26` }), // faint, so that bands show through one another
    marker: { ...trace.marker, color: tone },
    ...(trace.error_x && { error_x: { ...trace.error_x, color: text } }),
    hoverlabel: { align: "left" },
  };
}

function axis(given, { text, line, edge }) {
  return { ...given, color: text, gridcolor: line, zerolinecolor: edge, linecolor: edge };
}

// The legend stands under the plot; how many rows it takes depends on how wide the page is.
function legendRows(figure, width) {
  const named = figure.data.filter((trace) => trace.showlegend !== false).map((trace) => trace.name.length * 7 + 60);
  const columns = Math.max(1, Math.floor((width - 60) / Math.max(...named)));
  return Math.ceil(named.length / columns);
}

function layout(figure, width) {
  const theme = colours();
  const { plot, row } = figure.height;
  return {
    ...figure.layout,
    width,
    height: plot + (row ? row * legendRows(figure, width) : 0),
    margin: { l: 52, r: 12, t: 8, b: row ? 48 + row * legendRows(figure, width) : 48, pad: 4 },
    paper_bgcolor: "transparent",
    plot_bgcolor: "transparent",
    font: { color: theme.text, family: getComputedStyle(document.body).fontFamily, size: 13 },
    hoverlabel: { bgcolor: theme.ground, bordercolor: theme.edge, font: { color: theme.text } },
    xaxis: axis(figure.layout.xaxis, theme),
    yaxis: axis(figure.layout.yaxis, theme),
  };
}

function draw(place) {
  const figure = JSON.parse(document.getElementById(place.dataset.figure).textContent);
  const theme = colours();
  place.querySelector("noscript")?.remove();
  Plotly.react(place, figure.data.map((trace) => coloured(trace, theme)), layout(figure, place.clientWidth), {
    displaylogo: false,
    displayModeBar: false,
  });
  if (!place.dataset.drawn) prepare(place);
}

// Done once, whatever is drawn there later.
function prepare(place) {
  place.dataset.drawn = "true";
  place.dispatchEvent(new Event("drawn", { bubbles: true }));
  const figure = place.closest("figure");
  if (!figure) return;
  const files = document.createElement("p");
  files.className = "row small";
  files.append(place.dataset.save);
  const table = figure.querySelector("table");
  for (const [kind, save] of Object.entries({ SVG: saveSvg, PNG: savePng, ...(table && { CSV: saveCsv }) })) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "button small quiet", textContent: kind });
    button.addEventListener("click", () => save(place, table));
    files.append(button);
  }
  figure.append(files);
}

function download(place, address, kind) {
  const link = document.createElement("a");
  const name = `${document.title} ${place.dataset.figure}`.replace(/[^\p{L}\p{N}.-]+/gu, "-");
  Object.assign(link, { href: address, download: `${name}.${kind}` });
  link.click();
}

// As it is drawn, on the page's own ground.
function asSvg(place) {
  const drawn = { data: place.data, layout: { ...place.layout, paper_bgcolor: colours().ground } };
  return Plotly.toImage(drawn, { format: "svg", width: place.clientWidth, height: place.clientHeight });
}

async function saveSvg(place) {
  download(place, await asSvg(place), "svg");
}

async function savePng(place) {
  const image = new Image();
  image.src = await asSvg(place);
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * place.clientWidth, 2 * place.clientHeight];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  download(place, canvas.toDataURL("image/png"), "png");
}

function saveCsv(place, table) {
  const rows = [...table.rows].map((row) => [...row.cells].map((cell) => quoted(cell.textContent)).join(","));
  download(place, `data:text/csv;charset=utf-8,${encodeURIComponent(`\uFEFF${rows.join("\r\n")}\r\n`)}`, "csv");
}

// Numbers as programs read them; a name that a spreadsheet would take for a formula gets an apostrophe.
function quoted(text) {
  const plain = text.trim().replace(/\s+/g, " ").replace(/^−(?=[\d.])/, "-");
  const safe = /^[=+@-]/.test(plain) && Number.isNaN(Number(plain)) ? `'${plain}` : plain;
  return `"${safe.replaceAll('"', '""')}"`;
}

// What is folded away has no width to be drawn in.
function drawAll(root = document) {
  for (const place of root.querySelectorAll("[data-figure]")) if (place.clientWidth) drawAlone(place);
}

// What is wrong with one figure must not keep the others from being drawn.
function drawAlone(place) {
  try {
    draw(place);
  } catch (error) {
    reportError(error);
  }
}

let resized;
drawAll();
// Paper is narrower than a window, and printed at once: plotly would follow a moment later.
for (const change of [dark, print]) change.addEventListener("change", () => drawAll());
addEventListener("resize", () => {
  clearTimeout(resized);
  resized = setTimeout(drawAll, 100);
});
document.addEventListener("htmx:afterSwap", () => drawAll());
document.addEventListener("toggle", ({ target }) => drawAll(target), true); // it does not bubble
