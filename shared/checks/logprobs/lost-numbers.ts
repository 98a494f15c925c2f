import { Provenance, type Span, type Turn } from '../../model/tokens.ts'
import type { StoredArray } from '../../model/trajectory.ts'
import type { TrajectoryView } from '../check.ts'
import { countOf, runsOf } from '../oracles/spans.ts'
import { isShort } from './no-numbers.ts'

/**
 * Trained words of a reply that have no number while others of the same reply have theirs: numbers that were lost (L05), of which `told` must not say
 * that the model did not write them. `isFiller`: what stands there is what the format writes on everything that nobody sampled. Where it is
 * not, rows may still hold it in its place.
 */
export function tellLostNumbers(told: Uint8Array, turns: readonly Turn[], mask: Uint8Array, isFiller: boolean): void {
  const { sampled, notSampled, silent } = Provenance
  let isOwn = isFiller
  for (const turn of turns) {
    const { kind, contentStart, contentEnd } = turn
    if (kind !== 'assistant' || countOf(told, notSampled, contentStart, contentEnd) === 0) continue
    if (countOf(told, sampled, contentStart, contentEnd) === 0) continue
    for (const run of runsOf(told, notSampled, contentStart, contentEnd)) {
      // An engine loses numbers one by one: what others wrote into a reply, or encoded anew in it (T02, T12, T16), is longer.
      if (run.end > run.start + 1 || isOfOthers(told, turn, run)) continue
      if (mask[run.start] !== 1) continue
      if (!isOwn && standsForMasked(told, mask)) return
      isOwn = true
      told[run.start] = silent
    }
  }
}

/**
 * The format writes 0.0 on whatever nobody sampled, and so does this row: no masked token among its trained ones is without a number. Then a trained
 * one without lost its own (L05), one or all of them, and `told` must not say that the model did not write it. A row that has none on anything it
 * trains must show by a 0.0 on what is masked that somebody wrote numbers at all.
 *
 * @param sampler logprobs by token, NaN where there is none
 * @param stored how the dump stores them: where no array reaches from the first trained token to the end, a rank has a part of them alone
 */
export function tellLostBesideZeros(
  told: Uint8Array,
  sampler: Float32Array,
  mask: Uint8Array,
  stored: readonly StoredArray[],
): void {
  const { notSampled, silent } = Provenance
  const from = mask.indexOf(1)
  if (from < 0 || !stored.some(({ expected }) => mask.length - expected <= from)) return
  if (countOf(told, notSampled, from, mask.length) === 0 || standsForMasked(told, mask)) return
  let isWritten = false
  for (let token = 0; token < mask.length && !isWritten; token++) {
    isWritten = mask[token] === 1 ? !Number.isNaN(sampler[token] as number) : sampler[token] === 0
  }
  if (!isWritten) return
  for (let token = from; token < mask.length; token++)
    if (mask[token] === 1 && told[token] === notSampled) told[token] = silent
}

/** What the template or the environment writes into a reply: the tag that opens it (M09), a result with the lines around it (M01), the end that closes it (M14). */
function isOfOthers(told: Uint8Array, { spans, contentEnd, endToken }: Turn, { start, end }: Span): boolean {
  if (end === contentEnd && endToken >= 0 && told[endToken] === Provenance.notSampled) return true
  return spans.some(
    ({ part, ...span }) =>
      (part === 'tool' && span.start <= end && span.end >= start) ||
      (part === 'think' && span.start >= start && span.start < end),
  )
}

/** Some token without a number is masked, among those that are trained. */
function standsForMasked(told: Uint8Array, mask: Uint8Array): boolean {
  const last = mask.lastIndexOf(1)
  for (let token = mask.indexOf(1); token < last; token++)
    if (mask[token] === 0 && told[token] === Provenance.notSampled) return true
  return false
}

/** Whether the token at `token`, which has no number, lost the one that it had. */
export function hasLostNumber({ trajectory, provenance, ids }: TrajectoryView, token: number): boolean {
  const { sampled, arrays } = trajectory
  if (isShort(arrays) && token >= Math.min(ids.length, ...arrays.map(({ length }) => length))) return false
  return sampled === null ? provenance?.[token] === Provenance.silent : sampled[token] === 1
}
