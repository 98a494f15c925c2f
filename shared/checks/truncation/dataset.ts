import type { DatasetRow } from '../../formats/dataset.ts'
import { hashOfNumbers } from '../../model/bulk-hash.ts'
import type { Tokenizer } from '../../tokens/tokenizer.ts'
import { LONGEST_PREFILL } from '../oracles/prompt-end.ts'
import { encoded } from '../texts/encoded.ts'
import { firstQuestion, knownQuestion, type PairingFacts, questionIdsKey } from '../texts/pairing.ts'
import type { KnownQuestion } from '../texts/question-sentences.ts'

/** What is kept of a dataset that was given beside the dump. */
export interface DatasetFacts {
  /** Names of its files. */
  readonly names: readonly string[]
  /** False while it is being read. */
  readonly complete: boolean
  /** In the order of the dataset. */
  readonly prompts: readonly DatasetPrompt[]
  /** Records that were read and hold no prompt that is known as one. */
  readonly withoutPrompt: number
  /** Files and records that could not be read, with a sentence. */
  readonly problems: readonly { readonly name: string; readonly message: string }[]
}

export interface DatasetPrompt {
  /** The dataset's own id of it, null where it has none. */
  readonly id: string | null
  /** Digests by which its rollouts are known (`keysOfRollout`). */
  readonly keys: readonly string[]
  /** Null where the dataset holds ids alone. */
  readonly question: KnownQuestion | null
  /** Of its text without what a template adds, or of its ids; null where no tokenizer told, or the dataset was too long to encode. */
  readonly tokens: number | null
  /** Null where the dataset holds ids alone. */
  readonly characters: number | null
  /** How its question begins. */
  readonly text: string | null
}

/** Characters of a question that evidence shows. */
const SHOWN_CHARACTERS = 80

/**
 * @param tokenizer that of the dump; null where it has none, or where this prompt is not to be encoded
 */
export function datasetPrompt({ id, messages, ids }: DatasetRow, tokenizer: Tokenizer | null): DatasetPrompt {
  const question = firstQuestion(messages)
  const known = knownQuestion(messages)
  const spelt = tokenizer === null ? null : (messages ?? []).map(({ content }) => encoded(tokenizer, content ?? ''))
  const asked = spelt === null || question === null ? null : (spelt[(messages ?? []).indexOf(question)] ?? null)
  const counts = spelt?.map((each) => each?.length ?? null)
  return {
    id,
    keys: [
      ...(ids === null
        ? []
        : promptEnds(ids, tokenizer).map((end) => promptKey(hashOfNumbers(ids, 0, end, null).digest()))),
      ...(known === null ? [] : [known.words]),
      ...(asked === null ? [] : [questionIdsKey(Int32Array.from(asked), 0, asked.length)]),
    ],
    question: known,
    tokens: ids?.length ?? (messages === null || counts === undefined ? null : sumOrNull(counts)),
    characters: messages === null ? null : charactersOf({ messages }),
    text: question?.content?.slice(0, SHOWN_CHARACTERS) ?? null,
  }
}

/** Why a dataset in which no prompt was found tells nothing. */
export function datasetLacks({
  names,
  problems,
  withoutPrompt,
}: Pick<DatasetFacts, 'names' | 'problems' | 'withoutPrompt'>): string {
  if (problems.length > 0) return `the dataset could not be read: ${problems[0]?.message}`
  return withoutPrompt === 0
    ? `${names.join(', ')} holds no record`
    : `none of ${withoutPrompt} records of ${names.join(', ')} has a prompt (prompt, messages, question, prompt_ids …)`
}

/** Tokens of a header; no template has longer ones. */
const LONGEST_HEADER = 8

/** Where a prompt ends: with the opening of the model's turn, where it has one, and before it, since that is no part of what is asked. */
function promptEnds(ids: ArrayLike<number>, tokenizer: Tokenizer | null): number[] {
  const frame = tokenizer?.frame ?? null
  const starts = frame === null ? [] : [frame.turnStart, ...(frame.openers ?? []).map(({ id }) => id)]
  const first = Math.max(1, ids.length - LONGEST_HEADER - LONGEST_PREFILL)
  for (let at = ids.length - 1; at >= first; at--) if (starts.includes(ids[at] as number)) return [ids.length, at]
  return [ids.length]
}

/** How much there is to encode. */
export function charactersOf({ messages }: Pick<DatasetRow, 'messages'>): number {
  return (messages ?? []).reduce((sum, { content }) => sum + (content?.length ?? 0), 0)
}

/** By which the prompt of a rollout is known, whichever of them its dump tells. */
export function keysOfRollout({
  pairing,
  promptHash,
}: {
  readonly pairing?: Pick<PairingFacts, 'question' | 'idWords'>
  readonly promptHash: string | null
}): string[] {
  const { question = null, idWords } = pairing ?? {}
  return [
    ...(question === null ? [] : [question]),
    ...(idWords === undefined ? [] : [idWords]),
    ...(promptHash === null ? [] : [promptKey(promptHash)]),
  ]
}

function promptKey(hash: string): string {
  return `prompt ${hash}`
}

function sumOrNull(values: readonly (number | null)[]): number | null {
  return values.reduce<number | null>((sum, value) => (sum === null || value === null ? null : sum + value), 0)
}
