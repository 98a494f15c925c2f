import type { Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { OfLast } from '../of-last.ts'
import { writtenTurns } from '../oracles/edges.ts'

/** What a trained turn gets of advantages by token. */
export interface TurnCredit {
  readonly turn: Turn
  readonly trained: number
  /** Of them, tokens whose advantage is not 0. */
  readonly credited: number
  /** The one advantage of all of them; null where they differ. */
  readonly credit: number | null
  /** Of the last of them. */
  readonly last: number
}

const known = new OfLast<TrajectoryView, readonly TurnCredit[]>()

/** The trained turns of a rollout with advantages by token; none where it has one for the whole row, which no recursion made. */
export function turnCredits(view: TrajectoryView): readonly TurnCredit[] {
  let credits = known.get(view)
  if (credits === undefined) known.set(view, (credits = findCredits(view)))
  return credits
}

function findCredits({ segmentation, trajectory: { advantages }, mask, facts }: TrajectoryView): TurnCredit[] {
  if (segmentation === null || advantages === null || mask === null || facts.advantage !== null) return []
  const credits: TurnCredit[] = []
  for (const turn of writtenTurns(segmentation)) {
    let trained = 0
    let credited = 0
    let changes = 0
    let before = Number.NaN
    for (let i = turn.contentStart; i < turn.end; i++) {
      const advantage = advantages[i] as number
      if (mask[i] !== 1 || !Number.isFinite(advantage)) continue
      trained++
      if (advantage !== 0) credited++
      if (advantage !== before) changes++
      before = advantage
    }
    if (trained > 0) credits.push({ turn, trained, credited, credit: changes === 1 ? before : null, last: before })
  }
  return credits
}
