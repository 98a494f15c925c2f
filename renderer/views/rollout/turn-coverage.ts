import { partitionPoint } from '../../../shared/model/partition-point.ts'
import type { Severity } from '../../../shared/model/report.ts'
import { TokenState, type Turn } from '../../../shared/model/tokens.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import { FAULT_NAMES } from './faults.ts'

/** What stands in the outline of a turn that is not drawn as well. */
export interface TurnCoverage {
  readonly turn: Turn
  /** Of the findings in the turn; what the policy intends is none. */
  readonly worst: Severity | null
}

type Covered = Pick<TrajectoryDetail, 'segmentation' | 'states' | 'findings'>

/** The turns of a rollout in order, with the worst that was found in each. */
export function turnCoverage(detail: Pick<Covered, 'segmentation' | 'findings'>): TurnCoverage[] {
  const turns = detail.segmentation?.turns ?? []
  const worst = worstByTurn(detail.findings, turns)
  return turns.map((turn, at) => ({ turn, worst: FAULT_NAMES[worst[at] as number] ?? null }))
}

/** Share of a turn's tokens that is trained; null where no token's mask is known. */
export function trainedShare({ states }: Pick<Covered, 'states'>, turn: Turn): number | null {
  let trained = 0
  let unknown = 0
  for (let token = turn.start; token < turn.end; token++) {
    if (states[token] === TokenState.trained) trained++
    else if (states[token] === TokenState.unknown) unknown++
  }
  const length = turn.end - turn.start
  return length > 0 && unknown === length ? null : trained / Math.max(1, length)
}

/** Per turn an index into `FAULT_NAMES`. A finding that names its turn is of that one, any other of all that its tokens touch. */
function worstByTurn(findings: Covered['findings'], turns: readonly Turn[]): Uint8Array {
  const places = new Map(turns.map(({ index }, at) => [index, at]))
  const worst = new Uint8Array(turns.length)
  const mark = (at: number, rank: number) => {
    if (rank > (worst[at] as number)) worst[at] = rank
  }
  for (const { intended, severity, turn, tokens } of findings) {
    if (intended === true) continue
    const rank = FAULT_NAMES.indexOf(severity)
    if (turn !== null) {
      const at = places.get(turn)
      if (at !== undefined) mark(at, rank)
    } else if (tokens !== null) {
      const [start, end] = tokens
      for (let at = partitionPoint(turns.length, (k) => (turns[k] as Turn).end <= start); at < turns.length; at++) {
        if ((turns[at] as Turn).start >= end) break
        mark(at, rank)
      }
    }
  }
  return worst
}
