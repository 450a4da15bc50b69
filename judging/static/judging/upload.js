// Sends files in chunks as soon as they are chosen or dropped, with progress: a dropped connection goes on where the server says
// it stopped. Without this script the same form sends its files in one go, at the press of a button.

const AT_ONCE = 2; // two files fill the line; more would only make each of them slower
const LONGEST_WAIT = 30000;
const STALLED = 120000; // a chunk that takes longer is sent again

const transfers = document.getElementById("transfers");
const words = transfers.dataset; // in the reader's language
const list = transfers.querySelector("[data-list]");
const summary = transfers.querySelector("[data-summary]");
const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

class Refused extends Error {} // the server understood and said no: trying again does not help
class Fault extends Error {} // the server says what it lacks for a moment

let underWay = 0;
window.addEventListener("beforeunload", (event) => { if (underWay) event.preventDefault(); });

function size(bytes) {
  const units = [words.bytes, "kB", "MB", "GB"];
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
    this.say(words.moved.replace("{received}", size(received)).replace("{size}", size(total)));
  }

  // A bar that is full says that all is well; where it is not, none is left.
  failed(text) {
    this.bar.remove();
    this.row.dataset.failed = "";
    this.ended(text);
  }

  ended(text) {
    this.say(text);
    this.cancel?.remove();
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
    if (reply.redirected) throw new Refused(words.signedOut);
    if (reply.status >= 500 || reply.status === 429) {
      const { error } = await reply.json().catch(() => ({}));
      throw error ? new Fault(error) : new Error(reply.statusText);
    }
    const answer = await reply.json().catch(() => ({ error: words.refused.replace("{status}", reply.status) }));
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
        this.line.say(error instanceof Fault ? `${error.message} ${words.again}` : words.lost);
        await pause(Math.min(LONGEST_WAIT, 500 * 2 ** failures));
      }
    }
  }

  async begin(url) {
    const body = new URLSearchParams({ filename: this.file.name, size: String(this.file.size) });
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

  async put(from, length) {
    const headers = { "X-CSRFToken": this.token, "Content-Type": "application/octet-stream" };
    const body = await this.read(from, length);
    return this.ask(`${this.url}chunk/?offset=${from}`, { method: "PUT", body, headers });
  }

  // Read before it is sent: fetch tells a file that was changed on the disk from a lost connection in no way.
  async read(from, length) {
    try {
      return await this.file.slice(from, from + length).arrayBuffer();
    } catch {
      throw new Refused(words.unreadable);
    }
  }

  async abandon() {
    this.stop.abort();
    this.line.failed(words.cancelled);
    if (this.url) await fetch(`${this.url}cancel/`, { method: "POST", headers: { "X-CSRFToken": this.token }, credentials: "same-origin", redirect: "manual", keepalive: true });
  }

  // Whether the file arrived.
  async run(begun) {
    underWay += 1;
    try {
      await this.send(await begun());
      this.line.bar.value = this.line.bar.max;
      this.line.ended(words.here);
      return true;
    } catch (error) {
      if (!this.stop.signal.aborted) this.line.failed(error.message);
      return false;
    } finally {
      underWay -= 1;
    }
  }
}

async function sendAll(files) {
  const token = form.elements.csrfmiddlewaretoken.value;
  const waiting = files.map((file) => new Transfer(file, token));
  const total = waiting.length;
  let arrived = 0;
  const next = async () => {
    while (waiting.length) {
      const transfer = waiting.shift();
      if (await transfer.run(() => transfer.begin(form.dataset.begin))) arrived += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return { arrived, total };
}

// The page says what the files are, once all are here; where one is not, its line must stay to be read.
async function take(files) {
  if (!files.length) return;
  summary.textContent = "";
  const { arrived, total } = await sendAll([...files]);
  form.elements.file.value = "";
  if (underWay) return; // others were dropped meanwhile
  if (arrived === total && !list.querySelector("[data-failed]")) location.reload();
  else if (arrived) conclude(arrived, total);
}

function conclude(arrived, total) {
  const link = document.createElement("a");
  link.href = location.href;
  link.textContent = words.see;
  summary.replaceChildren(`${words.arrived.replace("{arrived}", arrived).replace("{total}", total)} `, link);
}

const form = document.querySelector("form[data-upload]");
if (form) {
  form.querySelector("[data-by-hand]").hidden = true;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.elements.file.addEventListener("change", () => take(form.elements.file.files));
  for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
    document.addEventListener(kind, (event) => {
      event.preventDefault(); // or the browser leaves the page and opens the file
      form.classList.toggle("over", kind === "dragenter" || kind === "dragover");
      if (kind === "drop") take(event.dataTransfer.files);
    });
  }
}

const again = document.querySelector("form[data-resume]");
again?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const file = again.querySelector("input[type=file]").files[0];
  transfers.hidden = false;
  if (file.name !== again.dataset.filename || String(file.size) !== again.dataset.size) {
    const expected = Number(again.dataset.size).toLocaleString("en-GB");
    summary.textContent = words.other.replace("{name}", again.dataset.filename).replace("{size}", expected);
    return;
  }
  const transfer = new Transfer(file, again.elements.csrfmiddlewaretoken.value);
  transfer.url = again.dataset.url;
  await transfer.run(() => transfer.insist(() => transfer.ask(`${transfer.url}state/`)));
  location.assign(transfer.url);
});
