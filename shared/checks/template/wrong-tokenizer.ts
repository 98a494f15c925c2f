import { count } from '../../model/number-text.ts'
import { decodeSpan } from '../../tokens/text.ts'
import { type Tokenizer, TokenKind } from '../../tokens/tokenizer.ts'
import type {
  AuditSettings,
  Check,
  DumpReporter,
  DumpView,
  ModelVocabulary,
  Reporter,
  TrajectoryView,
} from '../check.ts'
import { firstHigh } from '../oracles/high-ids.ts'
import { paddingOf } from '../oracles/padding.ts'
import { lowestImageId } from './image-placeholders.ts'

export const T17: Check = {
  code: 'T17',
  name: 'wrong-tokenizer',
  title: 'Ids are not in the vocabulary',
  hypotheses: [],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids'],
  looksAt: 'rollouts',
  why: 'The ids were made with, or are read with, a tokenizer that is not the model’s: every text and turn shown may be wrong.',
  fix: 'Give the tokenizer of the model with --tokenizer; if it is the right one, look for the step that encoded with another.',
  cite: 'verl#5582, LlamaFactory#9092, tinker-cookbook#837',
  trajectory: lookAtIds,
  dump: sayWhatIsMissing,
}

function lookAtIds(view: TrajectoryView, settings: AuditSettings, report: Reporter): void {
  const { modelVocabulary = null, isTokenizerGuessed = false } = settings
  const vocabulary = vocabularyOf(view, settings)
  const found = foreignIds(view, vocabulary)
  const opened = found === null && modelVocabulary !== null ? openedOtherwise(view, modelVocabulary) : null
  const framed = found === null && opened === null ? framedAsLlama(view) : null
  // Without a tokenizer the ids are held against the family whose turns they have.
  const isAsked = view.tokenizer !== null && (found !== null || framed !== null)
  const fits = isAsked ? fittingFamily(view.ids) : null
  const speaksForQwen3 =
    isTokenizerGuessed && modelVocabulary === null && found !== null && isOfQwen3([...found.ids.keys()])
  if (found === null && opened === null && vocabulary.title === null) return
  report.place(found !== null || opened !== null || framed !== null)
  const named = modelVocabulary?.model ? `; the dump names the model ${modelVocabulary.model}` : ''
  const evidence = {
    tokenizer: view.tokenizer?.id ?? null,
    model: modelVocabulary?.model ?? null,
    vocabulary: vocabulary.size,
    ...(fits === null || fits === view.tokenizer?.id ? {} : { fits }),
  }
  const fitting = 'fits' in evidence ? `; ${fits} has turns in them (--tokenizer ${fits})` : ''
  if (found !== null) {
    const { tokens, ids, first } = found
    const listed = [...ids].slice(0, NAMED_IDS).map(([id, count]) => idWithCount(view, id, count))
    const lacking = vocabulary.title === null ? 'no vocabulary has' : `${vocabulary.title} does not have`
    report.fault({
      scope: 'trajectory',
      tokens: { start: first, end: first + 1 },
      affected: [],
      // Nothing claims the other family: it was guessed from rollouts that say nothing of either.
      ...(speaksForQwen3 ? { severity: 'info' } : {}),
      message: `${count(tokens)} ${tokens === 1 ? 'token has an id that' : 'tokens have ids that'} ${lacking}: ${listed.join(', ')}${ids.size > listed.length ? ' …' : ''}${named}${speaksForQwen3 ? GUESSED : fitting}`,
      evidence: { tokens, ids: Object.fromEntries([...ids].slice(0, 32)), ...evidence },
    })
  } else if (opened !== null) {
    report.fault({
      scope: 'trajectory',
      tokens: { start: opened.start, end: opened.start + 1 },
      affected: [],
      message: `The turns open with ${opened.id}, as those of ${view.tokenizer?.title} do, and not as those of ${vocabulary.title}${named}`,
      evidence: { turns: opened.turns, opened_by: opened.id, ...evidence },
    })
  } else if (framed !== null) {
    report.fault({
      scope: 'trajectory',
      tokens: { start: framed.start, end: framed.start + 1 },
      affected: [],
      message: `The ids have no turn of ${view.tokenizer?.title} and ${framed.headers} headers of Llama's (${HEADER_START} … ${HEADER_END}): they are read with another tokenizer than they were made with${named}${fitting}`,
      evidence: { headers: framed.headers, ...evidence },
    })
  }
}

/** `<|start_header_id|>` and `<|end_header_id|>` of Llama 3, between which a role takes two tokens at most; other vocabularies have words there. */
const HEADER_START = 128006
const HEADER_END = 128007
const LONGEST_ROLE = 2

/**
 * Headers of Llama's in a row in which the tokenizer finds no turn, or is not asked for any because it opens none in the whole dump: one may
 * stand there by chance.
 */
function framedAsLlama({ ids, segmentation, tokenizer }: TrajectoryView) {
  if (tokenizer === null || (segmentation !== null && segmentation.turns.length > 0)) return null
  if (tokenizer.table.kinds[HEADER_START] !== TokenKind.ordinary) return null
  const { start, headers } = headersOfLlama(ids)
  return headers > 1 ? { start, headers } : null
}

function headersOfLlama(ids: Int32Array) {
  let start = -1
  let headers = 0
  for (let at = ids.indexOf(HEADER_START); at >= 0; at = ids.indexOf(HEADER_START, at + 1)) {
    if (!ids.subarray(at + 2, at + 2 + LONGEST_ROLE).includes(HEADER_END)) continue
    if (start < 0) start = at
    headers++
  }
  return { start, headers }
}

/** `<|im_start|>` of Qwen 2.5 and 3, the newline that closes a role behind it, and the ids of tags that only Qwen 3 has. */
const QWEN_START = 151644
const NEWLINE = 198
const QWEN3_ALONE = { first: 151665, last: 151668 }

/** Ids of Qwen 3 alone say which of the two a dump is of where only this program said the other. */
const GUESSED =
  ', and Qwen3 has; which of the two the dump is of was guessed from rollouts without such ids: read it with --tokenizer qwen3 unless its model is of Qwen2.5'

function isOfQwen3(ids: readonly number[]): boolean {
  return ids.every((id) => id >= QWEN3_ALONE.first && id <= QWEN3_ALONE.last)
}

/** The family that comes along and has turns in these ids; null where none has. */
function fittingFamily(ids: Int32Array): string | null {
  if (headersOfLlama(ids).headers > 1) return 'llama3'
  let turns = 0
  for (let at = ids.indexOf(QWEN_START); at >= 0; at = ids.indexOf(QWEN_START, at + 1))
    if (ids[at + 2] === NEWLINE) turns++
  if (turns < 2) return null
  return ids.some((id) => id >= QWEN3_ALONE.first && id <= QWEN3_ALONE.last) ? 'qwen3' : 'qwen2.5'
}

/** Ids that a message names. */
const NAMED_IDS = 4

function sayWhatIsMissing({ streams, settings }: DumpView, report: DumpReporter): void {
  if (streams.has('tokenizer') || settings.options.tokenizer !== undefined) return
  report.abstain(
    'not-checkable',
    'no tokenizer that comes along fits the ids, and the dump names no model that has one: give the model’s with --tokenizer',
  )
}

/** What an id must be of. */
interface Vocabulary {
  /** Null where none is known. */
  readonly title: string | null
  readonly size: number
  /** One `TokenKind` per id, where they are known one by one. */
  readonly kinds: Uint8Array | null
  readonly holes: ReadonlySet<number>
  /** The first id from 0 on that is not of it. */
  readonly lowestForeign: number
}

const NO_HOLES: ReadonlySet<number> = new Set()

const known = new WeakMap<ModelVocabulary | Tokenizer, Vocabulary>()

/** That of the model before that of the tokenizer by which the ids are read; without either, what any may have. */
function vocabularyOf({ tokenizer, thresholds }: TrajectoryView, { modelVocabulary }: AuditSettings): Vocabulary {
  const given = modelVocabulary ?? tokenizer
  if (given === null) {
    const size = thresholds['largest-vocabulary']
    return { title: null, size, kinds: null, holes: NO_HOLES, lowestForeign: size }
  }
  let vocabulary = known.get(given)
  if (vocabulary === undefined) {
    vocabulary = 'table' in given ? vocabularyOfTokenizer(given) : vocabularyOfModel(given)
    known.set(given, vocabulary)
  }
  return vocabulary
}

function vocabularyOfModel({ title, size, holes }: ModelVocabulary): Vocabulary {
  const lowestForeign = holes.reduce((lowest, hole) => Math.min(lowest, hole), size)
  return { title, size, kinds: null, holes: new Set(holes), lowestForeign }
}

function vocabularyOfTokenizer({ title, table }: Tokenizer): Vocabulary {
  const { kinds, size } = table
  const hole = kinds.indexOf(TokenKind.none)
  return { title, size, kinds, holes: NO_HOLES, lowestForeign: hole < 0 ? size : hole }
}

/** Ids of real tokens that name no piece of the vocabulary. Negative ones are placeholders of other kinds, not of a vocabulary. */
function foreignIds({ ids, segmentation, trajectory, tokenizer }: TrajectoryView, vocabulary: Vocabulary) {
  const { size, kinds, holes, lowestForeign } = vocabulary
  const { left, right } = paddingOf({ segmentation, trajectory })
  let first = -1
  let tokens = 0
  const counts = new Map<number, number>()
  const end = ids.length - right
  // Nearly always all are below, so that nothing need be looked up.
  const least = (tokenizer === null ? null : lowestImageId(tokenizer.table)) ?? lowestForeign
  for (let i = firstHigh(ids, least, lowestForeign, left, end); i < end; i++) {
    const id = ids[i] as number
    if (id < lowestForeign) continue
    if (id < size && (kinds === null ? !holes.has(id) : kinds[id] !== TokenKind.none)) continue
    if (first < 0) first = i
    tokens++
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return first < 0 ? null : { first, tokens, ids: counts }
}

/** The first turn of a row that is framed as another family does, by ids that are words to the model. */
function openedOtherwise({ ids, segmentation, tokenizer }: TrajectoryView, { turnStart }: ModelVocabulary) {
  const opener = tokenizer?.frame?.turnStart
  if (opener === undefined || turnStart === null || opener === turnStart) return null
  const starts = segmentation?.turns.map(({ start }) => start).filter((start) => ids[start] === opener) ?? []
  const [start] = starts
  return start === undefined ? null : { start, id: opener, turns: starts.length }
}

/** `151667 <think> (6 times)`; the text where the tokenizer by which the ids are read has it. */
function idWithCount({ tokenizer }: TrajectoryView, id: number, count: number): string {
  const known =
    tokenizer !== null && tokenizer.table.kinds[id] !== undefined && tokenizer.table.kinds[id] !== TokenKind.none
  const spelt = known ? [decodeSpan(tokenizer.table, Int32Array.of(id))] : []
  return [String(id), ...spelt, ...(count === 1 ? [] : [`(${count} times)`])].join(' ')
}
