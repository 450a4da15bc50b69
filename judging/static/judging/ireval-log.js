// Sends a site's queries and events to ireval; docs/how-to/search-page.md says how to use it. Free under the Apache License 2.0.
// What is not known to have arrived stays in the browser's storage and is sent again: the server counts it once.
(() => {
  const script = document.currentScript, { key, url, application } = script.dataset;
  const unwanted = navigator.globalPrivacyControl || navigator.doNotTrack === "1";
  if (window.ireval) return;

  const address = `${(url || new URL(script.src).origin).replace(/\/$/, "")}/api/v1/log/?key=${encodeURIComponent(key)}`;
  const MOST = 500, BATCH = 50, EVERY = 2000, VISIT = 18e5, SIGN_OF_LIFE = 3e4, WITH_A_BEACON = 2e4;
  const random = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const name = (what) => `ireval:${key}:${what}`;
  const mine = name(`buffer:${random()}`);
  const memory = {};  // where storage is forbidden or full
  let waiting = [], sending = 0, failures = 0, timer = 0, lastQuery;

  function get(item) {
    try { return localStorage.getItem(item) ?? memory[item]; } catch { return memory[item]; }
  }
  function set(item, value) {
    memory[item] = value;
    try { value ? localStorage.setItem(item, value) : localStorage.removeItem(item); } catch {}
    return value;
  }
  function session() {
    const [id, until] = (get(name("session")) || "").split(" ");
    const now = Date.now(), current = now < until ? id : random();
    set(name("session"), `${current} ${now + VISIT}`);
    return current;
  }

  // Each page has a buffer of its own, with its last sign of life; those of pages that are gone are adopted.
  const save = () => set(mine, waiting.length && JSON.stringify([Date.now(), waiting]));
  function adopt() {
    try {
      for (const item of Object.keys(localStorage)) {
        if (!item.startsWith(name("buffer:")) || item === mine) continue;
        const [alive, records] = JSON.parse(get(item));
        if (Date.now() - alive < SIGN_OF_LIFE) continue;
        set(item);
        waiting.unshift(...records);
      }
    } catch {}
  }
  function add(record) {
    if (unwanted) return;
    waiting.push({
      application: application || location.hostname,
      client_id: get(name("client")) || set(name("client"), random()),
      session_id: session(),
      timestamp: new Date().toISOString(),
      ...record,
    });
    // The oldest go, but for what is on its way.
    ireval.dropped += waiting.splice(sending, Math.max(0, waiting.length - MOST)).length;
    save();
    if (sending) return;
    if (waiting.length < BATCH || failures) later(EVERY);
    else send();
  }
  function later(wait) {
    timer ||= setTimeout(() => { timer = 0; send(); }, wait);
  }
  async function send() {
    if (sending || !waiting.length) return;
    sending = Math.min(BATCH, waiting.length);
    save();
    const body = JSON.stringify(waiting.slice(0, sending));
    let arrived = false;
    try {
      const keepalive = body.length < WITH_A_BEACON;  // browsers refuse to keep more alive
      const { status } = await fetch(address, { method: "POST", body, keepalive, credentials: "omit" });
      arrived = status < 500 && status !== 429;  // what was refused will be refused again
    } catch {}
    if (arrived) waiting.splice(0, sending);
    sending = 0;
    failures = arrived ? 0 : failures + 1;
    save();
    if (waiting.length) later(arrived ? 0 : Math.min(EVERY * 2 ** failures, 6e4) * (0.75 + Math.random() / 2));
  }
  // A beacon does not say whether it arrived, so its records stay in storage as well.
  function leave() {
    save();
    for (let start = 0, body; start < waiting.length; start += BATCH) {
      body = JSON.stringify(waiting.slice(start, start + BATCH));
      if (!navigator.sendBeacon(address, body)) break;
    }
  }

  window.ireval = {
    dropped: 0,
    query(record) {
      lastQuery = record.query_id || random();
      add({ ...record, query_id: lastQuery });
      return lastQuery;
    },
    event(record) {
      add({ query_id: lastQuery, event_id: random(), ...record });
    },
    click(object_id, ordinal, query_id = lastQuery) {
      const position = ordinal == null ? undefined : { ordinal: +ordinal };
      ireval.event({ action_name: "click", query_id, event_attributes: { object: { object_id: `${object_id}` }, position } });
    },
  };
  if (unwanted) return;
  for (const kind of ["click", "auxclick"]) {
    document.addEventListener(kind, ({ target, button }) => {
      const data = target.closest?.("[data-ireval-object]")?.dataset;
      if (data && button < 2) ireval.click(data.irevalObject, data.irevalPosition, data.irevalQuery);
    }, true);
  }
  addEventListener("pagehide", leave);
  document.addEventListener("visibilitychange", () => document.hidden && leave());
  adopt();
  send();
})();
