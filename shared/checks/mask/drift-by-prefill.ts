import type { Check, TrajectoryView } from '../check.ts'
import { LARGEST_LAG } from '../oracles/alignment.ts'
import { hidesEdges, shapeOf } from '../oracles/shape.ts'
import { displaced, lagText, type TurnLag, turnLags } from '../oracles/turn-lag.ts'

export const M07: Check = {
  code: 'M07',
  name: 'drift-by-prefill',
  title: 'Loss mask is displaced by a block of the template',
  hypotheses: ['H02'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'tokenizer'],
  looksAt: 'rollouts with a trained span for each turn, whose template can prefill a block',
  why: 'The mask was built without a block that the template writes, or with one that it does not: it lies off by its length.',
  fix: 'Build the mask from the very ids that are trained, with the same chat template options (enable_thinking).',
  cite: 'Trinity-RFT#316, axolotl#3088, axolotl#3098',
  trajectory(view, _settings, report) {
    const block = blockLength(view)
    if (view.segmentation === null || block === 0 || hidesEdgesOfBlock(view)) return
    const displacement = displacementBy(block, view)
    if (displacement === null) {
      const { length = 0 } = turnLags(view) ?? []
      if (length > 0) report.place(false)
      return
    }
    report.place(true)
    const { lags, lacksEnds } = displacement
    const affected = lags.flatMap(displaced)
    const first = lags[0] as (typeof lags)[number]
    const start = Math.min(first.expected.start, first.found.start)
    report.fault({
      scope: 'trajectory',
      tokens: { start, end: Math.max(first.expected.end, first.found.end) },
      affected,
      message: `The loss mask lies ${lagText(first.lag)}${furthestText(lags)}, the length of the empty think block that the template can write${lacksEnds ? ', and no end token is meant to be trained' : ''}`,
      evidence: {
        block_tokens: block,
        lags: lags.map(({ turn, lag }) => ({ assistant_turn: turn.ordinal, lag })),
        ...(lacksEnds ? { end_tokens_left_out: true } : {}),
        block_in_ids: first.turn.contentStart > first.turn.headerEnd,
      },
    })
  },
}

/** Of a drift that grows with each block: how far off it gets. */
function furthestText(lags: readonly TurnLag[]): string {
  const [first] = lags as [TurnLag, ...TurnLag[]]
  const furthest = lags.reduce((most, each) => (Math.abs(each.lag) > Math.abs(most.lag) ? each : most), first)
  if (furthest.lag === first.lag) return ''
  return ` in assistant turn ${first.turn.ordinal} and ${Math.abs(furthest.lag)} in turn ${furthest.turn.ordinal}, for each block`
}

/** True where the mask as a whole has another shape; where all of it lies further off than by an index, it may be by the block. */
function hidesEdgesOfBlock(view: TrajectoryView): boolean {
  return hidesEdges(view) && Math.abs(shapeOf(view).lag) <= LARGEST_LAG
}

/** Whether the mask as a whole lies off by blocks of the template: its edges are then M07's, and none of them a fault of its own. */
export function isDisplacedByBlock(view: TrajectoryView): boolean {
  const block = blockLength(view)
  return block > 0 && displacementBy(block, view) !== null
}

interface Displacement {
  readonly lags: readonly TurnLag[]
  /** The end token of each turn is left out beside. */
  readonly lacksEnds: boolean
}

/** How the turns lie off by blocks, with their end tokens or all without; null where they do not. */
function displacementBy(block: number, view: TrajectoryView): Displacement | null {
  for (const lacksEnds of [false, true]) {
    const lags = turnLags(view, lacksEnds)
    if (lags !== null && lags.length > 0 && liesOffBy(block, lags)) return { lags, lacksEnds }
  }
  return null
}

/** Each further turn may add a block of its own, and none adds two. */
function liesOffBy(block: number, lags: readonly TurnLag[]): boolean {
  const way = Math.sign(lags[0]?.lag ?? 0)
  return lags.every(
    ({ lag, turn }) =>
      lag !== 0 && lag % block === 0 && Math.sign(lag) === way && Math.abs(lag) <= block * turn.ordinal,
  )
}

/** Tokens of the empty think block: tag, blank line, tag, blank line. 0 where the tags are no ids of their own. */
function blockLength({ tokenizer }: TrajectoryView): number {
  const think = tokenizer?.frame?.think
  return think?.open.length === 1 && think.close.length === 1 ? 4 : 0
}
