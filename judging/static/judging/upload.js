// Sends files in chunks, with progress: a dropped connection goes on where the server says it stopped. Without this script
// the same form sends its files in one go.

const AT_ONCE = 2; // two files fill the line; more would only make each of them slower
const LONGEST_WAIT = 30000;
const POLL = 1000;
const STALLED = 120000; // a chunk that takes longer is sent again

const transfers = document.getElementById("transfers");
const list = transfers.querySelector("[data-list]");
const summary = transfers.querySelector("[data-summary]");
const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

class Refused extends Error {} // the server understood and said no: trying again does not help

let underWay = 0;
window.addEventListener("beforeunload", (event) => { if (underWay) event.preventDefault(); });

function size(bytes) {
  const units = ["bytes", "kB", "MB", "GB"];
  let unit = 0;
  while (bytes >= 1000 && unit < units.length - 1) { bytes /= 1000; unit += 1; }
  return `${bytes.toFixed(unit && bytes < 100 ? 1 : 0)} ${units[unit]}`;
}

// One file's line on the page.
class Line {
  constructor(file) {
    this.row = document.getElementById("transfer").content.firstElementChild.cloneNode(true);
    this.bar = this.row.querySelector("[data-bar]");
    this.text = this.row.querySelector("[data-text]");
    this.cancel = this.row.querySelector("[data-cancel]");
    this.name = this.row.querySelector("[data-name]");
    this.bar.id = `transfer-${list.children.length}`;
    this.name.htmlFor = this.bar.id;
    this.name.textContent = file.name;
    this.bar.max = file.size || 1;
    this.bar.value = 0;
    list.append(this.row);
    transfers.hidden = false;
  }

  say(text) { this.text.textContent = text; }

  moved(received, total) {
    this.bar.value = received;
    this.say(`${size(received)} of ${size(total)}`);
  }

  // A bar that is full says that all is well; where it is not, none is left.
  failed(text, url) {
    this.bar.remove();
    this.ended(text, url);
  }

  ended(text, url) {
    this.say(text);
    this.cancel?.remove();
    if (!url) return;
    const link = document.createElement("a");
    link.href = url;
    link.textContent = this.name.textContent;
    this.name.replaceChildren(link);
  }
}

// One file on its way. `signal` ends it.
class Transfer {
  constructor(file, token) {
    this.file = file;
    this.token = token;
    this.line = new Line(file);
    this.stop = new AbortController();
    this.line.cancel?.addEventListener("click", () => this.abandon());
  }

  async ask(url, options = {}) {
    const headers = { "X-CSRFToken": this.token, "X-Requested-With": "fetch" };
    const signal = AbortSignal.any ? AbortSignal.any([this.stop.signal, AbortSignal.timeout(STALLED)]) : this.stop.signal;
    const reply = await fetch(url, { credentials: "same-origin", signal, headers, ...options });
    if (reply.redirected) throw new Refused("You are signed out. Sign in again in another window, then choose the file again.");
    if (reply.status >= 500 || reply.status === 429) throw new Error(reply.statusText);
    const answer = await reply.json().catch(() => ({ error: `The server refused it (${reply.status}).` }));
    if (reply.ok) return answer;
    if (reply.status === 409 && "received" in answer) return answer; // out of step: go on from there
    throw new Refused(answer.error);
  }

  // Try until it works, ever more slowly; whoever refuses or cancels ends it.
  async insist(attempt) {
    for (let failures = 0; ; failures += 1) {
      try {
        return await attempt(failures);
      } catch (error) {
        if (error instanceof Refused || this.stop.signal.aborted) throw error;
        this.line.say("Connection lost. Trying again…");
        await pause(Math.min(LONGEST_WAIT, 500 * 2 ** failures));
      }
    }
  }

  async begin(url, fields) {
    const body = new URLSearchParams({ ...fields, filename: this.file.name, size: String(this.file.size) });
    const upload = await this.insist(() => this.ask(url, { method: "POST", body }));
    this.url = upload.url;
    return upload;
  }

  async send({ received, chunk_bytes: chunk = 4194304 }) {
    let finished = false;
    while (!finished) {
      this.line.moved(received, this.file.size);
      if (received < this.file.size) {
        const from = received; // after a failure only the server knows how much of the chunk has come
        ({ received } = await this.insist((failures) => (failures ? this.ask(`${this.url}state/`) : this.put(from, chunk))));
      } else {
        const answer = await this.insist(() => this.ask(`${this.url}finish/`, { method: "POST" }));
        finished = "state" in answer;
        ({ received } = answer);
      }
    }
  }

  put(from, length) {
    const headers = { "X-CSRFToken": this.token, "Content-Type": "application/octet-stream" };
    return this.ask(`${this.url}chunk/?offset=${from}`, { method: "PUT", body: this.file.slice(from, from + length), headers });
  }

  async watch() {
    for (;;) {
      const upload = await this.insist(() => this.ask(`${this.url}state/`));
      if (upload.state === "done" || upload.state === "failed") return upload;
      this.line.bar.removeAttribute("value");
      this.line.say(upload.lines_read ? `${upload.label}: ${upload.lines_read.toLocaleString("en-GB")} lines read` : upload.label);
      await pause(POLL);
    }
  }

  async abandon() {
    this.stop.abort();
    this.line.failed("Cancelled");
    if (this.url) await fetch(`${this.url}cancel/`, { method: "POST", headers: { "X-CSRFToken": this.token }, credentials: "same-origin", redirect: "manual", keepalive: true });
  }

  // The state in which the file ended: "done", "failed", or "refused" where it never came that far.
  async run(begun) {
    underWay += 1;
    try {
      await this.send(await begun());
      const upload = await this.watch();
      this.line.bar.value = this.line.bar.max;
      if (upload.state === "done") this.line.ended("Imported", upload.url);
      else this.line.failed(`Not imported: ${upload.problems} problem${upload.problems === 1 ? "" : "s"}`, upload.url);
      return upload.state;
    } catch (error) {
      if (!this.stop.signal.aborted) this.line.failed(error.message);
      return "refused";
    } finally {
      underWay -= 1;
    }
  }
}

// What the form says of every file: its fields without the files.
function fieldsOf(form) {
  const entries = [...new FormData(form)].filter(([name, value]) => typeof value === "string" && name !== "csrfmiddlewaretoken");
  return { ...Object.fromEntries(entries), kind: form.dataset.kind };
}

async function sendAll(form) {
  const files = [...form.elements.file.files];
  const fields = fieldsOf(form);
  const token = form.elements.csrfmiddlewaretoken.value;
  const ends = { done: 0, failed: 0, refused: 0 };
  const waiting = files.map((file) => new Transfer(file, token));
  const total = waiting.length;
  let last;
  const next = async () => {
    while (waiting.length) {
      last = waiting.shift();
      const transfer = last;
      ends[await transfer.run(() => transfer.begin(form.dataset.begin, fields))] += 1;
    }
  };
  summary.textContent = "";
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  if (total === 1 && last.url && !last.stop.signal.aborted && !ends.refused) location.assign(last.url);
  else conclude(ends, form.dataset.back);
}

function conclude(ends, back) {
  const parts = [[ends.done, "imported"], [ends.failed, "not imported"], [ends.refused, "not sent"]];
  const said = parts.filter(([count]) => count).map(([count, what]) => `${count} ${what}`).join(", ");
  const link = document.createElement("a");
  link.href = back;
  link.textContent = "To the collection";
  summary.replaceChildren(`${said}. `, link);
}

const form = document.querySelector("form[data-upload]");
form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { name, file } = form.elements;
  if (name?.value.trim() && file.files.length > 1) {
    summary.textContent = "Two files cannot have one name. Leave it empty: each is called after its file.";
    transfers.hidden = false;
    return;
  }
  const button = event.submitter ?? form.querySelector("button.primary");
  button.disabled = true;
  try {
    await sendAll(form);
  } finally {
    button.disabled = false;
    file.value = "";
  }
});

const again = document.querySelector("form[data-resume]");
again?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const file = again.querySelector("input[type=file]").files[0];
  transfers.hidden = false;
  if (file.name !== again.dataset.filename || String(file.size) !== again.dataset.size) {
    summary.textContent = `That is another file: expected ${again.dataset.filename} with ${Number(again.dataset.size).toLocaleString("en-GB")} bytes.`;
    return;
  }
  const transfer = new Transfer(file, again.elements.csrfmiddlewaretoken.value);
  transfer.url = again.dataset.url;
  await transfer.run(() => transfer.insist(() => transfer.ask(`${transfer.url}state/`)));
  location.assign(transfer.url);
});
