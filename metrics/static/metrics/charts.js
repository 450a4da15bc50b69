// Draws a page's figures: what is drawn comes with the page as JSON, how it looks from the page's own colours.

const SERIES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];
const SERIES_ON_DARK = ["#56B4E9", "#FF8A4C", "#2FC79A", "#E3A0C8", "#F0B849", "#9AD3F5"];
const dark = matchMedia("(prefers-color-scheme: dark)");

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
    responsive: true,
  });
}

function drawAll(root = document) {
  for (const place of root.querySelectorAll("[data-figure]")) draw(place);
}

drawAll();
dark.addEventListener("change", () => drawAll());
document.addEventListener("htmx:afterSwap", () => drawAll());
// What is folded away has no width to be drawn in.
for (const folded of document.querySelectorAll("details:has([data-figure])")) folded.addEventListener("toggle", () => drawAll(folded));
