// The judge page as a researcher tries it: what a worker's click or key would send is answered here. Without this file the
// buttons are disabled, so that nothing can be sent either way.

const SHOWN_FOR = 4000;
const preview = document.getElementById("preview");
const toast = document.getElementById("not-stored");
const words = toast.querySelector("[data-text]");
let hiding;

function say() {
  toast.hidden = false;
  words.textContent = words.textContent.trim(); // so that it is read out
  clearTimeout(hiding);
  hiding = setTimeout(() => { toast.hidden = true; }, SHOWN_FOR);
}

preview.disabled = false;

preview.addEventListener("submit", (event) => {
  event.preventDefault();
  event.target.querySelector("details[open]")?.removeAttribute("open");
  say();
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=checkbox]), textarea")) return;
  preview.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`)?.click();
});
