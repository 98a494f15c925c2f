import { counted } from '../../model/number-text.ts'
import type { Steps } from '../../model/steps.ts'
import type { DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { shown } from '../groups/statistics.ts'
import { onceForDump } from '../once-for-dump.ts'
import type { RatioRange, RatiosBySide } from './left-out-ratios.ts'

/** What a trainer that rejects tokens by their ratio keeps: the log ratios of all that it trains; and how many tokens it leaves out for theirs. */
export interface RatioBand extends RatioRange {
  readonly tokens: number
}

/**
 * Rejection by token (verl's `rollout_rs`, IcePop): what the mask leaves out of trained turns are tokens whose ratio of trainer to sampler leaves the range of
 * all that is trained. By chance, a token does so as seldom as one is the extreme of all. Null where the mask leaves out as many others, or too few.
 */
export const ratioBand: (dump: DumpView) => Steps<RatioBand | null> = onceForDump(findBand)

function* findBand({ facts, settings }: DumpView): Steps<RatioBand | null> {
  const columns = new FactColumns(facts)
  if (columns.isEmpty('leftOutRatios') || columns.isEmpty('ratioRange')) return null
  const range = rangeOfAll(columns)
  yield 0.5
  let rejected = 0
  let others = 0
  for (const row of columns.having('leftOutRatios')) {
    if (row.trained === 0) continue
    const tokens = row.leftOutRatios?.tokens ?? 0
    if (isRejected(row, range)) rejected += tokens
    else others += tokens
  }
  return rejected >= settings.thresholds['rejected-tokens'] && rejected > others ? { ...range, tokens: rejected } : null
}

function rangeOfAll(columns: FactColumns): RatioRange {
  const [lows, highs] = [columns.numbers('ratioRange', 'least'), columns.numbers('ratioRange', 'greatest')]
  let least = Number.POSITIVE_INFINITY
  let greatest = Number.NEGATIVE_INFINITY
  for (let i = 0; i < lows.length; i++) {
    // Not where it is no number, as of a rollout without a range.
    if ((lows[i] as number) < least) least = lows[i] as number
    if ((highs[i] as number) > greatest) greatest = highs[i] as number
  }
  return { least, greatest }
}

/** Whether each token that the mask leaves out of trained turns was rejected. */
function isRejected({ leftOutRatios }: TrajectoryFacts, band: RatioRange): boolean {
  return leftOutRatios !== undefined && leavesBand(leftOutRatios, band)
}

export function leavesBand({ below, above }: RatiosBySide, { least, greatest }: RatioRange): boolean {
  return (below === null || below < least) && (above === null || above > greatest)
}

/** How many tokens without loss were rejected as the dump shows: they are none of what the mask misses. */
export function* countRejectedTokens(dump: DumpView): Steps<number> {
  const band = yield* ratioBand(dump)
  return band?.tokens ?? 0
}

/** Why tokens have no loss, as the end of a sentence. */
export function rejection({ below, above }: RatiosBySide, { least, greatest, tokens }: RatioBand): string {
  const [own, from, to] = [below ?? above ?? 0, least, greatest].map((ratio) => digits(Math.exp(ratio)))
  return `: its ratio of trainer to sampler is ${own}. ${counted(tokens, 'token')} that the mask leaves out amid trained turns lie beyond ${from} to ${to}, between which all trained tokens lie: rejection sampling by token leaves them out on purpose`
}

function digits(value: number): string {
  return shown(Number(value.toPrecision(3)))
}
