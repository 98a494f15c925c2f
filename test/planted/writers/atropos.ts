import { inGroups, type PlantedDump } from '../dump.ts'
import type { PlantedRollout } from '../rollout.ts'
import { idsOf, jsonl, metaOf, numberOf, type Writer } from './writer.ts'

/** A line of `data_path_to_save_groups`: the members of one group under each key. */
function line(members: readonly PlantedRollout[]): Record<string, unknown> {
  return {
    tokens: members.map(idsOf),
    masks: members.map(({ tokens }) => tokens.map(({ id, trained }) => (trained ? id : -100))),
    scores: members.map(({ reward }) => numberOf(reward)),
    advantages: members.map(({ tokens }) => tokens.map(({ advantage }) => numberOf(advantage))),
    ref_logprobs: null,
    messages: members.map(({ messages, reward }) =>
      messages.map(({ role, content }) => ({ role, content, reward: role === 'assistant' ? reward : null })),
    ),
    generation_params: { temperature: 1, max_tokens: 512 },
    // ManagedServer's mark for what it did not sample.
    inference_logprobs: members.map(({ tokens }) =>
      tokens.map(({ sampler }) => (Number.isNaN(sampler) ? 1 : numberOf(sampler))),
    ),
    group_overrides: {},
    overrides: null,
    images: null,
    // What an environment adds to its items.
    ...Object.fromEntries(
      [...new Set(members.flatMap((member) => Object.keys(metaOf(member))))].map((key) => [
        key,
        members.map((member) => metaOf(member)[key] ?? null),
      ]),
    ),
  }
}

function places(dump: PlantedDump): string[] {
  const groups = inGroups(dump.rollouts)
  return dump.rollouts.map((rollout) => {
    const record = groups.findIndex((members) => members.includes(rollout))
    return `${record}.${groups[record]?.indexOf(rollout)}`
  })
}

export const atropos = {
  format: 'atropos' as const,
  carries: new Set([
    'mask',
    'groups',
    'sampler',
    'messages',
    'advantages',
    'token-advantages',
    'environment-end',
  ] as const),
  write: (dump: PlantedDump) => ({
    text: jsonl(inGroups(dump.rollouts).map(line)),
    // The run sets train_on_all_assistant_turns, which the file does not say.
    options: { policy: 'rl' },
    places: places(dump),
  }),
} satisfies Writer
