import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Span } from '../../model/tokens.ts'

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
 * it is surprised at the very word of which both were certain at the beginning of the first. No turn is certain from its first token to its last.
 */
export function placeholdersAmong(scored: Scored, thresholds: Thresholds): Placeholders {
  const { tokens, sampler, trainer } = scored
  const beyond = Math.min(thresholds['contradicts-zero'], -thresholds['zero-beyond-noise'] * noiseOf(scored))
  const contradicted: number[] = []
  const leftOut = new Set<number>()
  // Zeros before it were meant, or the trainer agrees with them.
  let meantBefore = 0
  let nearest: Nearest | null = null
  for (let from = 0; from < tokens.length; ) {
    if (sampler[tokens[from] as number] !== 0) {
      from++
      continue
    }
    let end = from + 1
    while (end < tokens.length && isNext(tokens, end) && sampler[tokens[end] as number] === 0) end++
    const before = contradicted.length
    const isWhole = isWholeRun(scored, { start: from, end }, thresholds)
    if (!isWhole && isCertainAtFirst(scored, from, thresholds)) meantBefore = end
    for (let at = Math.max(from, meantBefore); at < end; at++) {
      const token = tokens[at] as number
      if (!((trainer[token] as number) < beyond)) continue
      nearest ??= nearestWithoutZero(scored)
      if (isOffAround(scored, nearest, at, meantBefore, thresholds)) meantBefore = at + 1
      else contradicted.push(token)
    }
    const found = contradicted.slice(before)
    const areAll = found.length * 2 > end - from || (isWhole && found.length > 0)
    for (const token of areAll ? tokens.subarray(from, end) : found) leftOut.add(token)
    from = end
  }
  return { contradicted, leftOut }
}

/** Whether the token at `at` directly follows the scored one before it. */
function isNext(tokens: Int32Array, at: number): boolean {
  return tokens[at] === (tokens[at - 1] as number) + 1
}

/** Whether a turn of many tokens has zeros alone, from its first scored token to its last, and less than half of all others are zeros. */
function isWholeRun(
  { tokens, sampler }: Scored,
  { start, end }: Span,
  { 'scored-tokens': enough }: Thresholds,
): boolean {
  const isInside = (start > 0 && isNext(tokens, start)) || (end < tokens.length && isNext(tokens, end))
  if (isInside || end - start < enough) return false
  let zeros = 0
  for (const token of tokens) if (sampler[token] === 0) zeros++
  return 2 * (zeros - (end - start)) < tokens.length - (end - start)
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

/** For each scored token the index of the nearest one before or behind it, itself included, that has no 0.0; below 0 and past the last where there is none. */
interface Nearest {
  readonly before: Int32Array
  readonly behind: Int32Array
}

/** Found once for a rollout: a turn of fillers would be walked through for each of them. */
function nearestWithoutZero({ tokens, sampler }: Scored): Nearest {
  const [before, behind] = [new Int32Array(tokens.length), new Int32Array(tokens.length)]
  for (let at = 0, last = -1; at < tokens.length; at++) {
    if (sampler[tokens[at] as number] !== 0) last = at
    before[at] = last
  }
  for (let at = tokens.length - 1, last = tokens.length; at >= 0; at--) {
    if (sampler[tokens[at] as number] !== 0) last = at
    behind[at] = last
  }
  return { before, behind }
}

/**
 * Whether the trainer contradicts what stands nearest to the token at `at` in its run of scored tokens as well. Zeros that may be fillers themselves,
 * from `meantBefore` on, are left aside.
 */
function isOffAround(scored: Scored, nearest: Nearest, at: number, meantBefore: number, thresholds: Thresholds) {
  const { tokens, sampler, trainer } = scored
  const { 'contradicts-zero': contradicts, 'zero-neighbours': most, 'zero-neighbours-off': enough } = thresholds
  const isInRun = (other: number) => other >= 0 && tokens[other] === (tokens[at] as number) + other - at
  const before = (other: number) =>
    other <= meantBefore ? other - 1 : Math.max(meantBefore - 1, nearest.before[other - 1] as number)
  const behind = (other: number) => nearest.behind[other + 1] ?? tokens.length
  let [left, right] = [before(at), behind(at)]
  let off = 0
  for (let looked = 0; looked < most; looked++) {
    const [hasLeft, hasRight] = [isInRun(left), isInRun(right)]
    if (!hasLeft && !hasRight) break
    const isLeft = hasLeft && (!hasRight || at - left <= right - at)
    const near = tokens[isLeft ? left : right] as number
    if (Math.abs((sampler[near] as number) - (trainer[near] as number)) > -contradicts) off++
    if (isLeft) left = before(left)
    else right = behind(right)
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
