import type { HypothesisId, HypothesisResult, Report } from '../../../shared/model/report.ts'
import type { PlantedDump } from '../../planted/dump.ts'
import { TEMPLATE_PLANTS } from '../../planted/plants/template.ts'
import { type PlantedRollout, turnsBy } from '../../planted/rollout.ts'
import { randomFor } from '../../planted/seed.ts'
import type { Run } from './runs.ts'

/** One way to come to a verdict: the dump that should give it, by the specification, and what has to be said of it. */
export interface Cell {
  readonly id: HypothesisId
  readonly verdict: HypothesisResult['verdict']
  readonly title: string
  readonly run: Run
  readonly against?: Run
  /** Values of measures, by a part of their names, computed here from the rollouts. */
  readonly says?: (dump: PlantedDump) => readonly (readonly [measure: RegExp, value: number | string | RegExp])[]
  /** What it lacks; nothing where it is absent. */
  readonly lacks?: readonly (string | RegExp)[]
  /** A sentence of what would change it, and of what a trainer writes it with. */
  readonly changes?: RegExp
  readonly recorded?: RegExp | null
  readonly more?: (report: Report) => void
}

export const several = (rollout: PlantedRollout) => turnsBy(rollout, 'assistant').length > 1
export const random = () => randomFor('grid of verdicts')

/** Changes of a fault that test/planted puts into single rollouts. */
export function planted(code: string, words = ''): (dump: PlantedDump) => void {
  const plant = TEMPLATE_PLANTS.find((each) => each.code === code && each.title.includes(words))
  return ({ rollouts, family }) => {
    for (const rollout of rollouts)
      plant?.rollout?.(rollout, { family, format: 'native', pattern: 'systematic', random: random() })
  }
}
