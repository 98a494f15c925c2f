/** The names by which page and stand-in reach each other; hidden from the page's code before it runs. */
export const INVOKE = '__electronInvoke'
export const DELIVER = '__electronDeliver'

/** A script that runs the built preload, unchanged, before the page, in the top frame only. */
export function preloadScript(source: string): string {
  return `(() => {
  const invoke = window.${INVOKE}
  delete window.${INVOKE}
  if (window !== window.top) return
  const listeners = new Map()
  const of = (channel) => listeners.get(channel) ?? listeners.set(channel, new Set()).get(channel)
  Object.defineProperty(window, '${DELIVER}', {
    enumerable: false,
    value: (channel, value) => { for (const listener of of(channel)) listener({}, value) },
  })
  const electron = {
    contextBridge: {
      exposeInMainWorld: (name, value) => Object.defineProperty(window, name, { value: Object.freeze(value), enumerable: true }),
    },
    ipcRenderer: {
      invoke: (channel, ...input) => invoke(channel, input),
      on: (channel, listener) => of(channel).add(listener),
      off: (channel, listener) => of(channel).delete(listener),
    },
    // A file made by a script is not on disk, and Electron gives it no path.
    webUtils: { getPathForFile: () => '' },
  }
  const require = (name) => {
    if (name !== 'electron') throw new Error('A sandboxed preload cannot require ' + name)
    return electron
  }
  const exports = {}
  const module = { exports }
  ;(function (require, module, exports) {
${source}
  })(require, module, exports)
})()`
}
