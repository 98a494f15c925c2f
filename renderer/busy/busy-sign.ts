/** What the page tells the thread that draws the sign. `busy` begins its wait anew; `free` takes the sign away. */
export type BusyMessage =
  | { readonly kind: 'sign'; readonly canvas: OffscreenCanvas }
  | { readonly kind: 'dress'; readonly colour: string; readonly isStill: boolean }
  | { readonly kind: 'busy' | 'free' }

/** What a person does that the page answers. */
const DEEDS = ['keydown', 'pointerup', 'click', 'input', 'change', 'drop'] as const
/** Pixels of what is drawn on; stretched over the width of the page. */
const SIZE = { width: 512, height: 1 }
/** What the colour and the moving of the sign depend on. */
const DRESSES = ['(prefers-color-scheme: dark)', '(prefers-contrast: more)', '(prefers-reduced-motion: reduce)']

/** Null where no sign is kept: before the page has one, and where it cannot have one. */
let tell: ((message: BusyMessage) => void) | null = null
let isWatching = false

/**
 * Keeps a line at the top of the page that tells, after 200 ms, that the page is still at what a person asked of it. The page's own thread draws
 * screens and can draw no sign meanwhile, so another one does. To be called once.
 */
export function keepBusySign(): void {
  const canvas = document.createElement('canvas')
  if (!('transferControlToOffscreen' in canvas)) return
  Object.assign(canvas, SIZE)
  canvas.className = 'busy-sign'
  canvas.setAttribute('aria-hidden', 'true')
  document.body.append(canvas)
  const worker = new Worker(new URL('./busy-sign-worker.ts', import.meta.url), { type: 'module' })
  // Without its thread the page works as well.
  worker.addEventListener('error', (event) => event.preventDefault())
  const post = (message: BusyMessage) => worker.postMessage(message)
  tell = post
  const drawn = canvas.transferControlToOffscreen()
  worker.postMessage({ kind: 'sign', canvas: drawn } satisfies BusyMessage, [drawn])
  const dress = () =>
    post({
      kind: 'dress',
      colour: getComputedStyle(canvas).color,
      isStill: matchMedia('(prefers-reduced-motion: reduce)').matches,
    })
  dress()
  for (const query of DRESSES) matchMedia(query).addEventListener('change', dress)
  for (const deed of DEEDS) addEventListener(deed, beginBusy, { capture: true, passive: true })
}

/** From here on the page may be held up: until it draws again and has nothing left to do. */
export function beginBusy(): void {
  const post = tell
  if (post === null || isWatching) return
  isWatching = true
  post({ kind: 'busy' })
  let isIdle = false
  requestIdleCallback(() => {
    isIdle = true
  })
  const look = () =>
    afterFrame(() => {
      isWatching = !isIdle
      post({ kind: isIdle ? 'free' : 'busy' })
      if (!isIdle) look()
    })
  look()
}

/** Once the next frame is drawn. */
function afterFrame(then: () => void): void {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    port1.close()
    then()
  }
  requestAnimationFrame(() => port2.postMessage(null))
}
