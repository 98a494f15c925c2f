import type { DumpView } from '../checks/check.ts'
import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import { resolvingLimits } from '../checks/limits/limits.ts'
import { count, counted } from '../model/number-text.ts'
import { forEachOf, type Steps, within } from '../model/steps.ts'

/** Steps that are looked at one by one: a limit that grows with them shows in the first ones. */
const MOST_STEPS = 64

/**
 * Lengths at which the rollouts of single steps end, where no length is that of the whole dump: a limit that is raised on the way ends the early
 * ones where later ones go on. In words; null where no step shows one.
 */
export function* findingLimitsOfSteps({ facts, settings }: Pick<DumpView, 'facts' | 'settings'>): Steps<string | null> {
  const steps = yield* within(0, 0.3, gatheringSteps(facts))
  if (steps.length < 2) return null
  const values = yield* within(0.3, 1, findingLimits(steps, settings))
  if (values.length === 0) return null
  const [least, greatest] = [Math.min(...values), Math.max(...values)]
  const lengths = least === greatest ? `${count(least)} tokens` : `${count(least)} to ${count(greatest)} tokens`
  return `limits of each step (rollouts of ${values.length} of ${counted(steps.length, 'step')} end at one length, ${lengths}, and those of other steps are longer: inspect the steps of one limit by themselves)`
}

/** The rollouts of each of the first steps. */
function* gatheringSteps(facts: readonly TrajectoryFacts[]): Steps<TrajectoryFacts[][]> {
  const steps = new Map<number, TrajectoryFacts[]>()
  yield* forEachOf(facts, (row) => {
    if (row.step === null) return
    const rows = steps.get(row.step)
    if (rows !== undefined) rows.push(row)
    else if (steps.size < MOST_STEPS) steps.set(row.step, [row])
  })
  return [...steps.values()]
}

/** The limit of each step that shows one, in tokens. */
function* findingLimits(steps: readonly TrajectoryFacts[][], settings: DumpView['settings']): Steps<number[]> {
  const values: number[] = []
  for (const [index, rows] of steps.entries()) {
    const resolved = yield* within(
      index / steps.length,
      (index + 1) / steps.length,
      resolvingLimits(settings, {}, rows),
    )
    const { max_completion_length: completion, max_seq_len: sequence } = resolved
    const limit = completion ?? sequence
    if (limit !== null) values.push(limit.value)
  }
  return values
}
