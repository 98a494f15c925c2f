import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Message, Trajectory } from '../model/trajectory.ts'
import { Fields, isObject } from './fields.ts'
import type { Format, Recognition } from './format.ts'
import { messagesOf } from './messages.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { plainSum, sumOf } from './reward-sum.ts'
import { groupOfPrompt, TEXT_ONLY, textMessages } from './text-rows.ts'

const COMMON = ['step', 'prompt', 'completion', 'advantage']

/**
 * Completions of TRL's GRPO and RLOO (`log_completions=True`): texts without special tokens, a column for each reward function. Rewards of
 * conversations are given lists of messages, which people put into the same columns.
 */
export const trl: Format = {
  id: 'trl',
  title: 'TRL logged completions',
  writer: { project: 'huggingface/trl', file: 'trl/trainer/grpo_trainer.py', version: 'f2cd5771' },
  streams: ['messages', 'advantages', 'rewards', 'reward_components', 'group', 'step'],
  ...TEXT_ONLY,
  recognise: (sample) => {
    const found = recogniseBy(sample, look)
    return found === null ? null : { ...found, ...rewardsShown(sample.records.filter(isObject)) }
  },
  read: (records, context) => readEach(records, context, (record) => [readRecord(record, context.recognition)]),
}

/** The scores of several functions, and whether the advantages of the sample are those of their sum: their weights are not in the file. */
function rewardsShown(records: readonly JsonObject[]): Pick<Recognition, 'scores' | 'rewardOf' | 'sameScores'> {
  const isScore = (name: string) => records.some((record) => typeof record[name] === 'number')
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))]
  const scores = names.filter((name) => !COMMON.includes(name) && isScore(name))
  if (scores.length < 2) return {}
  const rows = records.map((record) => ({
    group: JSON.stringify([record.step, record.prompt]),
    scores: scores.map((name) => scoreAt(record, name)),
    advantage: typeof record.advantage === 'number' ? record.advantage : Number.NaN,
  }))
  const sum = plainSum(rows)
  if (sum === null) return { scores }
  if (sum.constant.length === 0) return { scores, rewardOf: scores }
  const same = sum.constant.map((at) => [scores[at] as string, rows[0]?.scores[at] as number] as const)
  return { scores, rewardOf: scores, sameScores: same }
}

/** NaN where a function was silent. */
function scoreAt(record: JsonObject, name: string): number {
  const score = Object.hasOwn(record, name) ? record[name] : null
  return typeof score === 'number' ? score : Number.NaN
}

function look(record: JsonObject): Evidence | null {
  if (!hasAll(record, COMMON)) return null
  const { prompt, completion } = record
  const isConversation = spoken(prompt ?? null) !== null && spoken(completion ?? null) !== null
  if (!isConversation && (typeof prompt !== 'string' || typeof completion !== 'string')) return null
  const seen = 'columns step, prompt, completion, advantage'
  return { confidence: 0.95, seen: isConversation ? `${seen}, with messages` : seen }
}

function readRecord(
  record: OneRecord,
  { rewardOf, sameScores }: Pick<Recognition, 'rewardOf' | 'sameScores'>,
): Trajectory {
  const fields = new Fields(record.object)
  const step = fields.integer('step')
  const [asked, answered] = [spoken(fields.peek('prompt')), spoken(fields.peek('completion'))]
  const isConversation = asked !== null && answered !== null
  const prompt = isConversation ? JSON.stringify(asked) : fields.text('prompt')
  const completion = isConversation ? null : fields.text('completion')
  for (const key of COMMON) fields.take(key)
  const advantage = fields.number('advantage')
  const { meta } = fields.rest()
  const scores = Object.entries(record.object).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && !COMMON.includes(entry[0]),
  )
  const known = scores.filter(([, score]) => !Number.isNaN(score))
  const columns = Object.keys(record.object).filter((name) => !COMMON.includes(name))
  const [only] = scores
  // The weights of several functions are not in the file; one alone is the reward, up to its weight. A function may be silent on a row.
  // What a score weighs that was always the same is not known: of a row where it is another nobody knows the reward.
  const isOther = sameScores?.some(([name, score]) => !Object.is(scoreAt(record.object, name), score)) === true
  const alone = columns.length === 1 && only !== undefined ? only[1] : null
  return {
    ...record.blank(0),
    step,
    group: groupOfPrompt(step, prompt),
    messages: isConversation ? [...asked, ...answered] : textMessages(prompt, completion),
    advantage,
    reward: rewardOf === undefined ? alone : isOther ? null : rewardIn(record.object, rewardOf),
    rewards: known.length === 0 ? null : Object.fromEntries(known),
    issues: fields.issues,
    meta: Object.fromEntries(Object.entries(meta).filter(([name]) => !scores.some(([score]) => score === name))),
  }
}

/** The sum; of one function that is silent on the row there is none. */
function rewardIn(record: JsonObject, names: readonly string[]): number | null {
  const scores = names.map((name) => scoreAt(record, name))
  return scores.every(Number.isNaN) ? null : sumOf(scores)
}

/** The messages of a column that holds some; null for anything else. */
function spoken(value: JsonValue): Message[] | null {
  const messages = messagesOf(value)
  return messages === null || messages.length === 0 ? null : messages
}
