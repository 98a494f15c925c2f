import { Random } from '../../samples/random.ts'

function given(name: string): number | null {
  const text = process.env[name]
  if (text === undefined || text === '') return null
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0)
    throw new Error(`${name} is ${JSON.stringify(text)}, a whole number was expected`)
  return value
}

/** Tests that use a planted dump for something else draw alike at every run: whether a change is right does not hang on luck. */
const USUAL_SEED = 36

/** What every planted dump of this process is drawn from. The project `planted` gives another one at every run (vite.config.ts). */
export const SEED = given('PLANTED_SEED') ?? USUAL_SEED

/** How many rounds are made of everything; each draws other families, formats and rollouts. */
export const RUNS = given('PLANTED_RUNS') ?? 1

console.log(`planted dumps: PLANTED_SEED=${SEED}`)

/** A source of random numbers of its own for everything that has a name. */
export function randomFor(...names: readonly (string | number)[]): Random {
  return new Random([SEED, ...names].join(' / '))
}

/** What to run to see the same dumps again; stands in every failure message. */
export function again(name: string, run: number): string {
  return `${name} (again: PLANTED_SEED=${SEED}${run > 0 ? ` PLANTED_RUNS=${run + 1}` : ''})`
}
