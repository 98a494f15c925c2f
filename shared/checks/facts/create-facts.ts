import { hashAhead } from '../../containers/kernel/numbers.ts'
import { kernelWith } from '../../containers/kernel/thread-kernel.ts'
import { hashOfNumbers } from '../../model/bulk-hash.ts'
import { Hash64 } from '../../model/hash.ts'
import { LIMIT_NAMES, type LimitName } from '../../model/streams.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import { type Segmentation, type Span, TokenState } from '../../model/tokens.ts'
import { hasNaNAdvantage, type Trajectory } from '../../model/trajectory.ts'
import type { Tokenizer } from '../../tokens/tokenizer.ts'
import { branchEnds } from '../grouping/branch-ends.ts'
import { environmentFact } from '../grouping/environment.ts'
import { brokenPrefix } from '../layout/broken-prefix.ts'
import { isShort } from '../logprobs/no-numbers.ts'
import { trainedPromptFacts } from '../mask/prompt-trained.ts'
import { calledTools, callFacts } from '../oracles/called-tools.ts'
import { edgesOf, filledTurns, ownSpans, writtenTurns } from '../oracles/edges.ts'
import { endReason, isCallStop, isModelStop, saysCut } from '../oracles/end-reason.ts'
import { type AnsweredInside, answerInsidePrompt, LONGEST_PREFILL, storedPromptEnd } from '../oracles/prompt-end.ts'
import { unansweredEnd } from '../oracles/unanswered-end.ts'
import { answerFacts } from '../texts/answer-place.ts'
import { expectedAnswer } from '../texts/expected-answer.ts'
import { countLostTokens } from '../texts/lost-tokens.ts'
import { pairingFacts } from '../texts/pairing.ts'
import { supportingDocuments } from '../texts/supporting-documents.ts'
import { isDefaultSystem, systemHashes, systemText } from '../texts/system-text.ts'
import { cutReplies } from '../truncation/cut-replies.ts'
import { beginsWritten, leftCut } from '../truncation/left-cut.ts'
import { longReplies } from '../truncation/long-replies.ts'
import { endsAtTag, stopsInCall, stopsWithoutCall } from '../truncation/stops-in-call.ts'
import { textSize } from '../truncation/text-size.ts'
import { type EndReason, PREFIX_TOKENS, type TrajectoryFacts } from './facts.ts'
import { drawStrip, type StateRun, stateRuns } from './strip.ts'
import { messageFacts, turnFacts } from './turn-facts.ts'

/** What `createView` found in the tokens; a trajectory of text alone has none. */
export interface PreparedTokens {
  readonly ids: Int32Array
  readonly mask: Uint8Array | null
  readonly provenance: Uint8Array | null
  readonly weights: Float32Array | null
  readonly states: Uint8Array
  readonly padding: { readonly left: number; readonly right: number }
  readonly segmentation: Segmentation | null
  /** Null where none frames turns. */
  readonly tokenizer: Tokenizer | null
  readonly thresholds: Thresholds
  text(span: Span): string
}

/** The facts of a trajectory. Without tokens: those that its fields and messages tell. */
export function createFacts(trajectory: Trajectory, tokens: PreparedTokens | null = null): TrajectoryFacts {
  const segmentation = tokens?.segmentation ?? null
  const end = endReason(trajectory, segmentation, tokens)
  const { advantage, maxAdvantage, changesAt, broken } = advantagesOf(trajectory, tokens)
  const answered = tokens === null ? null : answerInsidePrompt(trajectory, tokens.mask, segmentation)
  const shape = tokens === null ? NO_TOKENS : shapeFacts(trajectory, tokens, answered)
  const turns =
    segmentation === null || tokens === null ? messageFacts(trajectory) : turnFacts(segmentation, trajectory, tokens)
  // Field by field: a dump has millions, and spreading a part into an object costs more than finding out what is in it.
  const facts: { -readonly [Name in keyof TrajectoryFacts]: TrajectoryFacts[Name] } = {
    place: trajectory.place,
    id: trajectory.id,
    recordHash: trajectory.recordHash,
    branchOf: trajectory.branch === null ? null : trajectory.rolloutId,
    group: trajectory.group,
    groupSize: trajectory.groupSize,
    step: trajectory.step,
    reward: trajectory.reward,
    rewards: trajectory.rewards,
    advantage,
    maxAdvantage,
    length: shape.length,
    realLength: shape.realLength,
    promptLength: shape.promptLength,
    trained: shape.trained,
    masked: shape.masked,
    padding: shape.padding,
    unknown: shape.unknown,
    weight: shape.weight,
    idsHash: shape.idsHash,
    promptHash: shape.promptHash,
    strip: shape.strip,
    turns: turns.turns,
    assistantTurns: turns.assistantTurns,
    toolTurns: turns.toolTurns,
    assistantLengths: turns.assistantLengths,
    toolReplyLengths: turns.toolReplyLengths,
    endReason: end,
    finishReason: trajectory.finishReason,
    isTruncated: trajectory.isTruncated,
    excluded: trajectory.excluded,
    model: trajectory.model,
    temperature: trajectory.temperature,
    pairing: pairingFacts(trajectory, segmentation, tokens?.tokenizer?.table ?? null, tokens ?? undefined),
    lost: tokens === null ? 0 : countLostTokens(trajectory, tokens, end),
    supportingDocuments: tokens === null ? null : supportingDocuments(trajectory, tokens),
  }
  // What most rollouts lack is added where it is there.
  const more = (part: Partial<TrajectoryFacts> | null) => part !== null && Object.assign(facts, part)
  more(brokenPrefix(trajectory, tokens))
  more(changesAt < 0 ? null : { advantageChangesAt: changesAt })
  more(broken === null ? null : { brokenAdvantage: broken })
  more(ownLimits(trajectory))
  more(environmentFact(trajectory))
  more(recordFacts(trajectory, segmentation))
  if (tokens === null) return facts
  const { ids, tokenizer } = tokens
  const system = segmentation === null || tokenizer === null ? null : systemText(tokenizer.table, ids, segmentation)
  facts.firstRole = firstRole(tokens)
  if (segmentation !== null && segmentation.turns.length > 0) facts.edges = edgesOf(segmentation)
  facts.lastToken = lastToken(ids, segmentation)
  more(callFacts(tokens))
  more(closingFacts(segmentation))
  if (end === 'stop' && segmentation !== null && saysCut(trajectory)) more(flaggedEnd(segmentation))
  more(toldOfEnd(trajectory, end, tokens))
  // Where the prompt is cut inside its system turn, words of the completion stand in it (C02).
  facts.systemHash = system === null || isCutInside(segmentation, facts.promptLength) ? null : system.hash
  if (system !== null && facts.systemHash !== null) more(systemHashes(system, trajectory.messages))
  facts.promptDate = system?.date ?? null
  if (system !== null && tokenizer !== null && isDefaultSystem(trajectory, tokenizer, system.text))
    facts.defaultSystem = true
  more(answerFacts(trajectory, tokens))
  more(startFacts(trajectory, tokens))
  more(branchEnds(trajectory, tokens))
  more(rootFacts(tokens, facts))
  if (shape.oneBosHash !== null) facts.oneBosHash = shape.oneBosHash
  if (answered !== null || isPromptOpen(segmentation)) facts.promptOpen = true
  more(trainedPromptFacts(trajectory, tokens))
  more(replyFacts(trajectory, tokens))
  more(longReplies(ids, segmentation, tokenizer, segmentation === null ? [] : calledTools(segmentation, tokens.text)))
  more(prefixFacts(tokens))
  return facts
}

function recordFacts(trajectory: Trajectory, segmentation: Segmentation | null): Partial<TrajectoryFacts> | null {
  const unanswered = unansweredEnd(trajectory, segmentation)
  const expected = expectedAnswer(trajectory)
  return unanswered === null ? expected : { ...expected, unanswered }
}

/** Trainers write 0 or -1 where nothing is limited. */
function ownLimits({ limits }: Trajectory): Pick<TrajectoryFacts, 'limits'> | null {
  if (limits === null) return null
  const known: Partial<Record<LimitName, number>> = {}
  for (const name of LIMIT_NAMES) {
    const value = limits[name] ?? null
    if (value !== null && value > 0 && Number.isFinite(value)) known[name] = value
  }
  return Object.keys(known).length === 0 ? null : { limits: known }
}

function replyFacts(trajectory: Trajectory, tokens: PreparedTokens) {
  const cut = cutReplies(trajectory, tokens)
  const { ids, tokenizer } = tokens
  if (cut.length === 0 || tokenizer === null) return null
  const tokensIn = (span: Span) => textSize(tokenizer.table, ids, span, false, false).tokens
  return { cutReplies: cut.map(({ span, characters }) => ({ tokens: tokensIn(span), characters })) }
}

const NO_TOKENS = {
  length: 0,
  realLength: 0,
  promptLength: null,
  trained: null,
  masked: null,
  padding: 0,
  unknown: 0,
  weight: null,
  idsHash: null,
  promptHash: null,
  oneBosHash: null,
  strip: new Uint8Array(0),
}

function shapeFacts(trajectory: Trajectory, tokens: PreparedTokens, answered: AnsweredInside | null) {
  const { ids, mask, weights, states, padding, segmentation } = tokens
  const runs = stateRuns(states)
  const counts = countStates(runs)
  const end = ids.length - padding.right
  const stored = answered?.at ?? storedPromptEnd(trajectory, segmentation, padding)
  const promptLength = stored === null ? promptEnd(segmentation, end, padding.left) : stored - padding.left
  let weight: number | null = mask === null ? null : counts.trained
  if (weights !== null && mask !== null) {
    weight = 0
    for (let i = 0; i < ids.length; i++) if (mask[i] === 1) weight += weights[i] as number
  }
  const asked = askedLength(tokens, promptLength)
  const { idsHash, promptHash } = identity(ids, padding.left, asked, end)
  const [first, second] = segmentation?.bos ?? []
  const isDoubled = first === padding.left && second === first + 1
  return {
    length: ids.length,
    realLength: end - padding.left,
    promptLength,
    trained: mask === null ? null : counts.trained,
    masked: mask === null ? null : counts.masked,
    padding: padding.left + padding.right,
    unknown: counts.unknown,
    weight,
    idsHash,
    promptHash,
    oneBosHash: isDoubled && asked !== null ? identity(ids, padding.left + 1, asked - 1, end).promptHash : null,
    strip: drawStrip(states, runs),
  }
}

function lastToken(ids: Int32Array, segmentation: Segmentation | null): number | null {
  const last = segmentation?.turns.at(-1)
  return last === undefined ? null : (ids[last.separatorStart - 1] ?? null)
}

/** A turn before the model's first has no end token, and the header of the next follows. */
function isPromptOpen(segmentation: Segmentation | null): boolean {
  const turns = segmentation?.turns ?? []
  for (const { kind, header, endToken, index } of turns) {
    if (kind === 'assistant') return false
    if (kind !== 'other' && header === 'present' && endToken < 0 && turns[index + 1]?.header === 'present') return true
  }
  return false
}

/** The stored prompt ends before the first turn does. */
function isCutInside(segmentation: Segmentation | null, promptLength: number | null): boolean {
  const first = segmentation?.turns[0]
  if (first === undefined || promptLength === null) return false
  return (segmentation?.padding.left ?? 0) + promptLength < first.contentEnd
}

/** What of the ids denies, or bears out, that the model stopped there. */
function toldOfEnd({ finishReason, isTruncated }: Trajectory, end: EndReason, tokens: PreparedTokens) {
  if (end === 'cut-prose' && isTruncated === false) return endsAtTag(tokens)
  if (end === 'cut-call' && isModelStop(finishReason)) return stopsInCall(tokens)
  return end === 'stop' && isCallStop(finishReason) ? stopsWithoutCall(tokens) : null
}

function closingFacts(segmentation: Segmentation | null): Pick<TrajectoryFacts, 'endsClosed' | 'openEnd' | 'noEnds'> {
  const last = segmentation === null ? undefined : filledTurns(segmentation).at(-1)
  if (segmentation === null || last === undefined) return { endsClosed: null }
  if (last.endToken >= 0) return { endsClosed: true }
  const written = writtenTurns(segmentation)
  const noEnds = written.length > 0 && written.every(({ endToken }) => endToken < 0)
  return { endsClosed: false, openEnd: [last.contentStart, last.contentEnd], ...(noEnds ? { noEnds } : null) }
}

/** Of a row that is flagged as cut and ends properly. */
function flaggedEnd(segmentation: Segmentation): Pick<TrajectoryFacts, 'flaggedEnd'> | null {
  const last = filledTurns(segmentation).at(-1)
  if (last === undefined || last.kind !== 'assistant' || last.endToken < 0) return null
  return last.spans.some(({ part }) => part === 'tool_call') ? null : { flaggedEnd: [last.endToken, last.endToken + 1] }
}

/** Tokens whose text is kept of a row that begins inside a turn. */
const SHOWN_TOKENS = 24

function startFacts(
  trajectory: Trajectory,
  tokens: PreparedTokens,
): Pick<TrajectoryFacts, 'cutLeft' | 'beginsWritten'> | null {
  const cut = leftCut(trajectory, tokens)
  if (cut === null) {
    const written = beginsWritten(trajectory, tokens)
    return written === null ? null : { beginsWritten: [written.start, written.end] }
  }
  const { start, end, lost } = cut
  const text = tokens.text({ start, end: Math.min(end, start + SHOWN_TOKENS) })
  return { cutLeft: { tokens: [start, end], text, lost: lost?.tokens ?? null } }
}

function countStates(runs: readonly StateRun[]) {
  let trained = 0
  let masked = 0
  let unknown = 0
  for (const { state, length } of runs) {
    if (state === TokenState.trained) trained += length
    else if (state === TokenState.masked) masked += length
    else if (state === TokenState.unknown) unknown += length
  }
  return { trained, masked, unknown }
}

/** Hashes of the ids without padding, and of those of the prompt. */
function identity(ids: Int32Array, start: number, promptLength: number | null, end: number) {
  const hasher = kernelWith(ids)
  const whole = start === 0 && end === ids.length ? hashAhead(ids) : null
  const idsHash = (whole ?? hashOfNumbers(ids, start, end, hasher)).digest()
  if (promptLength === null) return { idsHash, promptHash: null }
  const promptEnd = Math.max(start, Math.min(end, start + promptLength))
  return { idsHash, promptHash: hashOfNumbers(ids, start, promptEnd, hasher).digest() }
}

/** A row that was cut between two turns begins with what the template writes between them, and its first turn is whole. */
function firstRole({ segmentation, padding, text }: PreparedTokens): string | null {
  if (segmentation === null) return null
  const { turns, cutLeft } = segmentation
  if (!cutLeft) return turns[0]?.role ?? null
  const first = turns.find(({ header }) => header === 'present')
  if (first === undefined || first.index > 1) return null
  return text({ start: padding.left, end: first.start }).trim() === '' ? first.role : null
}

/**
 * Tokens of what was asked: a prompt that ends in the opening of the model's first turn ends before it, since header and prefill may be split,
 * merged or rendered otherwise from row to row, and the prompt is the same. So does one whose stored length lies inside the turn before (S05).
 */
function askedLength({ segmentation, padding, mask }: PreparedTokens, promptLength: number | null): number | null {
  const first = segmentation?.turns.find(({ kind }) => kind === 'assistant')
  if (first === undefined || promptLength === null) return promptLength
  const whole = first.start - padding.left
  const end = padding.left + promptLength
  if (first.start < end) return end <= first.contentStart + LONGEST_PREFILL ? whole : promptLength
  const before = segmentation?.turns[first.index - 1]
  const isInside = before !== undefined && before.start < end && end < before.contentEnd
  // What is trained there is an answer whose header is missing.
  return isInside && !mask?.subarray(end, first.start).includes(1) ? whole : promptLength
}

/** The prompt of a row by call goes on behind the first reply, and is the prompt of the first call before it. */
function rootFacts(
  { ids, segmentation, padding }: PreparedTokens,
  { promptLength }: Pick<TrajectoryFacts, 'promptLength'>,
): Pick<TrajectoryFacts, 'rootHash'> | null {
  const first = segmentation?.turns.find(({ kind }) => kind === 'assistant')
  if (first === undefined || promptLength === null) return null
  const isWhole = padding.left + promptLength <= first.contentStart + LONGEST_PREFILL
  return isWhole ? null : { rootHash: hashOfNumbers(ids, padding.left, first.start, kernelWith(ids)).digest() }
}

/** Tokens through the header of the first assistant turn, left padding excluded; a row without one is all prompt. */
function promptEnd(segmentation: Segmentation | null, end: number, left: number): number | null {
  if (segmentation === null || segmentation.turns.length === 0) return null
  const first = segmentation.turns.find(({ kind }) => kind === 'assistant')
  return (first?.headerEnd ?? end) - left
}

/** One pass over what the model wrote, as far as the longest prefix goes. */
function prefixFacts({ ids, segmentation }: PreparedTokens): Pick<TrajectoryFacts, 'prefixHashes'> | null {
  if (segmentation === null) return null
  const hash = new Hash64()
  const digests: string[] = []
  let hashed = 0
  for (const turn of writtenTurns(segmentation)) {
    if (digests.length === PREFIX_TOKENS.length) break
    for (const { start, end } of ownSpans(turn)) {
      let at = start
      while (at < end && digests.length < PREFIX_TOKENS.length) {
        const due = PREFIX_TOKENS[digests.length] as number
        const to = Math.min(end, at + due - hashed)
        hash.words(ids, at, to)
        hashed += to - at
        at = to
        if (hashed === due) digests.push(hash.digest().slice(0, 8))
      }
    }
  }
  return digests.length === 0 ? null : { prefixHashes: digests }
}

/**
 * Of trained tokens; padding has no advantage of its own, and where it is trained that is another fault. One that is no finite number is
 * `broken` (S03), and nothing is computed with it; where no token has one, the other rollouts tell whether any is due.
 */
function advantagesOf(trajectory: Trajectory, tokens: PreparedTokens | null) {
  const { advantage, advantages, arrays, noneDue } = trajectory
  const whole = advantage !== null && Number.isFinite(advantage) ? advantage : null
  const ofWhole = hasNaNAdvantage(trajectory) ? 'NaN' : advantage === whole ? null : String(advantage)
  if (advantages === null) {
    const broken = ofWhole === null ? null : { value: ofWhole, token: null, tokens: 0 }
    return { advantage: whole, maxAdvantage: whole === null ? null : Math.abs(whole), changesAt: -1, broken }
  }
  let common = Number.NaN
  let changesAt = -1
  let largest = -1
  let brokenAt = -1
  let brokenTokens = 0
  const end = advantages.length - (tokens?.padding.right ?? 0)
  for (let i = tokens?.padding.left ?? 0; i < end; i++) {
    if (tokens?.mask?.[i] !== 1) continue
    const value = advantages[i] as number
    if (!Number.isFinite(value)) {
      if (noneDue.advantages?.[i] === 1) continue
      if (brokenAt < 0) brokenAt = i
      brokenTokens++
      continue
    }
    if (largest < 0) common = value
    else if (common !== value && changesAt < 0) changesAt = i
    largest = Math.max(largest, Math.abs(value))
  }
  const first = advantages[brokenAt] ?? 0
  const isAbsent = Number.isNaN(first) && (largest < 0 || isShort(arrays))
  return {
    advantage: whole ?? (largest >= 0 && changesAt < 0 ? common : null),
    maxAdvantage: largest < 0 ? null : largest,
    changesAt,
    broken: brokenAt < 0 || isAbsent ? null : { value: String(first), token: brokenAt, tokens: brokenTokens },
  }
}
