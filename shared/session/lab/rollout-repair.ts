import { drawStrip } from '../../checks/facts/strip.ts'
import type { ExportedTrajectory } from '../../exports/export-kind.ts'
import { repairedMask } from '../../exports/repair.ts'
import { PARTS, type Part, TokenState, type Turn } from '../../model/tokens.ts'
import type { RepairedRun, RolloutRepair } from '../requests/lab.ts'

const MOST_RUNS = 200
const MOST_TEXT = 120

/** What repairing the mask of one rollout changes; null where it cannot be repaired. */
export function rolloutRepair(index: number, loaded: ExportedTrajectory): RolloutRepair | null {
  const { view, trajectory } = loaded
  const repaired = repairedMask(loaded)
  if (view === null || view.mask === null || repaired === null) return null
  const { mask, states, segmentation } = view
  const after = states.slice()
  const runs: RepairedRun[] = []
  let runsInAll = 0
  let turn = 0
  const turns = segmentation?.turns ?? []
  for (let token = 0; token < mask.length; token++) {
    const wanted = repaired.mask[token]
    if (wanted === mask[token]) continue
    const part = segmentation?.parts[token]
    const start = token
    while (
      token < mask.length &&
      repaired.mask[token] === wanted &&
      mask[token] !== wanted &&
      segmentation?.parts[token] === part
    ) {
      after[token] = wanted === 1 ? TokenState.trained : TokenState.masked
      token++
    }
    runsInAll++
    while (turn + 1 < turns.length && start >= (turns[turn + 1] as Turn).start) turn++
    if (runs.length < MOST_RUNS) {
      runs.push({
        start,
        end: token,
        to: wanted === 1 ? 'trained' : 'masked',
        part: PARTS[part ?? PARTS.indexOf('other')] as Part,
        turn: turns[turn] !== undefined && start >= (turns[turn] as Turn).start ? turn : null,
        text: view.text({ start, end: token }).slice(0, MOST_TEXT),
      })
    }
    token--
  }
  return {
    index,
    id: trajectory.id,
    before: drawStrip(states),
    after: drawStrip(after),
    runs,
    runsInAll,
    tokens: repaired.changed,
  }
}
