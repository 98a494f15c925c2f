import { firstAtLeast } from '../containers/kernel/numbers.ts'
import { count, counted, isOrAre } from '../model/number-text.ts'
import { roleKind } from '../model/roles.ts'
import { decisive, type FittedSequence, fitDecisive, leading, type SequenceFit } from './decisive.ts'
import { type FrameLookup, frameLookup, turnStarts } from './frame-lookup.ts'
import { readHeader } from './header.ts'
import { findTag } from './tags.ts'
import { templateFault } from './template/rerender.ts'
import { decodeSpan } from './text.ts'
import { type Tokenizer, TokenKind, type TurnFrame } from './tokenizer.ts'

export type TokenizerCandidate = Pick<Tokenizer, 'id' | 'table' | 'frame'> & { readonly template?: string | null }

/** `id` null: no candidate fits. `evidence` says why, for people, either way. */
export interface ChosenTokenizer {
  readonly id: string | null
  /** 0 to 1. */
  readonly confidence: number
  readonly evidence: readonly string[]
}

/** Ids outside the vocabulary that a fitting tokenizer may leave: models have a few rows more than their tokenizer. */
const MOST_UNKNOWN = 0.001

/** Sequences that must open turns with spelt tags to each with ids outside the vocabulary, before it is these ids that are wrong (T17). */
const SPELT_TO_FOREIGN = 8

/** How sure a choice is that another family would fit as well. */
export const TIED = 0.6

/** What model names say of a bundled family. Later families (Qwen3.5) renumber and match none. */
const MODEL_NAMES: readonly (readonly [RegExp, string])[] = [
  [/qwen-?3(?![.\d])/i, 'qwen3'],
  [/qwen-?2(?:\.5)?(?![.\d])/i, 'qwen2.5'],
  [/llama-?3(?!\d)/i, 'llama3'],
]
const QWEN25_SYSTEM = 'You are Qwen, created by Alibaba Cloud'

/**
 * What stands for the spelling of turn starts where a candidate frames none: it has no chat template, one that turns are not learned from, or one that
 * cannot be rendered, with the reason behind it.
 */
export const UNFRAMED = { untemplated: 'no chat template', templated: 'no known frame', broken: 'broken: ' } as const

/** What evidence says of a candidate beside how ids fit it; plain data, so that reports can carry it. */
export interface CandidateFamily {
  readonly id: string
  /** Ids of its vocabulary. */
  readonly size: number
  /** How its turn starts are spelt. */
  readonly start: string
  /** How it spells ids that another candidate does not know, where it knows them. */
  readonly spellings: Readonly<Record<string, string>>
}

/** How all ids that were looked at fit one candidate. */
interface Fit {
  readonly family: CandidateFamily
  readonly unknown: number
  readonly unknownIds: readonly number[]
  readonly starts: number
  readonly headers: number
  /** Sequences with an edge. */
  readonly edges: number
  readonly speltTags: number
  /** Sequences with one, and those with an unknown id. */
  readonly spelling: number
  readonly foreign: number
  readonly defaultSystem: boolean
}

/** Looks at ids once; what comes of it can be added to what came of others, and decided by `chooseByFits`. */
export function fitSequences(
  samples: readonly Int32Array[],
  candidates: readonly TokenizerCandidate[],
): { readonly families: readonly CandidateFamily[]; readonly sequences: readonly FittedSequence[] } {
  // Hardly any sequence has an id that one of the candidates does not have.
  const least = Math.min(...candidates.map(({ table }) => lowestForeign(table)))
  const sequences = fitDecisive(
    samples,
    (ids) => ({ length: ids.length, fits: candidates.map((candidate) => fitOf(candidate, ids)) }),
    (ids) => firstAtLeast(ids, least) < ids.length,
  )
  const unknown = new Set(sequences.flatMap(({ fits }) => fits.flatMap(({ unknownIds }) => unknownIds)))
  const families = candidates.map(({ id, table, frame, template = null }) => ({
    id,
    size: table.size,
    start: frame === null ? unframed(template) : decodeSpan(table, Int32Array.of(frame.turnStart)),
    spellings: Object.fromEntries(
      [...unknown]
        .sort((a, b) => a - b)
        .filter((each) => each >= 0 && each < table.size && table.kinds[each] !== TokenKind.none)
        .map((each) => [each, decodeSpan(table, Int32Array.of(each))]),
    ),
  }))
  return { families, sequences }
}

function unframed(template: string | null): string {
  if (template === null) return UNFRAMED.untemplated
  const fault = templateFault(template)
  return fault === null ? UNFRAMED.templated : `${UNFRAMED.broken}${fault}`
}

/**
 * The candidate that the dump's own ids speak for: its control ids stand where a frame has them, and no id is outside
 * its vocabulary. Families that share their ids are told apart by ids that only one has, then by the model's name, by tags
 * that one of them spells, by the default system prompt.
 *
 * @param sequences as `fitSequences` saw them; those of several parts of a dump in the order of the parts
 */
export function chooseByFits(
  families: readonly CandidateFamily[],
  sequences: readonly FittedSequence[],
  hints: { readonly model?: string | null } = {},
): ChosenTokenizer {
  const first = leading(sequences)
  const { chosen, isKnown } = chooseAmong(families, first, hints)
  const all = isKnown ? first : decisive(sequences)
  return all.length === first.length ? chosen : chooseAmong(families, all, hints).chosen
}

/** `isKnown`: sequences behind these say nothing against it. */
function chooseAmong(
  families: readonly CandidateFamily[],
  sampled: readonly FittedSequence[],
  hints: { readonly model?: string | null },
): { readonly chosen: ChosenTokenizer; readonly isKnown: boolean } {
  const total = sampled.reduce((sum, { length }) => sum + length, 0)
  if (total === 0) return unknownYet(['no token ids in this dump'])
  const fits = fitsOf(families, sampled)
  const model = hints.model ?? null
  const named = model === null ? null : familyNamed(model)

  const framed = framedOf(fits)
  if (framed.length > 0) {
    const chosen = amongFramed(framed, fits, total, model, named)
    return { chosen, isKnown: chosen.confidence !== TIED }
  }

  const inRange = fits.filter(({ unknown }) => unknown <= MOST_UNKNOWN * total)
  const byName = inRange.find(({ family }) => family.id === named)
  if (byName !== undefined) {
    const evidence = [`the dump names the model ${model}`, inVocabulary(byName, total)]
    const chosen = { id: byName.family.id, confidence: 0.7, evidence: [...evidence, 'no turn frame in the ids'] }
    return { chosen, isKnown: true }
  }
  // Where most sequences have turn starts of no role, these ids stand for something else: the distilled models of R1 have their own
  // control ids in the places of Qwen's.
  const isAnothers = ({ starts, headers }: Fit) => (starts - headers) * 2 >= sampled.length
  const byEdge = inRange.filter((fit) => fit.edges * 2 >= sampled.length && !isAnothers(fit))
  if (byEdge.length > 0) {
    const most = byEdge.reduce((best, fit) => (fit.edges > best.edges ? fit : best))
    const evidence = [`${count(most.edges)} of ${count(sampled.length)} sequences begin or end with its control ids`]
    const chosen = { id: most.family.id, confidence: TIED, evidence: [...evidence, 'no turn frame in the ids'] }
    return { chosen, isKnown: false }
  }
  return unknownYet(fits.map((fit) => misfit(fit, total)))
}

function unknownYet(evidence: readonly string[]) {
  return { chosen: { id: null, confidence: 0, evidence }, isKnown: false }
}

/** The bundled family that the name of a model speaks of; null for one of none, of several, or with ids of its own (sounds). */
export function familyNamed(model: string): string | null {
  const named = MODEL_NAMES.filter(([pattern]) => pattern.test(model)).map(([, family]) => family)
  return named.length === 1 && !/audio|omni/i.test(model) ? (named[0] as string) : null
}

/** The candidate whose turns the ids open, be there as many ids as may that it does not have; null where there is none. */
export function framedBy(
  families: readonly CandidateFamily[],
  sequences: readonly FittedSequence[],
): CandidateFamily | null {
  const best = framedOf(fitsOf(families, decisive(sequences)))
    .toSorted((a, b) => a.unknown - b.unknown)
    .at(0)
  return best?.family ?? null
}

/** Turn starts that a role name follows, by candidate, in the sequences that decide. */
export function turnsByCandidate(
  families: readonly CandidateFamily[],
  sequences: readonly FittedSequence[],
): { readonly family: CandidateFamily; readonly headers: number; readonly isFramed: boolean }[] {
  const fits = fitsOf(families, decisive(sequences))
  const framed = framedOf(fits)
  return fits.map((fit) => ({ family: fit.family, headers: fit.headers, isFramed: framed.includes(fit) }))
}

function fitsOf(families: readonly CandidateFamily[], sequences: readonly FittedSequence[]): Fit[] {
  return families.map((family, i) =>
    summed(
      family,
      sequences.map((sequence) => sequence.fits[i] as SequenceFit),
    ),
  )
}

function framedOf(fits: readonly Fit[]): Fit[] {
  return fits.filter(({ starts, headers }) => headers > 0 && headers * 2 >= starts)
}

function summed(family: CandidateFamily, fits: readonly SequenceFit[]): Fit {
  const sum = (of: (fit: SequenceFit) => number) => fits.reduce((total, fit) => total + of(fit), 0)
  return {
    family,
    unknown: sum(({ unknown }) => unknown),
    unknownIds: firstFew(fits.flatMap(({ unknownIds }) => unknownIds)).sort((a, b) => a - b),
    starts: sum(({ starts }) => starts),
    headers: sum(({ headers }) => headers),
    edges: sum(({ edge }) => (edge ? 1 : 0)),
    speltTags: sum(({ speltTags }) => speltTags),
    spelling: sum(({ speltTags }) => (speltTags > 0 ? 1 : 0)),
    foreign: sum(({ unknown }) => (unknown > 0 ? 1 : 0)),
    defaultSystem: fits.some(({ defaultSystem }) => defaultSystem),
  }
}

/** Unknown ids that are named. */
const NAMED_IDS = 4

function firstFew(ids: readonly number[]): number[] {
  return [...new Set(ids)].slice(0, NAMED_IDS)
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
  const frame = `${counted(most, 'turn start')} ${isOrAre(most)} followed by a role name (${found.family.start})`
  if (fewest > MOST_UNKNOWN * total) {
    return { id: null, confidence: 0, evidence: [frame, ...fits.map((fit) => misfit(fit, total))] }
  }
  const spelling = framed.find((fit) => fit.headers === most && isSpeltBeside(fit, found, total, named))
  const { chosen, confidence, why } =
    spelling !== undefined
      ? { chosen: spelling, confidence: 0.9, why: [spellsBeside(spelling, found)] }
      : best.length === 1
        ? { chosen: found, confidence: 0.99, why: [] }
        : tie(best, model, named)
  const evidence = [frame, inVocabulary(chosen, total), ...why]
  for (const fit of framed) {
    if (fit === chosen || fit.unknown <= chosen.unknown) continue
    const ids = fit.unknownIds.map((id) => `${id}${spellingOf(chosen.family, id)}`).join(', ')
    evidence.push(`${count(fit.unknown)} times an id that ${fit.family.id} does not have: ${ids}`)
  }
  const contradicted = named !== null && named !== chosen.family.id
  if (contradicted) evidence.push(`the dump names the model ${model}, which its ids contradict`)
  return { id: chosen.family.id, confidence: contradicted ? Math.min(confidence, 0.9) : confidence, evidence }
}

/** A few sequences have ids that only the other has, and many spell by pieces what that has one id for: they tell, unless the dump names the other. */
function isSpeltBeside(fit: Fit, other: Fit, total: number, named: string | null): boolean {
  const { unknown, foreign, spelling, family } = fit
  if (unknown <= other.unknown || unknown > MOST_UNKNOWN * total || named === other.family.id) return false
  return spelling >= SPELT_TO_FOREIGN * foreign && (named === null || named === family.id)
}

function spellsBeside({ spelling, foreign, unknownIds }: Fit, { family }: Fit): string {
  const ids = unknownIds.map((id) => `${id}${spellingOf(family, id)}`).join(', ')
  const few = counted(foreign, 'has an id', 'have ids')
  return `${counted(spelling, 'sequence opens', 'sequences open')} turns with tags spelt by pieces, for which ${family.id} has one id, and ${few} that it alone has: ${ids}`
}

function tie(best: readonly Fit[], model: string | null, named: string | null) {
  const byName = best.find(({ family }) => family.id === named)
  if (byName !== undefined) return { chosen: byName, confidence: 0.95, why: [`the dump names the model ${model}`] }
  const others = (chosen: Fit) =>
    best
      .filter((fit) => fit !== chosen)
      .map(({ family }) => family.id)
      .join(' and ')
  const bySpelling = best.find(({ speltTags }) => speltTags > 0)
  if (bySpelling !== undefined) {
    const why = `${counted(bySpelling.speltTags, 'turn opens', 'turns open')} with a tag spelt by pieces, for which ${others(bySpelling)} has one id`
    return { chosen: bySpelling, confidence: 0.95, why: [why] }
  }
  const qwen25 = best.find(({ family }) => family.id === 'qwen2.5')
  const chosen = qwen25 ?? (best[0] as Fit)
  if (qwen25?.defaultSystem) {
    return { chosen, confidence: 0.9, why: ["a system turn is the default of Qwen2.5's template"] }
  }
  const why = `only ids that ${others(chosen)} has as well: nothing in them tells the two apart`
  return { chosen, confidence: TIED, why: [why] }
}

function fitOf(candidate: TokenizerCandidate, ids: Int32Array): SequenceFit {
  const { frame, table } = candidate
  const { size, kinds } = table
  const opening = frame === null ? [] : turnStarts(frame)
  // Hardly any id of a text is as high as those that say something.
  const lowest = Math.min(lowestForeign(table), ...opening)
  const unknownIds: number[] = []
  let unknown = 0
  let starts = 0
  let headers = 0
  let speltTags = 0
  let defaultSystem = false
  for (let at = firstAtLeast(ids, lowest); at < ids.length; at = firstAtLeast(ids, lowest, at + 1)) {
    const id = ids[at] as number
    // No vocabulary has it, so it speaks against none: rows are padded with the -100 that losses ignore.
    if (id < 0) continue
    if (!(id < size) || kinds[id] === TokenKind.none) {
      unknown++
      if (unknownIds.length < NAMED_IDS && !unknownIds.includes(id)) unknownIds.push(id)
    } else if (opening.includes(id)) {
      starts++
      // Laid out only for a vocabulary that opens turns here.
      const lookup = frameLookup(candidate) as FrameLookup
      const header = readHeader(lookup, ids, at, ids.length)
      if (roleKind(header.role) === 'other') continue
      headers++
      if (opensSpelt(lookup, ids, header.end)) speltTags++
      defaultSystem ||= decodeSpan(table, ids, header.end, header.end + 16).startsWith(QWEN25_SYSTEM)
    }
  }
  const edge = frame !== null && hasEdge(frame, ids)
  return { unknown, unknownIds, starts, headers, edge, speltTags, defaultSystem }
}

function lowestForeign({ kinds, size }: TokenizerCandidate['table']): number {
  const hole = kinds.indexOf(TokenKind.none)
  return hole < 0 ? size : hole
}

/** Whether a thought or a tool reply begins at `at` with a tag that this vocabulary has no single id for. */
function opensSpelt({ frame, table, tags }: FrameLookup, ids: Int32Array, at: number): boolean {
  const tag = at < ids.length ? findTag(table, tags, ids, at, ids.length) : null
  if (!tag?.open) return false
  const pieces = tag.name === 'think' ? frame.think : tag.name === 'tool_response' ? frame.toolResponse : null
  return pieces !== null && pieces.open.length > 1
}

function hasEdge({ bos, textEnds, turnEnds, pad }: TurnFrame, ids: Int32Array): boolean {
  const [first, last] = [ids[0] as number, ids[ids.length - 1] as number]
  if (bos.includes(first) || textEnds.includes(last) || turnEnds.includes(last)) return true
  // By itself the id of a pad may be a word of another vocabulary.
  return (pad.includes(first) && ids[1] === first) || (pad.includes(last) && ids[ids.length - 2] === last)
}

function inVocabulary({ family, unknown }: Fit, total: number): string {
  const size = `${family.id}'s ${count(family.size)}`
  if (unknown === 0) return `all of ${count(total)} ids looked at are among ${size}`
  return `${count(unknown)} of ${count(total)} ids looked at are not among ${size}`
}

function misfit(fit: Fit, total: number): string {
  const { family, starts, headers } = fit
  const known = inVocabulary(fit, total)
  if (starts === 0)
    return `${family.id}: ${known}, ${fit.unknown === 0 ? 'but' : 'and'} no turn starts (${family.start}) in them`
  return `${family.id}: ${known}; ${count(headers)} of ${counted(starts, 'turn start')} ${isOrAre(headers)} followed by a role name`
}

function spellingOf({ spellings }: CandidateFamily, id: number): string {
  const spelt = spellings[id]
  return spelt === undefined ? '' : ` (${spelt})`
}
