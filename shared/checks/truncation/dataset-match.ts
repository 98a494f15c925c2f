import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { median } from '../groups/statistics.ts'
import { isNameByIds } from '../texts/pairing.ts'
import { byOwnSentences, type KnownQuestion } from '../texts/question-sentences.ts'
import { type DatasetPrompt, keysOfRollout } from './dataset.ts'

/** Which prompts of a dataset have rollouts. */
export interface Matched {
  readonly seen: ReadonlySet<DatasetPrompt>
  /** Rollouts whose prompt is among them. */
  readonly rollouts: number
  readonly by: 'words' | 'sentences of the question' | 'ids of examples'
}

/** Each question once: datasets repeat them by the epoch. */
export function distinctPrompts(prompts: readonly DatasetPrompt[]): DatasetPrompt[] {
  const known = new Set<string>()
  return prompts.filter(({ keys }) => {
    const isNew = !keys.some((key) => known.has(key))
    for (const key of keys) known.add(key)
    return isNew
  })
}

/** Null where no rollout is of any of the prompts, as far as words, sentences, token ids and ids of examples tell. */
export function matchRollouts(
  prompts: readonly DatasetPrompt[],
  facts: readonly TrajectoryFacts[],
  thresholds: Thresholds,
): Matched | null {
  return byWords(prompts, facts) ?? bySentences(prompts, facts, thresholds) ?? byExample(prompts, facts, thresholds)
}

function byWords(prompts: readonly DatasetPrompt[], facts: readonly TrajectoryFacts[]): Matched | null {
  const byKey = new Map(prompts.flatMap((prompt) => prompt.keys.map((key) => [key, prompt] as const)))
  return matched(facts, 'words', (row) => keysOfRollout(row).map((key) => byKey.get(key)))
}

/** Where the run says something around each question that the dataset has not, or the reverse. */
function bySentences(
  prompts: readonly DatasetPrompt[],
  facts: readonly TrajectoryFacts[],
  { 'dataset-match-share': share }: Thresholds,
): Matched | null {
  const asked = new Map<string, KnownQuestion>()
  for (const { pairing } of facts) {
    const words = pairing?.question ?? null
    if (words === null || isNameByIds(words)) continue
    asked.set(words, { words, sentences: pairing?.questionSentences ?? null })
  }
  const known = prompts.flatMap((prompt) => (prompt.question === null ? [] : [{ ...prompt.question, prompt }]))
  const questions = [...asked.values()]
  const byPrompts = byOwnSentences(known)
  const promptOf = new Map<string, DatasetPrompt | undefined>()
  for (const [left, place] of byOwnSentences(questions)) {
    promptOf.set((questions[place] as KnownQuestion).words, known[byPrompts.get(left) ?? -1]?.prompt)
  }
  const found = matched(facts, 'sentences of the question', ({ pairing }) => [promptOf.get(pairing?.question ?? '')])
  // Ids of examples may tell of more.
  return found !== null && found.rollouts >= share * facts.length ? found : null
}

/**
 * By the group or the id of a rollout, which in many dumps is the number of its example, and in others one of the step. So the prompts must
 * have the rollouts' lengths, too, but for the tokens that a template adds to each of them alike.
 */
function byExample(
  prompts: readonly DatasetPrompt[],
  facts: readonly TrajectoryFacts[],
  { 'dataset-match-share': share, 'near-limit-tokens': near }: Thresholds,
): Matched | null {
  const byId = new Map(prompts.flatMap((prompt) => (prompt.id === null ? [] : [[prompt.id, prompt] as const])))
  const of = (row: TrajectoryFacts) => [row.group, row.id].map((id) => (id === null ? undefined : byId.get(id)))
  const added = facts.flatMap((row) => {
    const tokens = of(row).find((prompt) => prompt !== undefined)?.tokens ?? null
    return tokens === null || row.promptLength === null ? [] : [row.promptLength - tokens]
  })
  const usual = median(added) ?? -1
  const alike = added.filter((tokens) => Math.abs(tokens - usual) <= near).length
  if (usual < 0 || alike < share * facts.length) return null
  return matched(facts, 'ids of examples', of)
}

function matched(
  facts: readonly TrajectoryFacts[],
  by: Matched['by'],
  promptsOf: (row: TrajectoryFacts) => readonly (DatasetPrompt | undefined)[],
): Matched | null {
  const seen = new Set<DatasetPrompt>()
  let rollouts = 0
  for (const row of facts) {
    const prompt = promptsOf(row).find((each) => each !== undefined)
    if (prompt === undefined) continue
    seen.add(prompt)
    rollouts++
  }
  return rollouts === 0 ? null : { seen, rollouts, by }
}
