import { PREFIX_BROKEN } from '../formats/model-calls.ts'
import { Hash64 } from '../model/hash.ts'
import { LIMIT_NAMES, type LimitName } from '../model/streams.ts'
import type { Thresholds } from '../model/thresholds/registry.ts'
import { type Segmentation, type Span, TokenState, type Turn } from '../model/tokens.ts'
import type { Trajectory } from '../model/trajectory.ts'
import type { Tokenizer } from '../tokens/tokenizer.ts'
import { answerFacts } from './answer-place.ts'
import { filledTurns, writtenTurns } from './edges.ts'
import { endReason } from './end-reason.ts'
import { PREFIX_TOKENS, type TrajectoryFacts } from './facts.ts'
import { countLostTokens } from './lost-tokens.ts'
import { trainedPromptFacts } from './mask/prompt-trained.ts'
import { pairingFacts } from './pairing.ts'
import { storedPromptEnd } from './prompt-end.ts'
import { lengthOf } from './spans.ts'
import { drawStrip, type StateRun, stateRuns } from './strip.ts'
import { supportingDocuments } from './supporting-documents.ts'
import { systemText } from './system-text.ts'
import { cutReplies } from './truncation/cut-replies.ts'
import { leftCut } from './truncation/left-cut.ts'

/** What `createView` found in the tokens; a trajectory of text alone has none. */
export interface PreparedTokens {
  readonly ids: Int32Array
  readonly mask: Uint8Array | null
  readonly weights: Float32Array | null
  readonly states: Uint8Array
  readonly padding: { readonly left: number; readonly right: number }
  readonly segmentation: Segmentation | null
  /** Null where none frames turns. */
  readonly tokenizer: Tokenizer | null
  readonly thresholds: Thresholds
  text(span: Span): string
}

function brokenPrefix({ issues }: Trajectory): Pick<TrajectoryFacts, 'prefixBroken'> {
  const broken = issues.find(({ code }) => code === PREFIX_BROKEN)
  return broken === undefined ? {} : { prefixBroken: broken.message }
}

/** The facts of a trajectory. Without tokens: those that its fields and messages tell. */
export function createFacts(trajectory: Trajectory, tokens: PreparedTokens | null = null): TrajectoryFacts {
  const end = endReason(trajectory, tokens?.segmentation ?? null)
  return {
    place: trajectory.place,
    id: trajectory.id,
    recordHash: trajectory.recordHash,
    branchOf: trajectory.branch === null ? null : trajectory.rolloutId,
    ...brokenPrefix(trajectory),
    group: trajectory.group,
    groupSize: trajectory.groupSize,
    step: trajectory.step,
    reward: trajectory.reward,
    rewards: trajectory.rewards,
    ...advantageFacts(trajectory, tokens),
    ...(tokens === null ? NO_TOKENS : tokenFacts(trajectory, tokens)),
    ...(tokens?.segmentation ? turnFacts(tokens.segmentation) : messageFacts(trajectory)),
    endReason: end,
    finishReason: trajectory.finishReason,
    isTruncated: trajectory.isTruncated,
    ...ownLimits(trajectory),
    excluded: trajectory.excluded,
    model: trajectory.model,
    temperature: trajectory.temperature,
    pairing: pairingFacts(trajectory, tokens?.segmentation ?? null),
    lost: tokens === null ? 0 : countLostTokens(trajectory, tokens, end),
    ...(tokens === null ? {} : { ...replyFacts(trajectory, tokens), ...prefixFacts(tokens) }),
    supportingDocuments: tokens === null ? null : supportingDocuments(trajectory, tokens),
  }
}

/** Trainers write 0 or -1 where nothing is limited. */
function ownLimits({ limits }: Trajectory): Pick<TrajectoryFacts, 'limits'> {
  if (limits === null) return {}
  const known: Partial<Record<LimitName, number>> = {}
  for (const name of LIMIT_NAMES) {
    const value = limits[name] ?? null
    if (value !== null && value > 0 && Number.isFinite(value)) known[name] = value
  }
  return Object.keys(known).length === 0 ? {} : { limits: known }
}

function replyFacts(trajectory: Trajectory, tokens: PreparedTokens) {
  const cut = cutReplies(trajectory, tokens)
  if (cut.length === 0) return {}
  return { cutReplies: cut.map(({ span, characters }) => ({ tokens: span.end - span.start, characters })) }
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
  strip: new Uint8Array(0),
}

function tokenFacts(trajectory: Trajectory, tokens: PreparedTokens) {
  const { ids, mask, weights, states, padding, segmentation } = tokens
  const runs = stateRuns(states)
  const counts = countStates(runs)
  const end = ids.length - padding.right
  const stored = storedPromptEnd(trajectory, segmentation, padding)
  const promptLength = stored === null ? promptEnd(segmentation, end, padding.left) : stored - padding.left
  let weight: number | null = mask === null ? null : counts.trained
  if (weights !== null && mask !== null) {
    weight = 0
    for (let i = 0; i < ids.length; i++) if (mask[i] === 1) weight += weights[i] as number
  }
  return {
    length: ids.length,
    realLength: end - padding.left,
    promptLength,
    trained: mask === null ? null : counts.trained,
    masked: mask === null ? null : counts.masked,
    padding: padding.left + padding.right,
    unknown: counts.unknown,
    weight,
    ...identity(ids, padding.left, promptLength, end),
    firstRole: segmentation?.cutLeft ? null : (segmentation?.turns[0]?.role ?? null),
    lastToken: lastToken(ids, segmentation),
    endsClosed: endsClosed(segmentation),
    ...startFacts(trajectory, tokens),
    ...systemFacts(tokens),
    ...answerFacts(trajectory, tokens),
    ...trainedPromptFacts(trajectory, tokens),
    strip: drawStrip(states, runs),
  }
}

function lastToken(ids: Int32Array, segmentation: Segmentation | null): number | null {
  const last = segmentation?.turns.at(-1)
  return last === undefined ? null : (ids[last.separatorStart - 1] ?? null)
}

function endsClosed(segmentation: Segmentation | null): boolean | null {
  const last = segmentation === null ? undefined : filledTurns(segmentation).at(-1)
  return last === undefined ? null : last.endToken >= 0
}

/** Tokens whose text is kept of a row that begins inside a turn. */
const SHOWN_TOKENS = 24

function startFacts(trajectory: Trajectory, tokens: PreparedTokens): Pick<TrajectoryFacts, 'cutLeft'> {
  const cut = leftCut(trajectory, tokens)
  if (cut === null) return {}
  const { start, end, lost } = cut
  const text = tokens.text({ start, end: Math.min(end, start + SHOWN_TOKENS) })
  return { cutLeft: { tokens: [start, end], text, lost: lost?.tokens ?? null } }
}

function systemFacts({ ids, segmentation, tokenizer }: PreparedTokens) {
  const system = segmentation === null || tokenizer === null ? null : systemText(tokenizer.table, ids, segmentation)
  return { systemHash: system?.hash ?? null, promptDate: system?.date ?? null }
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

/** Hashes of the ids without padding, and of those of the prompt, in one pass. */
function identity(ids: Int32Array, start: number, promptLength: number | null, end: number) {
  const hash = new Hash64()
  if (promptLength === null) return { idsHash: hash.words(ids, start, end).digest(), promptHash: null }
  const promptEnd = Math.max(start, Math.min(end, start + promptLength))
  const promptHash = hash.words(ids, start, promptEnd).digest()
  return { idsHash: hash.words(ids, promptEnd, end).digest(), promptHash }
}

/** Tokens through the header of the first assistant turn, left padding excluded; a row without one is all prompt. */
function promptEnd(segmentation: Segmentation | null, end: number, left: number): number | null {
  if (segmentation === null || segmentation.turns.length === 0) return null
  const first = segmentation.turns.find(({ kind }) => kind === 'assistant')
  return (first?.headerEnd ?? end) - left
}

function turnFacts(segmentation: Segmentation) {
  const { turns } = segmentation
  const assistant = writtenTurns(segmentation)
  return {
    turns: turns.length,
    assistantTurns: assistant.length,
    toolTurns: turns.filter(({ kind }) => kind === 'tool').length,
    assistantLengths: assistant.map(sampledLength),
    toolReplyLengths: turns.flatMap(replyLengths),
  }
}

/** One pass over what the model wrote, as far as the longest prefix goes. */
function prefixFacts({ ids, segmentation }: PreparedTokens): Pick<TrajectoryFacts, 'prefixHashes'> {
  if (segmentation === null) return {}
  const hash = new Hash64()
  const digests: string[] = []
  let hashed = 0
  for (const turn of writtenTurns(segmentation)) {
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
  return digests.length === 0 ? {} : { prefixHashes: digests }
}

/** What the model wrote in a turn, end token included, the replies spliced into it left out. */
function ownSpans(turn: Turn): Span[] {
  const spans: Span[] = []
  let from = turn.contentStart
  for (const { part, start, end } of turn.spans) {
    if (part !== 'tool') continue
    spans.push({ start: from, end: start })
    from = end
  }
  return [...spans, { start: from, end: turn.endToken >= 0 ? turn.endToken + 1 : turn.contentEnd }]
}

/** What the model wrote in a turn, end token included, spliced replies not. */
function sampledLength(turn: Turn): number {
  const end = turn.endToken >= 0 ? turn.endToken + 1 : turn.contentEnd
  return end - turn.contentStart - lengthOf(turn.spans.filter(({ part }) => part === 'tool'))
}

/** Replies that share a turn, or are spliced into an assistant turn, count one by one. */
function replyLengths(turn: Turn): number[] {
  const spans = turn.spans.filter(({ part }) => part === 'tool')
  if (spans.length > 0) return spans.map(({ start, end }) => end - start)
  return turn.kind === 'tool' ? [turn.contentEnd - turn.contentStart] : []
}

function messageFacts({ messages }: Trajectory) {
  const roles = messages?.map(({ role }) => role.toLowerCase()) ?? []
  const count = (pattern: RegExp) => roles.filter((role) => pattern.test(role)).length
  return {
    turns: roles.length,
    assistantTurns: count(/^(assistant|agent|model|gpt|ai)$/),
    toolTurns: count(/^(tool|function|ipython|observation|environment)$/),
    assistantLengths: [],
    toolReplyLengths: [],
  }
}

/** Of trained tokens; padding has no advantage of its own, and where it is trained that is another fault. */
function advantageFacts({ advantage, advantages }: Trajectory, tokens: PreparedTokens | null) {
  if (advantages === null) {
    return { advantage, maxAdvantage: advantage === null ? null : Math.abs(advantage) }
  }
  let common: number | null = null
  let changesAt = -1
  let largest: number | null = null
  const end = advantages.length - (tokens?.padding.right ?? 0)
  for (let i = tokens?.padding.left ?? 0; i < end; i++) {
    const value = advantages[i] as number
    if (tokens?.mask?.[i] !== 1 || !Number.isFinite(value)) continue
    if (common === null) common = value
    else if (common !== value && changesAt < 0) changesAt = i
    largest = Math.max(largest ?? 0, Math.abs(value))
  }
  return {
    advantage: advantage ?? (changesAt < 0 ? common : null),
    maxAdvantage: largest,
    ...(changesAt < 0 ? {} : { advantageChangesAt: changesAt }),
  }
}
