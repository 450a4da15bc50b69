// "/" goes to the search field; a document that was clicked says when it is left, once.
const field = document.querySelector("#q");

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select");
  if (!field || typing || event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  field.focus();
  field.select();
});

const left = document.querySelector("[data-leave]")?.dataset.leave;
if (left) addEventListener("pagehide", () => navigator.sendBeacon(left), { once: true });
