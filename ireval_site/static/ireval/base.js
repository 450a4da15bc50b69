// What every page with navigation shares; all of it works, less smoothly, without this file.

const SHOWN_FOR = 2000;
const LEAVING_FOR = 10000; // a download looks like leaving, too

async function copyText(field) {
  if (navigator.clipboard) return navigator.clipboard.writeText(field.value);
  field.select(); // plain http on a team's own network has no clipboard object
  if (!document.execCommand("copy")) throw new Error("the browser refused to copy");
}

async function copy(button) {
  const field = document.getElementById(button.dataset.copy);
  const text = button.querySelector("span");
  const usual = text.textContent;
  try {
    await copyText(field);
    text.textContent = button.dataset.done;
  } catch {
    field.select();
    text.textContent = button.dataset.byHand;
  }
  setTimeout(() => { text.textContent = usual; }, SHOWN_FOR);
}

function closeMenus(except) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (menu !== except) menu.open = false;
  }
}

document.addEventListener("click", (event) => {
  closeMenus(event.target.closest("details.menu"));
  const button = event.target.closest("[data-copy]");
  if (button) copy(button);
  const opener = event.target.closest("[data-dialog]");
  if (opener) document.getElementById(opener.dataset.dialog).showModal();
});

document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && event.target.closest?.("details.menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

// A page that waits is loaded anew once what it waits for is there: not under somebody who is on the way to another page.
let left = -LEAVING_FOR;
addEventListener("beforeunload", () => { left = performance.now(); });
addEventListener("pageshow", () => { left = -LEAVING_FOR; });
document.addEventListener("htmx:beforeOnLoad", (event) => {
  const reloads = event.detail.xhr.getResponseHeader("HX-Refresh") === "true";
  if (reloads && performance.now() - left < LEAVING_FOR) event.preventDefault();
});
