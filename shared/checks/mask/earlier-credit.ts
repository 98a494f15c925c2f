import { finite } from '../../model/finite.ts'
import type { TrajectoryView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { klInReturns } from './kl-in-returns.ts'
import { turnCredits } from './turn-credits.ts'

/** What the turns of a rollout before its last get, where the last gets something else. */
export interface EarlierCredit {
  /** Null where their tokens have several advantages. */
  readonly credit: number | null
  /** What the last trained token of the last turn gets, which no discount touches. */
  readonly last: number
  /** From the first of these turns to the end of the last of them, and how many they are. */
  readonly start: number
  readonly end: number
  readonly turns: number
  /** Trained tokens of them. */
  readonly trained: number
  /** The returns hold a KL of each token, and nothing tells whether they hold that of the masked ones between turns. */
  readonly isKlUntold: boolean
  /** That KL is k3 with policy and reference exchanged, and no other formula. */
  readonly isKlReversed: boolean
  /** Each turn, the last one too, has one advantage for all of its tokens: it was credited turn by turn. */
  readonly isByTurn: boolean
}

export function earlierCreditFact(view: TrajectoryView): Pick<TrajectoryFacts, 'earlierCredit'> | null {
  const credits = turnCredits(view)
  const earlier = credits.slice(0, -1)
  const [first, previous, last] = [earlier[0], earlier.at(-1), credits.at(-1)]
  if (first === undefined || previous === undefined) return null
  const kl = klInReturns(view)
  const isOne = earlier.every(({ credit }) => credit !== null && credit === first.credit)
  return {
    earlierCredit: {
      credit: isOne && last?.credit !== first.credit ? finite(first.credit) : null,
      last: last?.last ?? 0,
      start: first.turn.contentStart,
      end: previous.turn.end,
      turns: earlier.length,
      trained: earlier.reduce((sum, { trained }) => sum + trained, 0),
      isKlUntold: kl?.isForeign === null,
      isKlReversed: kl?.formula === 'k3-reversed',
      isByTurn: credits.every(({ credit }) => credit !== null),
    },
  }
}

/** Where a fault of these turns stands, and what it weighs, for those who tell of it. */
export function earlierTurnsOf(member: TrajectoryFacts) {
  const { start, end, trained } = member.earlierCredit as EarlierCredit
  return {
    member,
    scope: 'trajectory' as const,
    tokens: { start, end },
    affectedTokens: trained,
    affectedWeight: ((member.weight ?? 0) * trained) / (member.trained || 1),
  }
}
