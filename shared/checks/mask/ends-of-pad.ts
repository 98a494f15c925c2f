import { forEachOf, type Steps } from '../../model/steps.ts'
import { Expected, Provenance, type Turn } from '../../model/tokens.ts'
import type { DumpReporter, DumpView, TrajectoryView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { writtenTurns } from '../oracles/edges.ts'
import { hidesEdges } from '../oracles/shape.ts'
import { MASK_UNKNOWN } from '../oracles/states.ts'

/** The id that pads a rollout and ends its turns, and these ends where none of them has loss; null where nothing can be told from padding. */
export function padEndFacts(view: TrajectoryView): Pick<TrajectoryFacts, 'endPad' | 'padEnds'> | null {
  const { mask, segmentation } = view
  if (segmentation === null || mask === null || hidesEdges(view)) return null
  const endPad = padId(view)
  if (endPad === null) return null
  const ends = writtenTurns(segmentation).filter((turn) => isComparable(view, turn, endPad))
  if (ends.length === 0) return null
  if (ends.some(({ endToken }) => mask[endToken] === 1)) return { endPad }
  return { endPad, padEnds: ends.map(({ endToken }) => endToken) }
}

/** The id that this row is padded with; without padding, the tokenizer's pad where that ends turns. Null where neither is an end. */
function padId({ ids, segmentation, tokenizer }: TrajectoryView): number | null {
  const frame = tokenizer?.frame
  if (segmentation === null || !frame) return null
  const { left, right } = segmentation.padding
  const ends = [...frame.turnEnds, ...frame.textEnds]
  if (right > 0 || left > 0) {
    const id = ids[right > 0 ? ids.length - 1 : 0] as number
    return ends.includes(id) ? id : null
  }
  return frame.turnEnds.find((id) => frame.pad.includes(id)) ?? null
}

/**
 * An end token that is no padding: the model's last words are trained, and the token is not the first of the trailing run. In the loss it was not taken for
 * padding, wherever it stands and whatever its logprob.
 */
function isComparable(view: TrajectoryView, { endToken, contentEnd }: Turn, pad: number): boolean {
  const { ids, mask, expectedRl, provenance, segmentation } = view
  if (endToken < 0 || ids[endToken] !== pad || mask?.[endToken] === MASK_UNKNOWN) return false
  if (mask?.[contentEnd - 1] !== 1) return false
  if (mask[endToken] === 1) return true
  if (expectedRl?.[endToken] !== Expected.trained) return false
  const trailing = endToken === ids.length - (segmentation?.padding.right ?? 0) - 1
  return !trailing || provenance?.[endToken] === Provenance.sampled
}

/**
 * Rollouts whose ends all have the id of their padding, and no loss. A mask that compares ids with the pad id finds these in every row that is padded so:
 * where other rollouts of the group have an end of that id in the loss, or without such a group most of the environment, it was none (M10 says the rest).
 */
export function* lookAtPadEnds({ facts, groups }: DumpView, report: DumpReporter): Steps<void> {
  const columns = new FactColumns(facts)
  if (columns.isEmpty('padEnds')) return
  const told = new Set(columns.having('padEnds'))
  const alike = new Map<string, PadCounts>()
  yield* forEachOf(columns.having('endPad'), (member) => {
    const key = member.environment ?? ''
    const counts = alike.get(key) ?? new PadCounts()
    alike.set(key, counts.add(member))
  })
  const ofGroup = new Map<TrajectoryFacts, PadCounts>()
  yield* forEachOf(groups, ({ members }) => {
    const own = members.filter((member) => told.has(member))
    const comparable = own.length === 0 ? [] : members.filter(({ endPad }) => endPad !== undefined)
    if (comparable.length <= FEWEST_TRAINED) return
    const counts = new PadCounts()
    for (const member of comparable) counts.add(member)
    for (const member of own) ofGroup.set(member, counts)
  })
  for (const member of told) {
    const isDisproved =
      ofGroup.get(member)?.someTrain(member) ?? alike.get(member.environment ?? '')?.mostTrain(member) ?? false
    if (!isDisproved) tell(member, report)
  }
}

/** Fewer rollouts that train their ends may have other reasons. */
const FEWEST_TRAINED = 2

/** Rollouts by their pad, whether they have padding, and whether an end of that id is in the loss. */
class PadCounts {
  private readonly counts = new Map<string, number>()

  add(member: TrajectoryFacts): this {
    const key = keyOf(member, member.padding > 0, member.padEnds === undefined)
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1)
    return this
  }

  someTrain(member: TrajectoryFacts): boolean {
    return this.like(member, true) >= FEWEST_TRAINED
  }

  mostTrain(member: TrajectoryFacts): boolean {
    return this.someTrain(member) && this.like(member, true) > this.like(member, false)
  }

  /** Of one with padding those alone that have some too: where rows are padded, a mask may go by ids, and not where they are not. */
  private like(member: TrajectoryFacts, trains: boolean): number {
    const padded = this.counts.get(keyOf(member, true, trains)) ?? 0
    return member.padding > 0 ? padded : padded + (this.counts.get(keyOf(member, false, trains)) ?? 0)
  }
}

function keyOf({ endPad }: TrajectoryFacts, isPadded: boolean, trains: boolean): string {
  return `${endPad} ${isPadded} ${trains}`
}

function tell(member: TrajectoryFacts, report: DumpReporter): void {
  const ends = member.padEnds as readonly number[]
  const first = ends[0] as number
  report.unitAfterAll()
  report.fault({
    member,
    tokens: { start: first, end: first + 1 },
    affectedTokens: ends.length,
    message: `Padding and end of turn share the id ${member.endPad}: ${
      ends.length === 1 ? 'the end token of the assistant turn' : `the end tokens of all ${ends.length} assistant turns`
    } that could be told from padding ${ends.length === 1 ? 'is' : 'are'} masked`,
    evidence: { pad_id: member.endPad, end_tokens: ends.slice(0, 16), padding: member.padding },
  })
}
