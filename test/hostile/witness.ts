import type { Page } from 'playwright-core'

/** What a page did that only hostile text could have made it do. Looked at last, it has to be empty. */
export interface Witness {
  readonly seen: readonly string[]
  /** Looks over everything that is in the page now. `where` names the screen. */
  look(where: string): Promise<void>
}

/**
 * Watches a page from before its first script on: dialogs, requests to elsewhere, navigations, windows, frames, scripts that run
 * and attempts that the content policy refused. `own` is the origin of the page.
 */
export async function watchFor(page: Page, own: string): Promise<Witness> {
  const seen = new Set<string>()
  await page.exposeFunction('tellWitness', (what: string) => void seen.add(what))
  await page.addInitScript(() => {
    const tell = (what: string) => void (globalThis as unknown as { tellWitness(what: string): void }).tellWitness(what)
    document.addEventListener('securitypolicyviolation', (event) =>
      tell(`policy: ${event.violatedDirective} ${event.blockedURI}`),
    )
    for (const name of ['open', 'print'] as const) {
      Object.defineProperty(globalThis, name, { value: () => tell(`${name} was called`) })
    }
  })
  page.on('dialog', (dialog) => {
    seen.add(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${own}/`) && !url.startsWith(`blob:${own}/`)) seen.add(`request: ${url.slice(0, 200)}`)
  })
  page.on('framenavigated', (frame) => {
    if (!frame.url().startsWith(`${own}/`)) seen.add(`navigation: ${frame.url().slice(0, 200)}`)
  })
  page.on('frameattached', (frame) => seen.add(`frame: ${frame.name()}`))
  page.on('popup', (popup) => seen.add(`window: ${popup.url()}`))
  page.on('download', (download) => seen.add(`download: ${download.suggestedFilename()}`))
  page.on('console', (message) => {
    if (message.type() === 'error') seen.add(`console: ${message.text().slice(0, 300)}`)
  })
  page.on('pageerror', (error) => seen.add(`error: ${error.message.slice(0, 300)}`))
  return {
    get seen() {
      return [...seen].sort()
    },
    async look(where) {
      for (const what of await page.evaluate(aliveInPage)) seen.add(`${where}: ${what}`)
    },
  }
}

/** Runs in the page: elements that its own code never makes, and text that turns the direction of what stands beside it. */
function aliveInPage(): string[] {
  const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/
  const found = new Set<string>()
  const named = (element: Element) => `${element.localName}.${element.getAttribute('class') ?? ''}`
  const isolates = (element: Element) => {
    const { display, unicodeBidi } = getComputedStyle(element)
    return !display.startsWith('inline') || display === 'inline-block' || /isolate|plaintext/.test(unicodeBidi)
  }
  const odd =
    '#root script, img, iframe, frame, object, embed, base, meta[http-equiv], style, video, audio, source, math, marquee, plaintext, #root noscript, template, form[action], body link, area, applet'
  for (const element of document.querySelectorAll(odd)) found.add(`an element ${named(element)}`)
  for (const element of document.querySelectorAll('*')) {
    for (const { name, value } of element.attributes) {
      if (name.startsWith('on')) found.add(`${named(element)} has ${name}`)
      if (['href', 'src', 'action', 'formaction', 'xlink:href', 'srcdoc'].includes(name)) {
        const isOwn = element.closest('head') !== null || value.startsWith('#')
        if (!isOwn) found.add(`${named(element)} leads to ${value.slice(0, 100)}`)
      }
      if ((name === 'title' || name === 'placeholder') && TURNING.test(value)) {
        found.add(`${name} of ${named(element)} turns direction`)
      }
    }
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const text = node.nodeValue ?? ''
    const parent = node.parentElement
    if (parent === null || parent.localName === 'textarea' || !TURNING.test(text)) continue
    let box = parent
    while (box.parentElement !== null && !isolates(box)) box = box.parentElement
    // What stands beside it in the same element is turned with it.
    if (box !== parent || box.childNodes.length > 1) found.add(`text in ${named(parent)} turns what is beside it`)
  }
  return [...found]
}
