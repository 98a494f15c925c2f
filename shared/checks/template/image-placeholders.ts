import { count } from '../../model/number-text.ts'
import type { Span } from '../../model/tokens.ts'
import type { TokenTable } from '../../tokens/tokenizer.ts'
import type { Check, TrajectoryView } from '../check.ts'
import { firstHigh } from '../oracles/high-ids.ts'
import { specialIds } from '../oracles/special-ids.ts'

export const T19: Check = {
  code: 'T19',
  name: 'image-placeholders',
  title: 'Image placeholders do not fit the images',
  hypotheses: [],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'images in a row',
  why: 'Each placeholder takes one image feature: a count that is off stops the forward pass, or shifts every feature after it.',
  fix: 'Cut rows only between images, and expand the placeholders of an image once.',
  cite: 'prime-rl#1739, prime-rl#2013, TRL#5785, verl#3469',
  trajectory(view, _settings, report) {
    const images = imagesOf(view)
    if (images === null) return
    const grids = declaredCounts(view.trajectory.meta)
    // Videos have grids of another name, one for all frames of each.
    const pictures = images.filter(({ isVideo }) => !isVideo)
    const isEachDue = grids !== null && grids.length === pictures.length
    const problems: { span: Span; message: string }[] = []
    for (const image of images) {
      // Without a grid for every image nothing tells which is whose.
      const due = isEachDue && !image.isVideo ? (grids[pictures.indexOf(image)] as number) : null
      const message = problemOf(image, due)
      report.place(message !== null, message === null && due === null ? { boundary: MARKERS_ALONE } : {})
      if (message !== null) problems.push({ span: image, message })
    }
    if (grids !== null && !isEachDue && problems.length === 0) {
      const span = { start: images[0]!.start, end: images.at(-1)!.end }
      problems.push({
        span,
        message: `The row has ${pictures.length} images in its ids and ${grids.length} image grids`,
      })
      report.place(true)
    }
    const first = problems[0]
    if (first === undefined) return
    report.fault({
      scope: 'trajectory',
      tokens: first.span,
      affected: problems.map(({ span }) => span),
      message: problems.length === 1 ? first.message : `${first.message} (and ${problems.length - 1} more images)`,
      evidence: { placeholders: images.slice(0, 32).map(({ placeholders }) => placeholders), declared: grids },
    })
  },
  unproved: ({ byBoundary, placesChecked }) =>
    byBoundary[MARKERS_ALONE]?.checked === placesChecked
      ? 'the markers around the images pair up, and nothing in the dump (image_grid_thw) tells how many placeholders each of them takes'
      : null,
}

/** The edge at which a place stands of which only the markers could be looked at. */
const MARKERS_ALONE = 'image>text'

interface Image extends Span {
  readonly placeholders: number
  readonly isVideo: boolean
  readonly opened: boolean
  readonly closed: boolean
}

/** Runs of placeholders with the markers around them; null in a row without any. */
function imagesOf({ ids, tokenizer }: TrajectoryView): Image[] | null {
  if (tokenizer === null) return null
  const known = imageIds(tokenizer.table)
  // A closing marker alone is left of a cut, and takes no feature.
  if (known === null || !holdsAny(ids, known)) return null
  const { open, close, pads, video } = known
  const marks = [open, close, ...pads]
  const images: Image[] = []
  for (let i = 0; i < ids.length; i++) {
    if (!marks.includes(ids[i] as number)) continue
    const opened = ids[i] === open
    let at = opened ? i + 1 : i
    const from = at
    while (at < ids.length && pads.includes(ids[at] as number)) at++
    const closed = ids[at] === close
    const end = closed ? at + 1 : at
    images.push({ start: i, end, placeholders: at - from, isVideo: at > from && ids[from] === video, opened, closed })
    i = end - 1
  }
  return images
}

interface ImageIds {
  readonly open: number
  readonly close: number
  readonly pads: readonly number[]
  /** Of `pads`, that of videos; absent where the vocabulary has none. */
  readonly video: number | undefined
  /** All but `close`. */
  readonly wanted: readonly number[]
  readonly lowest: number
}

const found = new WeakMap<TokenTable, ImageIds | null>()

function imageIds(table: TokenTable): ImageIds | null {
  let ids = found.get(table)
  if (ids === undefined) found.set(table, (ids = findImageIds(table)))
  return ids
}

function findImageIds(table: TokenTable): ImageIds | null {
  const special = specialIds(table)
  const open = special.get('<|vision_start|>')
  const close = special.get('<|vision_end|>')
  const video = special.get('<|video_pad|>')
  const pads = [special.get('<|image_pad|>'), video].filter((id) => id !== undefined)
  if (open === undefined || close === undefined || pads.length === 0) return null
  const wanted = [open, ...pads]
  return { open, close, pads, video, wanted, lowest: Math.min(...wanted) }
}

/** The lowest id for which `firstHigh` is asked in this vocabulary; null where images have none. */
export function lowestImageId(table: TokenTable): number | null {
  return imageIds(table)?.lowest ?? null
}

/** Whether one of the wanted ids stands in a row. Hardly any id of a text is as high as theirs. */
function holdsAny(ids: Int32Array, { wanted, lowest }: ImageIds): boolean {
  for (let at = firstHigh(ids, lowest, lowest, 0); at < ids.length; at = firstHigh(ids, lowest, lowest, at + 1)) {
    if (wanted.includes(ids[at] as number)) return true
  }
  return false
}

function problemOf({ start, placeholders, opened, closed }: Image, due: number | null): string | null {
  if (!opened)
    return `The image at token ${count(start)} has no start marker before its ${count(placeholders)} placeholders`
  if (!closed)
    return `The image that begins at token ${count(start)} has no end marker after its ${count(placeholders)} placeholders`
  if (placeholders === 0) return `The markers at token ${count(start)} hold no placeholder`
  return due !== null && due !== placeholders
    ? `The image at token ${count(start)} has ${count(placeholders)} placeholders, its grid makes ${count(due)}`
    : null
}

/** Patches along each side that one placeholder stands for, in the Qwen-VL families. */
const MERGED_PATCHES = 2

/** Placeholders that the declared grids (time, height, width in patches) make, one number for each image; null without them. */
function declaredCounts(meta: Readonly<Record<string, unknown>>): number[] | null {
  const grids = meta.image_grid_thw
  if (!Array.isArray(grids) || grids.length === 0) return null
  const counts = grids.map((grid) => {
    // Tensors are read into typed arrays.
    const sides = Array.isArray(grid) || ArrayBuffer.isView(grid) ? Array.from(grid as ArrayLike<unknown>) : []
    if (sides.length !== 3 || !sides.every((side) => Number.isInteger(side))) return Number.NaN
    return (sides as number[]).reduce((product, side) => product * side, 1) / MERGED_PATCHES ** 2
  })
  return counts.every((count) => Number.isInteger(count)) ? counts : null
}
