// "All" and "None" over each list of checkboxes, and how many are chosen.

function button(text, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "button small";
  made.textContent = text;
  made.addEventListener("click", act);
  return made;
}

function equip(group) {
  const boxes = [...group.querySelectorAll("input[type=checkbox]")];
  if (boxes.length < 3) return;
  const count = document.createElement("span");
  count.className = "muted small num";
  count.setAttribute("aria-live", "polite");
  const say = () => { count.textContent = `${boxes.filter((box) => box.checked).length} of ${boxes.length} chosen`; };
  const choose = (checked) => () => { for (const box of boxes) box.checked = checked; say(); };
  const row = document.createElement("div");
  row.className = "toolbar";
  const buttons = document.createElement("div");
  buttons.className = "row";
  buttons.append(button("All", choose(true)), button("None", choose(false)));
  row.append(buttons, count);
  group.querySelector(".choices").before(row);
  group.addEventListener("change", say);
  say();
}

for (const group of document.querySelectorAll("[data-choose-all]")) equip(group);
