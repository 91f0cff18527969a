"use strict";
// Keeps the page up to date: the server sends the parts that have changed as HTML. Without this
// script the page is the same, until it is reloaded.

(() => {
  const body = document.body;
  const status = document.getElementById("connection");
  let source = null;

  // Changes `old` into `fresh` in place, so that focus, scroll position, selected text, open
  // folds and what is typed into fields stay.
  function morph(old, fresh) {
    if (old.nodeType !== Node.ELEMENT_NODE) {
      if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
      return;
    }
    // The server says when a clock began, this page what it shows.
    if (old.dataset.since !== undefined && old.dataset.since === fresh.dataset.since) return;
    morphAttributes(old, fresh);
    morphChildren(old, fresh);
  }

  function morphAttributes(old, fresh) {
    const isKept = (name) =>
      (name === "open" && old.nodeName === "DETAILS") ||
      (old.nodeName === "INPUT" && old.type !== "hidden" && (name === "value" || name === "checked"));
    for (const { name } of [...old.attributes]) {
      if (!fresh.hasAttribute(name) && !isKept(name)) old.removeAttribute(name);
    }
    for (const { name, value } of fresh.attributes) {
      if (old.getAttribute(name) !== value && !isKept(name)) old.setAttribute(name, value);
    }
  }

  // What an element is, whatever it shows: its first class does not change.
  function describe(node) {
    if (node.nodeType !== Node.ELEMENT_NODE) return node.nodeName;
    return [node.nodeName, node.id, node.classList[0] || ""].join(" ");
  }

  // The child of the old element that becomes this one: at its place, or an element further on.
  function findMatch(child, position) {
    const wanted = describe(child);
    if (position && describe(position) === wanted) return position;
    if (child.nodeType !== Node.ELEMENT_NODE || !position) return null;
    let next = position.nextSibling;
    while (next && describe(next) !== wanted) next = next.nextSibling;
    return next;
  }

  // Brings a child forward to this position. An element that is moved loses the focus in some
  // browsers, so the text before it is removed instead where that is enough.
  function advance(old, match, position) {
    while (position !== match && position.nodeType !== Node.ELEMENT_NODE) {
      const next = position.nextSibling;
      position.remove();
      position = next;
    }
    if (position === match) return match.nextSibling;
    if (old.moveBefore) old.moveBefore(match, position);
    else old.insertBefore(match, position);
    return position;
  }

  function morphChildren(old, fresh) {
    const children = [...fresh.childNodes];
    const wanted = new Set(children.map(describe));
    for (const child of [...old.children]) {
      if (!wanted.has(describe(child))) child.remove();
    }
    let position = old.firstChild;
    for (const child of children) {
      const match = findMatch(child, position);
      if (!match) {
        old.insertBefore(child, position);
        continue;
      }
      position = advance(old, match, position);
      morph(match, child);
    }
    while (position) {
      const next = position.nextSibling;
      position.remove();
      position = next;
    }
  }

  function showPart({ part, html }) {
    if (part === "title") {
      document.title = html;
      return;
    }
    const place = document.getElementById(part);
    if (!place) return;
    const fresh = place.cloneNode(false);
    fresh.innerHTML = html;
    morph(place, fresh);
    showTimes();
  }

  function format(seconds) {
    if (seconds < 100) return `${Math.round(seconds)} s`;
    if (seconds < 6000) return `${Math.round(seconds / 60)} min`;
    return seconds < 360000 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86400)} days`;
  }

  function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
  }

  function showTimes() {
    const now = Date.now() / 1000;
    for (const element of document.querySelectorAll("[data-since]")) {
      const seconds = Math.max(0, now - Number(element.dataset.since));
      if (element.nodeName === "PROGRESS") {
        element.value = Math.min(seconds, element.max);
        continue;
      }
      const expected = Number(element.dataset.expected || 0);
      const estimate = expected > seconds ? ` of about ${format(expected)}` : "";
      setText(element, format(seconds) + estimate);
    }
    for (const element of document.querySelectorAll("[data-ago]")) {
      if (!element.title) element.title = element.textContent;
      const seconds = Math.max(0, now - Date.parse(element.dateTime) / 1000);
      setText(element, seconds < 5 ? "now" : `${format(seconds)} ago`);
    }
  }

  function setStatus(name, text) {
    status.className = `connection ${name}`;
    setText(status, text);
  }

  function connect() {
    if (source || document.hidden) return;
    source = new EventSource(body.dataset.events + location.search);
    source.addEventListener("open", () => setStatus("on", "live"));
    source.addEventListener("part", (event) => showPart(JSON.parse(event.data)));
    source.addEventListener("gone", (event) => {
      source.close();
      setStatus("off", JSON.parse(event.data).text);
    });
    source.addEventListener("error", () => {
      const isClosed = source.readyState === EventSource.CLOSED;
      setStatus(
        isClosed ? "off" : "waiting",
        isClosed ? "the server was started anew: open its new link" : "the server does not answer",
      );
    });
  }

  // A browser keeps only a few connections to one server: hidden pages give theirs back.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden && source) {
      source.close();
      source = null;
    }
    connect();
  });
  document.addEventListener("submit", (event) => {
    // A verb may take a moment; it must not be sent twice.
    if (event.target.method === "post") {
      setTimeout(() => event.target.querySelectorAll("button").forEach((button) => (button.disabled = true)));
    }
  });

  window.addEventListener("pageshow", () => {
    document.querySelectorAll("button").forEach((button) => (button.disabled = false));
  });

  localStorage.setItem("untildone-folder", location.pathname.slice(0, location.pathname.indexOf("/", 1)));
  showTimes();
  setInterval(showTimes, 1000);
  if (body.dataset.events) connect();
})();
