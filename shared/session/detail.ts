import type { TrajectoryView } from '../checks/check.ts'
import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import { plainFacts } from '../checks/facts/kept-facts.ts'
import type { RawRecord } from '../containers/container.ts'
import { type EncodedRecords, textOf } from '../containers/decode.ts'
import { jsonText } from '../exports/json-text.ts'
import type { PolicyId } from '../model/policy.ts'
import type { Finding } from '../model/report.ts'
import type { Stream } from '../model/streams.ts'
import { TokenState } from '../model/tokens.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { tokenTexts } from '../tokens/text.ts'
import type { Tokenizer } from '../tokens/tokenizer.ts'
import { lostText } from './lost-text.ts'
import type { TokenDetail, TrajectoryDetail } from './protocol.ts'
import type { RenderedTexts } from './rendered-texts.ts'
import { taggedSpans } from './rollout/tags.ts'
import { whyProvenance, whyStructure } from './rollout/token-why.ts'

/** Enough to read any record by eye; the bytes themselves are exported, not shown. */
const RAW_CHARACTERS = 200_000

/** One trajectory read again for a screen or an export. */
export interface LoadedTrajectory {
  readonly index: number
  readonly trajectory: Trajectory
  readonly facts: TrajectoryFacts
  readonly view: TrajectoryView | null
  /** Local findings and those of the whole dump that name this trajectory, in the report's order. */
  readonly findings: readonly Finding[]
  readonly formatId: string
  /** Streams that no rollout of its file has, as far as that has been read. */
  readonly missing: readonly Stream[]
  readonly sourceIndex: number
  readonly record: RawRecord
  /** The record as its container stores it. */
  readonly encoded: EncodedRecords
}

/**
 * Everything that the rollout view shows, computed once and handed over.
 *
 * @param rendered what is shown in place of ids that the dump does not have
 */
export function detailOf(
  loaded: LoadedTrajectory,
  tokenizer: Tokenizer | null,
  rendered: RenderedTexts | null = null,
): TrajectoryDetail {
  const { trajectory, view } = loaded
  const ids = trajectory.ids ?? rendered?.ids ?? null
  const segmentation = view?.segmentation ?? rendered?.segmentation ?? null
  const texts = ids === null ? null : textsOf(ids, tokenizer)
  return {
    run: 'open',
    index: loaded.index,
    facts: plainFacts(loaded.facts),
    reconstructed: rendered !== null,
    ids: ids === null ? null : ids.slice(),
    states: view?.states.slice() ?? new Uint8Array(ids?.length ?? 0).fill(TokenState.unknown),
    weights: view?.weights?.slice() ?? null,
    expected: view?.expected?.slice() ?? null,
    provenance: view?.provenance?.slice() ?? null,
    segmentation,
    text: texts?.text ?? '',
    textOffsets: texts?.textOffsets ?? new Uint32Array(1),
    flags: texts?.flags ?? new Uint8Array(0),
    logprobs: {
      sampler: trajectory.logprobs.sampler?.slice() ?? null,
      trainer: trajectory.logprobs.trainer?.slice() ?? null,
      reference: trajectory.logprobs.reference?.slice() ?? null,
    },
    entropy: trajectory.entropy?.slice() ?? null,
    kl: trajectory.kl?.slice() ?? null,
    advantages: trajectory.advantages?.slice() ?? null,
    attentionMask: trajectory.attentionMask?.slice() ?? null,
    positionIds: trajectory.positionIds?.slice() ?? null,
    messages: trajectory.messages,
    tools: trajectory.tools,
    documents: trajectory.documents,
    answer: trajectory.answer,
    findings: loaded.findings,
    lost: lostText(trajectory, view),
    tags: texts === null ? [] : taggedSpans(texts.text, texts.textOffsets, segmentation),
    raw: rawText(textOf(loaded.encoded) ?? new TextEncoder().encode(jsonText(loaded.record.value))),
  }
}

function textsOf(ids: Int32Array, tokenizer: Tokenizer | null) {
  if (tokenizer !== null) return tokenTexts(tokenizer.table, ids)
  let text = ''
  const textOffsets = new Uint32Array(ids.length + 1)
  for (let token = 0; token < ids.length; token++) {
    text += `⟨${ids[token]}⟩`
    textOffsets[token + 1] = text.length
  }
  return { text, textOffsets, flags: new Uint8Array(ids.length) }
}

function rawText(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(
    bytes.length > RAW_CHARACTERS * 4 ? bytes.subarray(0, RAW_CHARACTERS * 4) : bytes,
  )
  let shown = text
  if (bytes.length <= RAW_CHARACTERS) {
    try {
      JSON.parse(text)
      shown = indented(text)
    } catch {
      // Python's bare NaN, or a container whose record is not JSON: shown as stored.
    }
  }
  return shown.length > RAW_CHARACTERS ? `${shown.slice(0, RAW_CHARACTERS)}\n… ${bytes.length} bytes in all` : shown
}

const DEEPEST = 40

/** JSON on lines of its own, every word of it as it is written: parsed, long numbers would be rounded. Numbers stand in a row. */
function indented(json: string): string {
  const words = json.match(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s"[\]{},:]+/g) ?? []
  const parts: string[] = []
  let depth = 0
  const newline = (by: number) => {
    depth += by
    parts.push('\n', ' '.repeat(Math.min(depth, DEEPEST)))
  }
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    if (word === '[' || word === '{') {
      const end = rowEnd(words, at)
      parts.push(word)
      if (end === null) {
        newline(1)
        continue
      }
      parts.push(
        words
          .slice(at + 1, end)
          .join('')
          .replaceAll(',', ', '),
        words[end] as string,
      )
      at = end
    } else if (word === ']' || word === '}') {
      newline(-1)
      parts.push(word)
    } else {
      parts.push(word === ':' ? ': ' : word)
      if (word === ',') newline(0)
    }
  }
  return parts.join('')
}

/** Where the brackets that open at a word close, if there is nothing in them but numbers. */
function rowEnd(words: readonly string[], open: number): number | null {
  for (let at = open + 1; at < words.length; at++) {
    const word = words[at] as string
    if (word === ']' || word === '}') return at
    if (word !== ',' && word !== 'null' && !/^[-\d]/.test(word)) return null
  }
  return null
}

/** What one token is, for the token panel. Throws when there is no such token. */
export function tokenDetail(
  loaded: LoadedTrajectory,
  token: number,
  tokenizer: Tokenizer | null,
  policy: PolicyId,
  rendered: RenderedTexts | null = null,
): TokenDetail {
  const id = (rendered?.ids ?? loaded.trajectory.ids)?.[token]
  if (id === undefined) throw new Error(`Rollout ${loaded.facts.id} has no token ${token}.`)
  const table = tokenizer?.table
  const known = table !== undefined && id >= 0 && id < table.size
  return {
    index: token,
    id,
    raw: tokenizer?.raw(id) ?? null,
    bytes: known ? table.bytes.slice(table.offsets[id], table.offsets[id + 1]) : new Uint8Array(0),
    whyStructure: loaded.view === null ? null : whyStructure(loaded.view, token, policy),
    whyProvenance: loaded.view === null ? null : whyProvenance(loaded.view, token),
  }
}

/** The buffers of a detail that may be transferred instead of copied. */
export function transferables(detail: TrajectoryDetail): ArrayBuffer[] {
  const arrays = [
    detail.ids,
    detail.states,
    detail.weights,
    detail.expected,
    detail.provenance,
    detail.textOffsets,
    detail.flags,
    detail.logprobs.sampler,
    detail.logprobs.trainer,
    detail.logprobs.reference,
    detail.entropy,
    detail.kl,
    detail.advantages,
    detail.attentionMask,
    detail.positionIds,
  ]
  const buffers = new Set<ArrayBuffer>()
  for (const array of arrays) if (array) buffers.add(array.buffer as ArrayBuffer)
  return [...buffers]
}
