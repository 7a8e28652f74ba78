/* Search in pages that are opened as files. Browsers start no worker from a file, so a hidden frame runs the worker's
   script in its place: the parts of a worker that the search uses, and no more. Pages from a server keep the real one. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = (this.inside = frame.contentWindow);
      const own = new URL(url, location);
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const load = (address) =>
        new Promise((loaded, failed) => {
          const script = inside.document.createElement("script");
          Object.assign(script, { src: new URL(address, own), onload: loaded, onerror: failed });
          inside.document.body.append(script);
        });
      inside.importScripts = (...addresses) => Promise.all(addresses.map(load));
      this.ready = load(own);
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
