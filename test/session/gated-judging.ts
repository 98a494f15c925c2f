import type { Gathered } from '../../shared/session/concluding/conclude.ts'

/** Holds up whatever concludes in steps from as many rollouts, until it is opened; `steps` counts how often it was taken up. */
export const judgingGate = { from: Number.POSITIVE_INFINITY, steps: 0 }

/** In place of the module that concludes: `vi.mock(import('…/conclude.ts'), gatedConclude)`. */
export async function gatedConclude(
  importOriginal: () => Promise<typeof import('../../shared/session/concluding/conclude.ts')>,
) {
  const original = await importOriginal()
  return {
    ...original,
    *concluding(all: Gathered) {
      while (all.collected.facts.length >= judgingGate.from) {
        judgingGate.steps++
        yield 0.5
      }
      return yield* original.concluding(all)
    },
  }
}
