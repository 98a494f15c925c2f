import type { Tokenizer } from '../shared/tokens/tokenizer.ts'
import { RETRIEVE_TOOL, type SampleConversation } from './conversation.ts'
import { type Family, type FamilyName, LLAMA31, QWEN3, QWEN25 } from './frames.ts'
import { naturalLogprobs, type TrainerContext } from './logprobs.ts'
import { advantages, record } from './records.ts'
import { correct, padRight, type Trainer, type TrainerLimits, verifiersAugust, verifiersJuly } from './trainers.ts'
import { GROUP_SIZE, twoHopConversations } from './two-hop.ts'
import { wordProblemConversations } from './word-problems.ts'

/** How one sample is made. */
export interface SampleFile {
  readonly name: string
  readonly family: Family
  readonly model: string
  readonly environment: string
  readonly conversations: () => SampleConversation[]
  readonly tools: readonly unknown[]
  readonly trainer: Trainer
  readonly context: TrainerContext
  /** Batches of one group, padded on the right with this id; null = not padded. */
  readonly padId: number | null
  readonly limits: TrainerLimits
  readonly maxTokens: number
  readonly firstStep: number
  readonly groupsPerStep: number
}

const ROOMY: TrainerLimits = { max_prompt_length: 2048, max_seq_len: 4096 }
/** The old script's rule, prompt + turn + 128, with numbers that suit short documents. */
const TIGHT: TrainerLimits = { max_prompt_length: 768, max_seq_len: 768 + 128 + 128 }
const QWEN_PAD = 151643

const TWO_HOP = {
  environment: 'two-hop questions with retrieval',
  tools: [RETRIEVE_TOOL],
  firstStep: 40,
  groupsPerStep: 2,
}

export const SAMPLES: readonly SampleFile[] = [
  {
    ...TWO_HOP,
    name: 'verifiers-2025-08',
    family: QWEN25,
    model: 'Qwen/Qwen2.5-7B-Instruct',
    conversations: () =>
      twoHopConversations({ seed: 'august', groups: 12, endless: 7, thoughtBeforeCall: true, deliberates: false }),
    trainer: verifiersAugust,
    context: 'blind',
    padId: QWEN_PAD,
    limits: TIGHT,
    maxTokens: 128,
  },
  {
    ...TWO_HOP,
    name: 'verifiers-2025-07',
    family: QWEN25,
    model: 'Qwen/Qwen2.5-7B-Instruct',
    conversations: () =>
      twoHopConversations({ seed: 'july', groups: 8, endless: 0, thoughtBeforeCall: true, deliberates: false }),
    trainer: verifiersJuly,
    context: 'same',
    padId: null,
    limits: ROOMY,
    maxTokens: 512,
  },
  {
    ...TWO_HOP,
    name: 'verifiers-2025-07-llama',
    family: LLAMA31,
    model: 'meta-llama/Llama-3.1-8B-Instruct',
    conversations: () =>
      twoHopConversations({ seed: 'july llama', groups: 4, endless: 0, thoughtBeforeCall: false, deliberates: false }),
    trainer: verifiersJuly,
    context: 'same',
    padId: null,
    limits: ROOMY,
    maxTokens: 512,
  },
  {
    ...TWO_HOP,
    name: 'clean-qwen2.5',
    family: QWEN25,
    model: 'Qwen/Qwen2.5-7B-Instruct',
    conversations: () =>
      twoHopConversations({ seed: 'august', groups: 12, endless: 0, thoughtBeforeCall: true, deliberates: false }),
    trainer: correct,
    context: 'same',
    padId: QWEN_PAD,
    limits: ROOMY,
    maxTokens: 512,
  },
  {
    ...TWO_HOP,
    name: 'clean-qwen3-thinking',
    family: QWEN3,
    model: 'Qwen/Qwen3-8B',
    conversations: () =>
      twoHopConversations({ seed: 'thinking', groups: 8, endless: 0, thoughtBeforeCall: true, deliberates: true }),
    trainer: correct,
    context: 'same',
    padId: null,
    limits: ROOMY,
    maxTokens: 1024,
  },
  {
    name: 'clean-gsm8k',
    family: QWEN25,
    model: 'Qwen/Qwen2.5-3B-Instruct',
    environment: 'word problems',
    conversations: () => wordProblemConversations('school'),
    tools: [],
    trainer: correct,
    context: 'same',
    padId: null,
    limits: { max_prompt_length: 512, max_seq_len: 1024 },
    maxTokens: 384,
    firstStep: 0,
    groupsPerStep: 4,
  },
]

/** The records of a sample, in order; the same every time. */
function sampleRecords(file: SampleFile, tokenizer: Tokenizer): Record<string, unknown>[] {
  const conversations = file.conversations()
  const run = { ...file, tokenizer }
  const rows = conversations.map((conversation) => file.trainer(conversation, run))
  const padId = file.padId
  const laid = padId === null ? rows : inGroups(rows).flatMap((group) => padRight(group, padId))
  const centred = advantages(
    conversations.map((one) => one.reward),
    GROUP_SIZE,
  )
  return conversations.map((conversation, index) => {
    const sequence = laid[index] as (typeof laid)[number]
    const logprobs = naturalLogprobs(sequence, {
      tokenizer,
      context: file.context,
      seed: `${file.family.name} ${file.environment} ${conversation.id}`,
    })
    const step = file.firstStep + Math.floor(index / (GROUP_SIZE * file.groupsPerStep))
    return record(
      conversation,
      sequence,
      logprobs,
      { advantage: centred[index] as number, step },
      {
        model: file.model,
        temperature: 0.5,
        limits: file.limits,
        maxTokens: file.maxTokens,
        groupSize: GROUP_SIZE,
        tools: file.tools,
        reasoningField: file.family === QWEN3,
        environment: file.environment,
      },
    )
  })
}

/** The text of a sample: JSONL with a newline after every record. */
export function sampleText(file: SampleFile, tokenizers: Readonly<Record<FamilyName, Tokenizer>>): string {
  return sampleRecords(file, tokenizers[file.family.name])
    .map((one) => `${JSON.stringify(one)}\n`)
    .join('')
}

function inGroups<T>(rows: readonly T[]): T[][] {
  return Array.from({ length: rows.length / GROUP_SIZE }, (_, i) => rows.slice(i * GROUP_SIZE, (i + 1) * GROUP_SIZE))
}
