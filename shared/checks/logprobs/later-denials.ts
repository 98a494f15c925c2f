import { forEachOf, type Steps } from '../../model/steps.ts'
import type { DumpView, TrajectoryView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { onceForDump } from '../once-for-dump.ts'
import { gapOf } from './gap.ts'
import type { TurnGap } from './gap-turns.ts'

/**
 * Of a rollout of several turns, tokens of which the sampler was sure and, of these, those that the trainer finds half as likely, or less still:
 * in the first turn, and in the later ones.
 */
export interface LaterDenials {
  readonly first: readonly number[]
  readonly later: readonly number[]
  /** Ordinal of the first later turn with such a token, 0 where its turns tell another context by themselves. */
  readonly turn: number
  /** From the beginning of that turn to the last scored token. */
  readonly span: readonly [number, number]
}

/** Null where the trainer denies nothing, and where nothing tells the first turn from the others. */
export function laterDenialsOf(view: TrajectoryView): LaterDenials | null {
  const gap = gapOf(view)
  if (gap === null || gap.turns.length < 2) return null
  const [first, ...later] = gap.turns as [TurnGap, ...TurnGap[]]
  const at = later.find(({ denied }) => denied > 0)
  if (first.denied === 0 && at === undefined) return null
  const isTold = gap.cause === 'context' || at === undefined
  return {
    first: [first.sure, first.denied],
    later: [sum(later, ({ sure }) => sure), sum(later, ({ denied }) => denied)],
    turn: isTold ? 0 : (at.turn?.ordinal ?? 0),
    span: isTold ? [0, 0] : [at.start, (later.at(-1) as TurnGap).end],
  }
}

/** The rollouts that are off from a later turn on, and what all that the trainer denies something of say together. */
export interface DeniedLater {
  readonly members: readonly TrajectoryFacts[]
  readonly asked: number
  /** Of these, the rollouts in which it denies nothing of the first turn. */
  readonly laterAlone: number
  /** Shares of such tokens that the trainer denies, in first turns and in later ones. */
  readonly firstShare: number
  readonly laterShare: number
}

/**
 * A context that differs from the second turn on may leave most tokens as they were, and take a few that were copied from what is not seen. In one
 * rollout noise with a fat tail looks the same; but that strikes first turns as well, and what is merely noisy spares what is sure. Whether
 * first turns have fewer than their part is asked of all together, by what rollouts differ by, since such tokens come in bursts.
 */
export const deniedLater = onceForDump(findDenied)

function* findDenied({ facts, settings: { thresholds } }: DumpView): Steps<DeniedLater | null> {
  const { 'denied-share': least, 'denied-times': times, 'denied-standard-errors': errors } = thresholds
  const asked = new FactColumns(facts).having('laterDenials')
  let [sure, denied, laterSure, laterDenied] = [0, 0, 0, 0]
  let [missing, squares, variance] = [0, 0, 0]
  let laterAlone = 0
  yield* forEachOf(asked, ({ laterDenials }) => {
    const { first, later } = laterDenials as LaterDenials
    const [own, ownDenied] = first as [number, number]
    const [others, othersDenied] = later as [number, number]
    sure += own
    denied += ownDenied
    laterSure += others
    laterDenied += othersDenied
    if (ownDenied === 0) laterAlone++
    const part = own + others === 0 ? 0 : own / (own + others)
    const fewer = part * (ownDenied + othersDenied) - ownDenied
    missing += fewer
    squares += fewer * fewer
    variance += part * (1 - part) * (ownDenied + othersDenied)
  })
  const [firstShare, laterShare] = [share(denied, sure), share(laterDenied, laterSure)]
  const isSure = missing > errors * Math.sqrt(Math.max(squares, variance))
  if (!isSure || laterShare < least || laterShare < times * firstShare) return null
  const members = asked.filter(({ laterDenials }) => {
    const { first, later, turn } = laterDenials as LaterDenials
    const own = share(later[1], later[0])
    return turn > 0 && own >= least && own >= times * share(first[1], first[0])
  })
  return { members, asked: asked.length, laterAlone, firstShare, laterShare }
}

function share(part = 0, of = 0): number {
  return of === 0 ? 0 : part / of
}

function sum(turns: readonly TurnGap[], of: (turn: TurnGap) => number): number {
  return turns.reduce((all, turn) => all + of(turn), 0)
}
