import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { onceForDump } from '../once-for-dump.ts'
import { kindsOf } from './reply-kinds.ts'
import { type LongReply, PILE_UNITS, type PileUnit, pileOf, type ReplyPile, replyPile } from './reply-pile.ts'

/**
 * The length at which replies of many rollouts were cut: that which none exceeds, or else none of one tool, or none behind one turn, where a limit holds
 * for these alone. Null where there is none.
 */
export const findingReplyPile = onceForDump(function* ({ facts, settings }: DumpView): Steps<ReplyPile | null> {
  const ofAll = replyPile(facts, settings.thresholds)
  if (ofAll !== null) return ofAll
  const { 'pile-up-rollouts': least } = settings.thresholds
  const rows = new FactColumns(facts).having('longReplies')
  yield 0.1
  let found: ReplyPile | null = null
  for (const kind of yield* within(0.1, 0.6, kindsWithPiles(rows, 2 * least))) {
    const piles = yield* within(0.6, 0.9, pilesOf(kind, rows, settings.thresholds))
    // Tools come before turns, which may be those of one tool.
    for (const pile of piles) if (pile.rollouts > (found?.rollouts ?? 0)) found = pile
  }
  return found
})

/** What is known of the replies of one kind: their greatest sizes, and how many that break off have each of those that one had until then. */
interface Kind {
  readonly kind: string
  readonly longest: Record<PileUnit, number>
  readonly open: Record<PileUnit, number>
}

/** A model that invents tools has as many kinds. */
const MOST_KINDS = 1000

/** Kinds of which `least` rollouts or more may have replies that break off where none is longer; tools first, in order of their letters. */
function* kindsWithPiles(rows: readonly TrajectoryFacts[], least: number): Steps<Kind[]> {
  const kinds = new Map<string, Kind>()
  yield* forEachOf(rows, ({ longestOfKinds = [], longReplies = [] }) => {
    for (const reply of longestOfKinds) {
      for (const kind of kindsOf(reply)) {
        let known = kinds.get(kind)
        if (known === undefined) {
          if (kinds.size >= MOST_KINDS) continue
          known = { kind, longest: { tokens: 0, characters: 0 }, open: { tokens: 0, characters: 0 } }
          kinds.set(kind, known)
        }
        for (const unit of PILE_UNITS) enlarge(known, unit, reply[unit])
      }
    }
    for (const reply of longReplies) {
      if (!breaksOff(reply)) continue
      for (const kind of kindsOf(reply)) {
        const known = kinds.get(kind)
        for (const unit of PILE_UNITS) if (known?.longest[unit] === reply[unit]) known.open[unit]++
      }
    }
  })
  return [...kinds.values()]
    .filter(({ open }) => open.tokens >= least || open.characters >= least)
    .sort((a, b) => Number(a.kind.includes(' ')) - Number(b.kind.includes(' ')) || (a.kind < b.kind ? -1 : 1))
}

function enlarge({ longest, open }: Kind, unit: PileUnit, size: number): void {
  if (size <= longest[unit]) return
  longest[unit] = size
  open[unit] = 0
}

function breaksOff({ open }: LongReply): boolean {
  return open === 'left' || open === 'right'
}

/** The piles of one kind. Where a text breaks off nowhere, nothing tells a limit on one kind from a format. */
function* pilesOf(
  { kind, longest }: Kind,
  rows: readonly TrajectoryFacts[],
  thresholds: DumpView['settings']['thresholds'],
): Steps<ReplyPile[]> {
  const margin = thresholds['near-limit-tokens']
  const units = PILE_UNITS.map((unit) => ({
    at: { unit, length: longest[unit], kind },
    open: [] as (readonly LongReply[])[],
    rollouts: 0,
    replies: 0,
    near: 0,
  }))
  let measured = 0
  yield* forEachOf(rows, (row) => {
    const own = row.longestOfKinds?.filter((reply) => kindsOf(reply).includes(kind)) ?? []
    if (own.length === 0) return
    measured++
    for (const unit of units) {
      const { length, unit: name } = unit.at
      if (own.some((reply) => reply[name] >= length - margin)) unit.near++
      const there = own.filter((reply) => reply[name] === length)
      if (there.length === 0) continue
      unit.rollouts++
      unit.replies += there.length
      const isThere = ({ start }: LongReply) => there.some((reply) => reply.start === start)
      unit.open.push(row.longReplies?.filter(isThere) ?? [])
    }
  })
  return units.flatMap(({ at, open, near, rollouts, replies }) => {
    const rowsAt = { rows: open, measured, below: near - rollouts, others: () => 0 }
    for (const side of ['right', 'left'] as const) {
      const pile = pileOf(rowsAt, side, thresholds, true)
      if (pile !== null) return [{ ...at, side, ...pile, rollouts, replies }]
    }
    return []
  })
}
