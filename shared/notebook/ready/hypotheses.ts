import { newHypothesis } from '../edit.ts'
import type { Hypothesis } from '../model.ts'
import { MASKING_AND_CONTEXT } from './masking-and-context.ts'
import { OPTIMISATION } from './optimisation.ts'
import { RUNS_COMPARED } from './runs-compared.ts'

/** A ready hypothesis as it is written down: what is left out is empty, or as it is for a new one. */
export type Ready = Pick<Hypothesis, 'id' | 'title' | 'verdict' | 'priority' | 'phase'> &
  Partial<Omit<Hypothesis, 'validation'>> & {
    readonly methods: readonly { readonly title: string; readonly how: string; readonly success: string }[]
  }

const IN_ORDER = ['H01', 'H02', 'H03', 'H04', 'H05', 'H06-library', 'H06-lora', 'H07', 'H08']

/**
 * The hypotheses that most runs which do not learn begin with, none of them tested. Their questions, tests and thresholds
 * are those of the debugging notes of bdsaglam/rlvr (docs/musique-training-debug, 2025), told for any multi-turn run.
 */
export function readyHypotheses(): Hypothesis[] {
  return [...OPTIMISATION, ...MASKING_AND_CONTEXT, ...RUNS_COMPARED]
    .map(({ methods, ...ready }) => ({
      ...newHypothesis(ready.id, ready.title),
      ...ready,
      validation: methods.map((method, at) => ({ id: `m${at + 1}`, ...method })),
    }))
    .sort((a, b) => IN_ORDER.indexOf(a.id) - IN_ORDER.indexOf(b.id))
}
