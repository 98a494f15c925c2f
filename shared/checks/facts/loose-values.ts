import type { TrajectoryFacts } from './facts.ts'

type FactName = keyof TrajectoryFacts

interface Known {
  readonly start: number
  readonly first: TrajectoryFacts | undefined
  readonly last: TrajectoryFacts | undefined
  readonly values: readonly unknown[]
}

const known = new WeakMap<readonly TrajectoryFacts[], Map<FactName, Known>>()

/** Of more rollouts than these few stay objects (`batch-facts.ts`), and lists as long as they are would be kept. */
const MOST_KEPT = 1 << 12

/**
 * A fact of rollouts that are objects of their own, from `start` on. A dump is judged by two hundred questions about fifty facts, and looking into an object
 * by a name that is not known before takes some hundred nanoseconds, ten times what reading a list does: the lists are kept as long as that of the rollouts.
 */
export function looseValues(
  facts: readonly TrajectoryFacts[],
  name: FactName,
  start: number,
  length: number,
): readonly unknown[] {
  if (length > MOST_KEPT) return valuesOf(facts, name, start, length)
  let names = known.get(facts)
  if (names === undefined) known.set(facts, (names = new Map()))
  const [first, last] = [facts[start], facts[start + length - 1]]
  const found = names.get(name)
  // Rollouts come at the end, and are given another source's number all at once.
  const stands = found?.start === start && found.values.length === length && found.first === first
  if (stands && found.last === last) return found.values
  const values = valuesOf(facts, name, start, length)
  names.set(name, { start, first, last, values })
  return values
}

function valuesOf(facts: readonly TrajectoryFacts[], name: FactName, start: number, length: number): unknown[] {
  const values: unknown[] = []
  for (let i = start; i < start + length; i++) values.push(facts[i]?.[name])
  return values
}
