import { relative } from 'node:path'
import fc from 'fast-check'
import { type Confined, Ended } from './confined.ts'
import { keepCrash } from './crashes.ts'
import type { Target } from './target.ts'

export interface Drive {
  readonly numRuns: number
  readonly seed: number
  /** Where an input that goes wrong is written to; absent: nowhere. */
  readonly keepIn?: string
  readonly confined: Confined
}

/** Smaller inputs that are tried once one went wrong; those that end the process cost a new one each. */
const MOST_SMALLER = 1000
const MOST_ENDED = 12

/**
 * Draws inputs for a target and asks about each in the confined process. Throws with the seed, and with the file in which the smallest
 * input is kept that goes wrong.
 */
export async function drive(target: Target, { numRuns, seed, keepIn, confined }: Drive): Promise<void> {
  let failed = 0
  let ended = 0
  const property = fc.asyncProperty(target.input, async (input) => {
    if (failed > 0 && (failed++ > MOST_SMALLER || ended > MOST_ENDED)) return
    try {
      await confined.holds(target, input)
    } catch (error) {
      failed ||= 1
      if (error instanceof Ended) ended++
      throw error
    }
  })
  const { counterexample, errorInstance } = await fc.check(property, { numRuns, seed })
  if (counterexample === null) return
  const [input] = counterexample
  const why = errorInstance instanceof Error ? errorInstance.message : String(errorInstance)
  const kept =
    keepIn === undefined
      ? ''
      : `\nThe input is kept in ${relative(process.cwd(), keepCrash(target.id, input, keepIn))}.`
  throw new Error(`${target.title} (FUZZ_SEED=${seed}): ${why}${kept}`)
}
