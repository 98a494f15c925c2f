import type { Cell } from './cell.ts'
import { H03, H06_LORA } from './logprob-cells.ts'
import { H01, H05, H06_LIBRARY } from './reward-cells.ts'
import { H02, H04, H07, H08 } from './token-cells.ts'

/**
 * What no dump gives, held by facts alone (two-runs.test.ts): words by which two questions are paired tell their system text as well, and
 * ids their whole prompt, so that something of a pair can always be compared.
 */
export const BY_FACTS_ALONE: readonly string[] = ['H08 inconclusive']

export const CELLS: readonly Cell[] = [
  ...H01,
  ...H02,
  ...H03,
  ...H04,
  ...H05,
  ...H06_LIBRARY,
  ...H06_LORA,
  ...H07,
  ...H08,
]
