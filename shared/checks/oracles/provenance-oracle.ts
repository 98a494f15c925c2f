import { bytesBeside } from '../../containers/kernel/numbers.ts'
import { TRL_SAMPLER } from '../../formats/trl-logprobs.ts'
import { Provenance, type Segmentation, type Turn } from '../../model/tokens.ts'
import type { StoredArray, Trajectory } from '../../model/trajectory.ts'
import { tellLostBesideZeros, tellLostNumbers } from '../logprobs/lost-numbers.ts'
import { paddingOf } from './padding.ts'
import { countOf } from './spans.ts'

/**
 * Which tokens the model wrote, as far as the dump itself tells: one `Provenance` per token, null where nothing tells.
 *
 * - `sampled` flags say it outright.
 * - Sampler logprobs that are null or NaN on some tokens mark those as not sampled, the others as sampled.
 * - Trained words of a reply whose others have numbers lost theirs (`tellLostNumbers`), where the format writes 0.0 or above on what was not sampled.
 * - A placeholder that no logprob can be (above 0) does the same. A placeholder of 0.0 can be a legal logprob: a fifth of truly
 *   sampled tokens have it. There only the other values speak.
 *
 * Logprobs that score what the environment wrote as well (a forward pass over everything) tell nothing of who wrote what.
 */
export function provenanceOracle(
  trajectory: Trajectory,
  segmentation: Segmentation | null,
  ofFormat: number | 'nan' | null,
  mask: Uint8Array | null,
): Uint8Array | null {
  if (trajectory.sampled !== null) {
    return trajectory.sampled.map((flag) =>
      flag === 1 ? Provenance.sampled : flag === 0 ? Provenance.notSampled : Provenance.silent,
    )
  }
  const logprobs = trajectory.logprobs.sampler
  if (logprobs === null || isBlank(logprobs)) return null
  const padding = paddingOf({ segmentation, trajectory })
  const first = padding.left
  const end = logprobs.length - padding.right
  const stored = samplerArray(trajectory)
  // A row of TRL's batch is read by the native format, under the name that says what fills it.
  const ofTrl = stored?.name === TRL_SAMPLER
  const unsampledLogprob = ofTrl ? 0 : ofFormat
  const told = fromLogprobs(trajectory, logprobs, typeof unsampledLogprob === 'number' ? unsampledLogprob : null)
  // There it is the mask that takes a 0.0 for no logprob, and the mask is what is judged: where it lies off, it hides certain tokens.
  if (ofTrl) withoutDenials(told)
  // An array that the dump stored shorter was filled up with NaN: of its missing tail nothing is known.
  if (stored !== undefined && stored.length < stored.expected) {
    told.fill(Provenance.silent, told.length - (stored.expected - stored.length))
  }
  if (ofFormat === 0 && mask !== null) tellLostBesideZeros(told, logprobs, mask, samplerArrays(trajectory))
  // What was written as NaN beside nulls is a number that went wrong (L05), be it of a token that the model wrote or not.
  for (const token of stored?.nan ?? []) told[token] = Provenance.silent
  const placeholder = unsampledLogprob === null || unsampledLogprob === 'nan'
  // The first token has no logprob even where everything is scored.
  if (placeholder && countOf(told, Provenance.notSampled, first + 1, end) === 0) return null
  const isSamplersOwn = unsampledLogprob !== null
  if (isSamplersOwn && segmentation !== null && !scoresPrompt(told, segmentation))
    tellOwnTurns(told, segmentation.turns)
  else if (scoresEverything(told, segmentation)) return null
  if (isMoved(told, segmentation)) return null
  const isOfFormat = stored?.unsampled !== undefined
  if (mask !== null && segmentation !== null && (isOfFormat || unsampledLogprob === 0))
    tellLostNumbers(told, segmentation.turns, mask, isOfFormat)
  // Of an array that does not fit nobody knows which tokens it has no numbers of (S03).
  if (stored !== undefined && stored.length !== stored.expected) withoutDenials(told)
  return told
}

/** No token has a number: as without the array, nothing tells one token of the row from another (a demonstration beside rollouts, which no engine sampled). */
function isBlank(logprobs: Float32Array): boolean {
  for (let i = 0; i < logprobs.length; i++) if (!Number.isNaN(logprobs[i] as number)) return false
  return true
}

function withoutDenials(told: Uint8Array): void {
  for (let i = 0; i < told.length; i++) if (told[i] === Provenance.notSampled) told[i] = Provenance.silent
}

function scoresPrompt(told: Uint8Array, { turns, padding }: Segmentation): boolean {
  const first = turns.find(({ kind }) => kind === 'assistant')
  return first === undefined || countOf(told, Provenance.sampled, padding.left, first.start) > 0
}

/**
 * The format puts a number of its own on what nobody sampled, and holds it on the whole prompt: a later turn of another role that has numbers
 * of its own was written by the model itself, with what leads to it and the header of the answer. Its sampled tokens of 0.0 tell nothing by themselves.
 */
function tellOwnTurns(told: Uint8Array, turns: readonly Turn[]): void {
  const { sampled, silent } = Provenance
  for (const { kind, index, start, end } of turns) {
    if (kind === 'assistant' || kind === 'other') continue
    // An array that lies a token or two off reaches into the turn's edges.
    if (countOf(told, sampled, start + 2, end - 2) * 8 <= end - start) continue
    const [before, answer] = [turns[index - 1], turns[index + 1]]
    const from = before?.kind === 'assistant' && before.endToken >= 0 ? before.endToken : start
    const own = told.subarray(from, answer?.kind === 'assistant' ? answer.headerEnd : end)
    for (let i = 0; i < own.length; i++) if (own[i] === silent) own[i] = sampled
  }
}

const SAMPLER_ARRAY = /sampler|sampling_per_token|generation_log|rollout_log|infer(?:ence)?_log|^logprobs$/
/** The engine's in AsyncGRPO of TRL, the trainer's wherever both are stored. */
const EITHER_ARRAY = 'old_log_probs'

/** How the dump stores the logprobs of the sampler. */
export function samplerArray({ arrays, logprobs }: Trajectory): StoredArray | undefined {
  return arrays.find(({ name }) => isSamplers(name, logprobs))
}

/** One for each file that has them, and for each part of the context that a rank holds. */
function samplerArrays({ arrays, logprobs }: Trajectory): StoredArray[] {
  return arrays.filter(({ name }) => isSamplers(name, logprobs))
}

function isSamplers(name: string, { trainer }: Trajectory['logprobs']): boolean {
  return SAMPLER_ARRAY.test(name) || (name === EITHER_ARRAY && trainer === null)
}

/**
 * Most turns that the model wrote (the first aside, where there are others) seem to begin one token early and to lack their end token, or
 * the reverse: the array lies one token off (L06), and of no token is it known what its number is of.
 */
function isMoved(told: Uint8Array, segmentation: Segmentation | null): boolean {
  const whole = (segmentation?.turns ?? []).filter(
    ({ kind, header, endToken, contentStart, contentEnd }) =>
      kind === 'assistant' && header === 'present' && endToken >= 0 && contentEnd > contentStart,
  )
  const turns = whole.length > 1 ? whole.slice(1) : whole
  const { sampled, notSampled } = Provenance
  let early = 0
  let late = 0
  // What lies late has lost the number of a token that the row ends with: such a turn shows it by no end, and the first has to.
  const lastShown = told.length - 1
  const areShown = turns.filter(({ endToken }) => endToken < lastShown)
  const ended = areShown.length > 0 ? areShown : whole.filter(({ endToken }) => endToken < lastShown)
  for (const { start, contentStart, endToken } of ended) {
    if (told[start] !== sampled && told[contentStart] === notSampled && told[endToken + 1] === sampled) late++
  }
  for (const { start, headerEnd, contentStart, endToken } of turns) {
    // A header that the model wrote as well is no sign.
    if (told[start] === sampled) continue
    // A block of the template that only ends with what was sampled is reached by what lies early; one that the model wrote is sampled whole.
    const intoBlock = told[headerEnd] === notSampled && told[contentStart - 1] === sampled
    if ((told[headerEnd - 1] === sampled || intoBlock) && told[endToken] !== sampled) early++
  }
  return early * 2 > turns.length || late * 2 > ended.length
}

function fromLogprobs({ ids }: Trajectory, logprobs: Float32Array, placeholder: number | null): Uint8Array {
  const told = ids === null ? new Uint8Array(logprobs.length) : bytesBeside(ids, logprobs.length)
  const { sampled, notSampled, silent } = Provenance
  // No number equals a NaN: then none is the placeholder, and nothing but numbers is compared.
  const filler = placeholder ?? Number.NaN
  const ofFiller = filler > 0 ? notSampled : silent
  for (let i = 0; i < logprobs.length; i++) {
    const value = logprobs[i] as number
    told[i] = value === filler ? ofFiller : Number.isNaN(value) ? notSampled : sampled
  }
  return told
}

/**
 * Most of some turn that the environment wrote has logprobs of its own, and no other that came behind an answer is without any: where one is, only
 * sampled tokens are scored, and a turn with numbers was written by the model itself. So it is in a row without any turn of the model, where one of the prompt is
 * without any: what lost its header, or the question before that, is all that the model wrote.
 */
function scoresEverything(told: Uint8Array, segmentation: Segmentation | null): boolean {
  const { sampled, notSampled } = Provenance
  let isAnswered = false
  let isScored = false
  let isPromptUnscored = false
  for (const { kind, contentStart, contentEnd } of segmentation?.turns ?? []) {
    isAnswered ||= kind === 'assistant'
    if (kind === 'assistant' || kind === 'other' || contentStart === contentEnd) continue
    const isUnscored = countOf(told, notSampled, contentStart, contentEnd) === contentEnd - contentStart
    if (isAnswered && isUnscored) return false
    isPromptUnscored ||= isUnscored
    isScored ||= countOf(told, sampled, contentStart, contentEnd) * 2 > contentEnd - contentStart
  }
  return isScored && (isAnswered || !isPromptUnscored)
}
