/** As a text: a bundler would put names into it that the page does not know. Answers to a question that is held wait until they are let go, and so does what is told under 'progress'. */
export const HOLDING = `(() => {
  const asked = new Map()
  const held = []
  let names = []
  const Own = window.Worker
  window.Worker = class extends Own {
    postMessage(message, ...rest) {
      if (message.kind === 'call') asked.set(message.call, message.name)
      super.postMessage(message, ...rest)
    }
    addEventListener(type, listener, ...rest) {
      const hear = (event) => {
        const { kind, call } = event.data ?? {}
        const name = kind === 'answer' ? asked.get(call) : kind
        if (names.includes(name)) held.push(() => listener(event))
        else listener(event)
      }
      super.addEventListener(type, type === 'message' ? hear : listener, ...rest)
    }
  }
  window.hold = (...questions) => { names = questions }
  window.letGo = () => {
    names = []
    for (const tell of held.splice(0)) tell()
  }
  window.told = []
  new MutationObserver(() => {
    for (const { textContent: words } of document.querySelectorAll('.under-way'))
      if (!window.told.includes(words)) window.told.push(words)
  }).observe(document, { subtree: true, childList: true, characterData: true })
})()`

/** As a text, after `HOLDING`: the engine's own judging is done before anybody can stop it in a run of this size, so its answer to that says it is not. */
export const LEFT_PARTLY_JUDGED = `(() => {
  const Own = window.Worker
  window.Worker = class extends Own {
    constructor(...all) {
      super(...all)
      const post = this.postMessage.bind(this)
      let stopping = null
      this.postMessage = (message, ...rest) => {
        if (message.name === 'stopJudging') stopping = message.call
        post(message, ...rest)
      }
      Own.prototype.addEventListener.call(this, 'message', ({ data }) => {
        if (data.kind === 'answer' && data.call === stopping) data.output.isWhole = false
      })
    }
  }
})()`
