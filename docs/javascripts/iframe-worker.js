// A browser gives no Worker to a page that was opened from disk, and the search runs in one: here an invisible frame stands in for it.
if (location.protocol === "file:") {
  class IFrameWorker extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      const inside = frame.contentWindow
      inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      inside.importScripts = (...urls) => urls.reduce((before, each) => before.then(() => load(inside.document, each)), Promise.resolve())
      this.ready = load(inside.document, url).then(() => inside)
    }

    postMessage(data) {
      this.ready.then(inside => inside.dispatchEvent(new MessageEvent("message", { data })))
    }
  }

  const load = (page, url) =>
    new Promise((done, failed) => {
      const script = page.createElement("script")
      script.src = new URL(url, location.href).href
      script.onload = done
      script.onerror = failed
      page.head.append(script)
    })

  window.IFrameWorker = window.Worker = IFrameWorker
}
