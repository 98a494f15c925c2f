import { Provenance, type Span, type Turn } from '../../model/tokens.ts'
import { isBareHeader } from '../../tokens/segment.ts'
import type { Check, TrajectoryView } from '../check.ts'
import { carryLoss, edgeBefore } from '../oracles/edges.ts'
import { plainTurns } from '../oracles/plain-turns.ts'
import { hidesEdges, isSwallowed, shapeOf } from '../oracles/shape.ts'
import { lengthOf, listOf, runsOf } from '../oracles/spans.ts'
import { isLoneTail } from './cut-reply-trained.ts'
import { flowsIn } from './displaced-run.ts'
import { isDisplacedByBlock } from './drift-by-prefill.ts'

export const M08: Check = {
  code: 'M08',
  name: 'header-trained',
  title: 'Turn header is trained',
  hypotheses: ['H02'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'tokenizer'],
  looksAt: 'headers of assistant turns, and of turns behind them whose content is not trained',
  why: 'The template supplies the header; training it spends loss on tokens that were never sampled.',
  fix: 'Begin the trained span after the generation prompt, and end it with the end token.',
  cite: 'SkyRL#710, Automodel#3739, prime-rl#2471',
  hiddenBy: ['M06', 'M07'],
  trajectory(view, _settings, report) {
    if (view.segmentation === null || hidesEdges(view)) return
    const plain = plainTurns(view)
    if (plain !== null) return report.sound(plain.headers)
    for (const turn of view.segmentation.turns) {
      if (turn.header !== 'present') continue
      const before = view.segmentation.turns[turn.index - 1]
      const trained = turn.kind === 'assistant' ? inOwn(view, turn, before) : inNext(view, turn, before)
      if (trained === null) continue
      report.place(trained.length > 0, { turn: turn.ordinal, boundary: edgeBefore(view.segmentation, turn) })
      if (trained.length === 0) continue
      const count = lengthOf(trained)
      report.fault({
        turn,
        tokens: { start: trained[0]!.start, end: trained.at(-1)!.end },
        affected: trained,
        message: carryLoss(count, `of the header of ${describe(turn)}`),
        evidence: {
          header_tokens: turn.headerEnd - turn.start,
          trained_tokens: count,
          header_ids: listOf(view.ids, turn.start, turn.headerEnd),
        },
      })
    }
  },
}

/** Of an assistant turn's header. */
function inOwn(view: TrajectoryView, turn: Turn, before: Turn | undefined): Span[] {
  const mask = view.mask as Uint8Array
  if (isSwallowed(view, turn) || (before !== undefined && flowsIn(mask, turn.start, before))) return []
  const trained = runsOf(mask, 1, turn.start, turn.headerEnd)
  if (before === undefined) return trained
  // Behind a header that has nothing else in its turn the model itself may write another one, which is T06; so it may behind a question of its own.
  const isOfModel = view.provenance?.[before.contentStart] === Provenance.sampled
  return isOfModel || isBareHeader(before) ? unsampled(view, trained) : trained
}

/** Of the header behind a turn of the model, where the loss ends late; null where there is none. With its content trained, the turn is M01. */
function inNext(view: TrajectoryView, turn: Turn, before: Turn | undefined): Span[] | null {
  const mask = view.mask as Uint8Array
  if (before?.kind !== 'assistant' || turn.kind === 'other') return null
  // Some families have no end token: there the model itself writes the next role.
  if (before.endToken < 0 || before.endToken >= turn.start) return null
  const trained = runsOf(mask, 1, turn.start, turn.headerEnd)
  if (trained.length === 0) return trained
  const isOthers =
    isSwallowed(view, turn) ||
    shapeOf(view).overrun?.turn === before ||
    mask[turn.contentStart] === 1 ||
    isDisplacedByBlock(view) ||
    isLoneTail(view, turn)
  return isOthers ? [] : unsampled(view, trained)
}

/** Those that do not begin with a token that the model is known to have written. */
function unsampled({ provenance }: TrajectoryView, spans: readonly Span[]): Span[] {
  return spans.filter(({ start }) => provenance?.[start] !== Provenance.sampled)
}

function describe({ kind, role, ordinal }: Turn): string {
  if (kind === 'assistant') return `assistant turn ${ordinal}`
  return `the ${kind === 'tool' ? 'tool' : role} turn behind assistant turn ${ordinal}`
}
