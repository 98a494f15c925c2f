import { type FrameLookup, frameLookup, Mark } from './frame-lookup.ts'
import { readHeader } from './header.ts'
import { roleKind } from './roles.ts'
import { findTag } from './tags.ts'
import { decodeSpan } from './text.ts'
import { type Tokenizer, TokenKind } from './tokenizer.ts'

export type TokenizerCandidate = Pick<Tokenizer, 'id' | 'table' | 'frame'>

/** `id` null: no candidate fits. `evidence` says why, for people, either way. */
export interface ChosenTokenizer {
  readonly id: string | null
  /** 0 to 1. */
  readonly confidence: number
  readonly evidence: readonly string[]
}

/** More ids would not tell more. */
const MOST_IDS = 2_000_000
/** Ids outside the vocabulary that a fitting tokenizer may leave: models have a few rows more than their tokenizer. */
const MOST_UNKNOWN = 0.001

/** What model names say of a bundled family. Later families (Qwen3.5) renumber and match none. */
const MODEL_NAMES: readonly (readonly [RegExp, string])[] = [
  [/qwen-?3(?![.\d])/i, 'qwen3'],
  [/qwen-?2(?:\.5)?(?![.\d])/i, 'qwen2.5'],
  [/llama-?3/i, 'llama3'],
]
const QWEN25_SYSTEM = 'You are Qwen, created by Alibaba Cloud'

/** How the ids that were looked at fit one candidate. */
interface Fit {
  readonly candidate: TokenizerCandidate
  readonly unknown: number
  readonly unknownIds: readonly number[]
  /** Turn starts, and those that a role name follows. */
  readonly starts: number
  readonly headers: number
  /** Sequences that begin with BOS, or end with a token that ends texts. */
  readonly edges: number
  /** Turns that open with a tag which this vocabulary spells. */
  readonly speltTags: number
  readonly defaultSystem: boolean
}

/**
 * The candidate that the dump's own ids speak for: its control ids stand where a frame has them, and no id is outside
 * its vocabulary. Families that share their ids are told apart by ids that only one has, then by the model's name, by tags
 * that one of them spells, by the default system prompt.
 */
export function chooseTokenizer(
  samples: readonly Int32Array[],
  candidates: readonly TokenizerCandidate[],
  hints: { readonly model?: string | null } = {},
): ChosenTokenizer {
  const sampled = withinLimit(samples)
  const total = sampled.reduce((sum, ids) => sum + ids.length, 0)
  if (total === 0) return { id: null, confidence: 0, evidence: ['no token ids in this dump'] }
  const fits = candidates.map((candidate) => fitOf(candidate, sampled))
  const model = hints.model ?? null
  const named = model === null ? null : (MODEL_NAMES.find(([pattern]) => pattern.test(model))?.[1] ?? null)

  const framed = fits.filter(({ starts, headers }) => headers > 0 && headers * 2 >= starts)
  if (framed.length > 0) return amongFramed(framed, fits, total, model, named)

  const inRange = fits.filter(({ unknown }) => unknown <= MOST_UNKNOWN * total)
  const byName = inRange.find(({ candidate }) => candidate.id === named)
  if (byName !== undefined) {
    const evidence = [`the dump names the model ${model}`, inVocabulary(byName, total)]
    return { id: byName.candidate.id, confidence: 0.7, evidence: [...evidence, 'no turn frame in the ids'] }
  }
  const byEdge = inRange.filter(({ edges }) => edges * 2 >= sampled.length)
  if (byEdge.length > 0) {
    const most = byEdge.reduce((best, fit) => (fit.edges > best.edges ? fit : best))
    const evidence = [`${count(most.edges)} of ${count(sampled.length)} sequences begin or end with its control ids`]
    return { id: most.candidate.id, confidence: 0.6, evidence: [...evidence, 'no turn frame in the ids'] }
  }
  return { id: null, confidence: 0, evidence: fits.map((fit) => misfit(fit, total)) }
}

function amongFramed(
  framed: readonly Fit[],
  fits: readonly Fit[],
  total: number,
  model: string | null,
  named: string | null,
): ChosenTokenizer {
  const most = Math.max(...framed.map(({ headers }) => headers))
  const fewest = Math.min(...framed.filter(({ headers }) => headers === most).map(({ unknown }) => unknown))
  const best = framed.filter(({ headers, unknown }) => headers === most && unknown === fewest)
  const found = best[0] as Fit
  const frame = `${count(most)} turn starts are followed by a role name (${startText(found.candidate)})`
  if (fewest > MOST_UNKNOWN * total) {
    return { id: null, confidence: 0, evidence: [frame, ...fits.map((fit) => misfit(fit, total))] }
  }
  const { chosen, confidence, why } =
    best.length === 1 ? { chosen: found, confidence: 0.99, why: [] } : tie(best, model, named)
  const evidence = [frame, inVocabulary(chosen, total), ...why]
  for (const fit of framed) {
    if (fit === chosen || fit.unknown <= chosen.unknown) continue
    const ids = fit.unknownIds.map((id) => `${id}${spelling(chosen.candidate, id)}`).join(', ')
    evidence.push(`${count(fit.unknown)} times an id that ${fit.candidate.id} does not have: ${ids}`)
  }
  const contradicted = named !== null && named !== chosen.candidate.id
  if (contradicted) evidence.push(`the dump names the model ${model}, which its ids contradict`)
  return { id: chosen.candidate.id, confidence: contradicted ? Math.min(confidence, 0.9) : confidence, evidence }
}

function tie(best: readonly Fit[], model: string | null, named: string | null) {
  const byName = best.find(({ candidate }) => candidate.id === named)
  if (byName !== undefined) return { chosen: byName, confidence: 0.95, why: [`the dump names the model ${model}`] }
  const others = (chosen: Fit) =>
    best
      .filter((fit) => fit !== chosen)
      .map(({ candidate }) => candidate.id)
      .join(' and ')
  const bySpelling = best.find(({ speltTags }) => speltTags > 0)
  if (bySpelling !== undefined) {
    const why = `${count(bySpelling.speltTags)} turns open with a tag spelt by pieces, for which ${others(bySpelling)} has one id`
    return { chosen: bySpelling, confidence: 0.95, why: [why] }
  }
  const qwen25 = best.find(({ candidate }) => candidate.id === 'qwen2.5')
  const chosen = qwen25 ?? (best[0] as Fit)
  if (qwen25?.defaultSystem) {
    return { chosen, confidence: 0.9, why: ["a system turn is the default of Qwen2.5's template"] }
  }
  const why = `only ids that ${others(chosen)} has as well: nothing in them tells the two apart`
  return { chosen, confidence: 0.6, why: [why] }
}

function fitOf(candidate: TokenizerCandidate, samples: readonly Int32Array[]): Fit {
  const lookup = frameLookup(candidate)
  const { size, kinds } = candidate.table
  const unknownIds = new Set<number>()
  const fit = { starts: 0, headers: 0, edges: 0, speltTags: 0 }
  let unknown = 0
  let defaultSystem = false
  for (const ids of samples) {
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at] as number
      if (!(id >= 0 && id < size) || kinds[id] === TokenKind.none) {
        unknown++
        if (unknownIds.size < 4) unknownIds.add(id)
      } else if (lookup !== null && (lookup.marks[id] as number) & Mark.turnStart) {
        fit.starts++
        const header = readHeader(lookup, ids, at, ids.length)
        if (roleKind(header.role) === 'other') continue
        fit.headers++
        if (opensSpelt(lookup, ids, header.end)) fit.speltTags++
        defaultSystem ||= decodeSpan(candidate.table, ids, header.end, header.end + 16).startsWith(QWEN25_SYSTEM)
      }
    }
    if (lookup !== null && hasEdge(lookup, ids)) fit.edges++
  }
  return { candidate, unknown, unknownIds: [...unknownIds].sort((a, b) => a - b), ...fit, defaultSystem }
}

/** Whether a thought or a tool reply begins at `at` with a tag that this vocabulary has no single id for. */
function opensSpelt({ frame, table, tags }: FrameLookup, ids: Int32Array, at: number): boolean {
  const tag = at < ids.length ? findTag(table, tags, ids, at, ids.length) : null
  if (!tag?.open) return false
  const pieces = tag.name === 'think' ? frame.think : tag.name === 'tool_response' ? frame.toolResponse : null
  return pieces !== null && pieces.open.length > 1
}

function hasEdge({ marks }: FrameLookup, ids: Int32Array): boolean {
  const first = marks[ids[0] ?? -1] ?? 0
  const last = marks[ids[ids.length - 1] ?? -1] ?? 0
  return (first & Mark.bos) !== 0 || (last & (Mark.textEnd | Mark.turnEnd)) !== 0
}

function withinLimit(samples: readonly Int32Array[]): Int32Array[] {
  const kept: Int32Array[] = []
  let total = 0
  for (const ids of samples) {
    if (total >= MOST_IDS) break
    if (ids.length > 0) kept.push(ids)
    total += ids.length
  }
  return kept
}

function inVocabulary({ candidate, unknown }: Fit, total: number): string {
  const size = `${candidate.id}'s ${count(candidate.table.size)}`
  if (unknown === 0) return `all of ${count(total)} ids looked at are among ${size}`
  return `${count(unknown)} of ${count(total)} ids looked at are not among ${size}`
}

function misfit(fit: Fit, total: number): string {
  const { candidate, starts, headers } = fit
  const known = inVocabulary(fit, total)
  if (starts === 0) return `${candidate.id}: ${known}, but no turn starts (${startText(candidate)}) in them`
  return `${candidate.id}: ${known}; ${count(headers)} of ${count(starts)} turn starts are followed by a role name`
}

function startText({ table, frame }: TokenizerCandidate): string {
  return frame === null ? 'no known frame' : decodeSpan(table, Int32Array.of(frame.turnStart))
}

function spelling({ table }: TokenizerCandidate, id: number): string {
  return id >= 0 && id < table.size && table.kinds[id] !== TokenKind.none
    ? ` (${decodeSpan(table, Int32Array.of(id))})`
    : ''
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}
