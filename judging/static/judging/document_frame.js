// The frame with a document's HTML: as high as what is in it, so that the page alone scrolls, and no trap for keys. Nothing runs
// in the frame itself. Images of what is ahead are fetched before it is shown. Without this file the frame scrolls by itself.

const place = document.getElementById("judge") ?? document.getElementById("preview") ?? document.getElementById("main");
const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => fit(target.ownerDocument.defaultView?.frameElement)));

function fit(frame) {
  const root = frame?.contentDocument?.documentElement;
  if (!root) return;
  const beside = root.scrollWidth > root.clientWidth ? 17 : 0; // a wide table brings a bar
  frame.style.height = `${Math.ceil(root.getBoundingClientRect().height) + beside}px`;
}

function opened(frame) {
  const { contentDocument: inside, contentWindow: view } = frame;
  if (!inside?.body) return;
  frame.classList.add("fitted");
  fit(frame);
  sizes.observe(inside.documentElement);
  // Who has clicked into the document goes on judging with the same keys.
  view.addEventListener("keydown", (event) => {
    const same = new KeyboardEvent("keydown", event);
    if (!frame.dispatchEvent(same)) event.preventDefault();
  });
  inside.addEventListener("selectionchange", () => document.dispatchEvent(new Event("selectionchange")));
  frame.dispatchEvent(new Event("opened", { bubbles: true }));
}

const isFrame = (element) => element instanceof HTMLIFrameElement && element.matches(".page");

document.addEventListener("load", (event) => { if (isFrame(event.target)) opened(event.target); }, true);
document.querySelectorAll("iframe.page").forEach((frame) => {
  if (frame.contentDocument?.readyState === "complete" && frame.contentDocument.URL !== "about:blank") opened(frame);
});

place.addEventListener("ahead", ({ detail: form }) => {
  const frame = form.querySelector("iframe.page");
  const inside = frame ? new DOMParser().parseFromString(frame.srcdoc, "text/html") : form;
  [form, inside].flatMap((root) => [...root.querySelectorAll("img[src]")]).forEach((image) => {
    new Image().src = new URL(image.getAttribute("src"), location.href).href;
  });
});
