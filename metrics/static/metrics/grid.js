// Makes a table of many links one stop of the Tab key: arrow keys go from link to link, Home and End to the ends of a row.
// Without a script each link is a stop of its own.

const grids = "table[data-grid]";
const linksOf = (table) => [...table.querySelectorAll("tbody tr")].map((row) => [...row.querySelectorAll("a[href]")]).filter((links) => links.length);

function enter(table, link) {
  for (const other of linksOf(table).flat()) other.tabIndex = other === link ? 0 : -1;
}

function prepare() {
  for (const table of document.querySelectorAll(grids)) {
    if (!table.querySelector("tbody a[tabindex='0']")) enter(table, linksOf(table)[0]?.[0]);
  }
}

// Rows may have fewer links than others: above and below is what lies nearest.
function next(rows, link, key) {
  const place = rows.findIndex((links) => links.includes(link));
  const [row, column] = [rows[place], rows[place].indexOf(link)];
  const { left } = link.getBoundingClientRect();
  const nearest = (links) => links?.reduce((best, other) => (Math.abs(other.getBoundingClientRect().left - left) < Math.abs(best.getBoundingClientRect().left - left) ? other : best));
  return { ArrowLeft: row[column - 1], ArrowRight: row[column + 1], Home: row[0], End: row.at(-1), ArrowUp: nearest(rows[place - 1]), ArrowDown: nearest(rows[place + 1]) }[key];
}

document.addEventListener("keydown", (event) => {
  const link = event.target.closest?.(`${grids} tbody a[href]`);
  if (!link || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const table = link.closest(grids);
  const other = next(linksOf(table), link, event.key);
  if (!other) return;
  event.preventDefault();
  enter(table, other);
  other.focus();
});

prepare();
document.addEventListener("htmx:afterSwap", prepare);
