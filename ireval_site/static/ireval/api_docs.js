// Swagger has a dark scheme, but only for whoever presses a button that this page does not show: here it follows the system's.

const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();
