import { portableName } from '../../shared/exports/file-names.ts'
import { sentenceOf } from '../engine/client.ts'
import { addProblem, useFiles } from '../state/files.ts'
import { rolloutOnScreen } from '../state/selection.ts'
import { during } from '../state/under-way.ts'
import { say, useView } from '../state/view.ts'
import { runStem } from '../text/run-name.ts'
import { knownDetail } from './details.ts'
import { saveFile } from './exporting.ts'

/** While it stands on the page, scroll bars and what is said in passing are not drawn (base.css). */
const PICTURED = 'pictured'
const LONGEST_NAME = 120

/** Saves what the window shows as a PNG, in the pixels of the display. What would have to be scrolled to is not in it: printing has all of a view. */
export async function savePicture(): Promise<void> {
  try {
    const bytes = await takePicture()
    if (bytes === null) {
      say('Stopped: no picture was saved')
      return
    }
    if (bytes.length === 0) throw new Error('the window shows nothing; bring it to the front and try again')
    // Made before it is asked where to: of what was on screen when it was asked for.
    await saveFile(pictureName(), () => ({ what: 'What is on screen was', content: bytes }))
  } catch (error) {
    addProblem(`What is on screen could not be drawn as a picture (${sentenceOf(error)}). Print it instead.`)
  }
}

/** Null where a person stopped it. */
async function takePicture(): Promise<Uint8Array | null> {
  const page = document.documentElement
  page.classList.add(PICTURED)
  try {
    // What the command was given from is closed and drawn away first, and then the page without what is not in the picture.
    await drawn()
    await drawn()
    if (window.inspector !== undefined) return await window.inspector.picture()
    const stopping = new AbortController()
    return await during(
      'Drawing what the window shows',
      async () => {
        await drawn()
        return drawPage(stopping.signal)
      },
      { stop: () => stopping.abort(), isAtOnce: true },
    )
  } finally {
    page.classList.remove(PICTURED)
  }
}

/**
 * A page cannot take its own picture; this one is drawn anew from what its elements look like, a frame's worth of them at a time. Meanwhile the page stays as
 * it is: what changed in it would be half in the picture.
 */
async function drawPage(signal: AbortSignal): Promise<Uint8Array | null> {
  const root = document.getElementById('root')
  if (root === null) return new Uint8Array(0)
  const focused = document.activeElement
  root.inert = true
  try {
    const stopped = new Promise<null>((resolve) =>
      signal.addEventListener('abort', () => resolve(null), { once: true }),
    )
    return await Promise.race([stopped, drawRoot(root, signal)])
  } finally {
    root.inert = false
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  }
}

async function drawRoot(root: HTMLElement, signal: AbortSignal): Promise<Uint8Array | null> {
  const { snapdom } = await import('@zumer/snapdom')
  if (signal.aborted) return null
  const { backgroundColor } = getComputedStyle(document.body)
  const blob = await snapdom.toBlob(root, {
    type: 'png',
    embedFonts: false,
    backgroundColor,
    invalidate: true,
    fast: false,
    // Once it is stopped there is nothing more to draw.
    filter: () => !signal.aborted,
  })
  return signal.aborted ? null : new Uint8Array(await blob.arrayBuffer())
}

/** `step_12-rollout-q601-0.png` */
function pictureName(): string {
  const { view } = useView.getState()
  const { sources } = useFiles.getState()
  const rollout = view === 'rollout' ? knownDetail(rolloutOnScreen())?.facts.id : undefined
  const name = [runStem(sources), view, rollout].filter(Boolean).join('-')
  return `${portableName(name.replace(/[^\p{L}\p{N}._-]+/gu, '_'), LONGEST_NAME) || view}.png`
}

function drawn(): Promise<void> {
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))
}
