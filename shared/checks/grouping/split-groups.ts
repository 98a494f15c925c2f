import type { TrajectoryFacts } from '../facts/facts.ts'

/** Rows with one key and step, by the file that they lie in. */
export interface SplitKey {
  readonly members: readonly TrajectoryFacts[]
  readonly parts: readonly (readonly TrajectoryFacts[])[]
}

/** As many groups must tell it, and none may deny it. */
const FEWEST_TOLD = 4
/** Of what the advantages of some rows add up to without their signs, what rounding leaves of a sum of 0. */
const ROUNDING = 1e-3

/**
 * Whether the files of a dump hold parts of the same groups: the advantages of all rows with a key add up to 0, as those of a whole group do,
 * and those of no file by itself. Two files that number their questions alike have whole groups each, and advantages that have another
 * baseline add up to 0 nowhere but by chance.
 */
export function arePartsOfGroups(keys: readonly SplitKey[]): boolean {
  let told = 0
  for (const { members, parts } of keys) {
    if (parts.length < 2) continue
    const whole = balance(members)
    if (whole === null || whole.sum > ROUNDING * whole.size || !isOfOnePrompt(members)) return false
    if (whole.size > 0 && parts.every((part) => isOff(part, whole.size / members.length))) told++
  }
  return told >= FEWEST_TOLD
}

export function isOfOnePrompt(members: readonly TrajectoryFacts[]): boolean {
  const prompt = members[0]?.promptHash ?? null
  return prompt !== null && members.every(({ promptHash }) => promptHash === prompt)
}

/** @param mean of the advantages of the whole group, without their signs */
function isOff(part: readonly TrajectoryFacts[], mean: number): boolean {
  const own = balance(part)
  return own !== null && own.sum > ROUNDING * part.length * mean
}

/** Of the advantages of rows that all have one: what they add up to, and without their signs. */
function balance(rows: readonly TrajectoryFacts[]): { readonly sum: number; readonly size: number } | null {
  let [sum, size] = [0, 0]
  for (const { advantage, step } of rows) {
    // Without steps a key may come back with every epoch.
    if (advantage === null || step === null || !Number.isFinite(advantage)) return null
    sum += advantage
    size += Math.abs(advantage)
  }
  return { sum: Math.abs(sum), size }
}
