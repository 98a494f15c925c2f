import type { Thresholds } from '../../model/thresholds/registry.ts'

/** Scored tokens, ascending, and by token index what the two engines say of them. */
interface Scored {
  readonly tokens: Int32Array
  readonly sampler: Float32Array
  readonly trainer: Float32Array
  /** The ids of the sequence. */
  readonly ids: Int32Array
}

/** What the trainer says of the exact zeros of the sampler. */
export interface Placeholders {
  /** Tokens, ascending, whose 0.0 the trainer contradicts, and contradicts alone. */
  readonly contradicted: readonly number[]
  /** These, and the other zeros in a row of which most are contradicted: fillers as well, of tokens that the trainer finds likely. */
  readonly leftOut: ReadonlySet<number>
}

/**
 * The trainer must contradict a zero by far more than it is noisy, and agree on what stands around: where it is surprised at other tokens as well,
 * it has another context than the sampler (L02), and certain ones may well have been certain. So may those with which a later turn opens, where
 * it is surprised at the very word of which both were certain at the beginning of the first.
 */
export function placeholdersAmong(scored: Scored, thresholds: Thresholds): Placeholders {
  const { tokens, sampler, trainer } = scored
  const beyond = Math.min(thresholds['contradicts-zero'], -thresholds['zero-beyond-noise'] * noiseOf(scored))
  const contradicted: number[] = []
  const leftOut = new Set<number>()
  // Zeros before it were meant, or the trainer agrees with them.
  let meantBefore = 0
  for (let from = 0; from < tokens.length; ) {
    if (sampler[tokens[from] as number] !== 0) {
      from++
      continue
    }
    let end = from + 1
    while (end < tokens.length && isNext(tokens, end) && sampler[tokens[end] as number] === 0) end++
    const before = contradicted.length
    if (isCertainAtFirst(scored, from, thresholds)) meantBefore = end
    for (let at = Math.max(from, meantBefore); at < end; at++) {
      const token = tokens[at] as number
      if (!((trainer[token] as number) < beyond)) continue
      if (isOffAround(scored, at, meantBefore, thresholds)) meantBefore = at + 1
      else contradicted.push(token)
    }
    const found = contradicted.slice(before)
    for (const token of found.length * 2 > end - from ? tokens.subarray(from, end) : found) leftOut.add(token)
    from = end
  }
  return { contradicted, leftOut }
}

/** Whether the token at `at` directly follows the scored one before it. */
function isNext(tokens: Int32Array, at: number): boolean {
  return tokens[at] === (tokens[at - 1] as number) + 1
}

/** Root of the mean squared gap of the tokens that the sampler was not certain of, in nats; 0 where there are none. */
function noiseOf({ tokens, sampler, trainer }: Scored): number {
  let count = 0
  let squares = 0
  for (const token of tokens) {
    const own = sampler[token] as number
    if (own === 0) continue
    count++
    squares += (own - (trainer[token] as number)) ** 2
  }
  return count === 0 ? 0 : Math.sqrt(squares / count)
}

/**
 * Whether the trainer contradicts what stands nearest to the token at `at` in its run of scored tokens as well. Zeros that may be fillers themselves,
 * from `meantBefore` on, are left aside.
 */
function isOffAround({ tokens, sampler, trainer }: Scored, at: number, meantBefore: number, thresholds: Thresholds) {
  const { 'contradicts-zero': contradicts, 'zero-neighbours': nearest, 'zero-neighbours-off': enough } = thresholds
  const isInRun = (other: number) => other >= 0 && tokens[other] === (tokens[at] as number) + other - at
  let looked = 0
  let off = 0
  const look = (other: number) => {
    const near = tokens[other] as number
    const own = sampler[near] as number
    if (looked === nearest || (own === 0 && other >= meantBefore)) return
    looked++
    if (Math.abs(own - (trainer[near] as number)) > -contradicts) off++
  }
  for (let away = 1; looked < nearest; away++) {
    const [before, after] = [isInRun(at - away), isInRun(at + away)]
    if (!before && !after) break
    if (before) look(at - away)
    if (after) look(at + away)
  }
  return off >= enough
}

/** Whether the zero at `at` opens a later run of scored tokens, and the trainer, which contradicts it, agreed with one of the same token that opens the first. */
function isCertainAtFirst({ tokens, sampler, trainer, ids }: Scored, at: number, thresholds: Thresholds): boolean {
  if (at === 0 || isNext(tokens, at)) return false
  const [here, first] = [tokens[at] as number, tokens[0] as number]
  if (!((trainer[here] as number) < thresholds['contradicts-zero']) || ids[here] !== ids[first]) return false
  return sampler[first] === 0 && (trainer[first] as number) >= -thresholds['not-certain']
}
