// Keys for adjudicating: a grade's own, S for the next item, N for the note. Without this file each is a button or a link.

const target = { s: "#skip", n: "#id_comment" };
const HASTY = 250; // ms: a key pressed twice, or held, must not settle the next item unseen
const began = performance.now();

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input:not([type=checkbox]), textarea, select");
  if (isTyping && event.key === "Escape") event.target.blur();
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
  if (event.repeat || performance.now() - began < HASTY) return;
  const key = event.key.toLowerCase();
  const named = document.querySelector(target[key] ?? `.grade[data-key="${CSS.escape(key)}"]`);
  if (!named) return;
  event.preventDefault();
  if (named.matches("input")) named.focus();
  else named.click();
});
