// Browsers start no worker for a page that was opened from a folder (file:). The search needs one,
// so its script runs in a hidden frame instead, with the same messages.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.onmessage = null;
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => queueMicrotask(() => this.receive(data));
      const script = inside.document.createElement("script");
      script.src = new URL(address, location.href).href;
      script.onload = () => this.deliver();
      inside.document.body.appendChild(script);
    }

    postMessage(data) {
      this.waiting.push(structuredClone(data));
      if (this.loaded) this.deliver();
    }

    deliver() {
      this.loaded = true;
      for (const data of this.waiting.splice(0)) {
        this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
      }
    }

    receive(data) {
      const message = new MessageEvent("message", { data });
      this.dispatchEvent(message);
      if (this.onmessage) this.onmessage(message);
    }

    terminate() {
      this.frame.remove();
    }
  };
}
