import type { PlantedDump } from '../dump.ts'
import type { PlantedMessage, PlantedRollout } from '../rollout.ts'
import { callsOf } from './model-calls.ts'
import { jsonl, metaOf, numberOf, rowPlaces, type Writer } from './writer.ts'

/** A row of `results.jsonl` with the `trajectory` column saved: a step for every model call, each with its whole prompt. */
function row(rollout: PlantedRollout): Record<string, unknown> {
  const { messages, reward, rewards } = rollout
  const first = messages.findIndex(({ role }) => role === 'assistant')
  const calls = callsOf(rollout)
  return {
    example_id: rollout.group,
    prompt: messages.slice(0, first).map(sanitised),
    completion: messages.slice(first).map(sanitised),
    reward: numberOf(reward),
    timing: { generation_ms: 812.5, scoring_ms: 3.25, total_ms: 815.75 },
    is_completed: true,
    is_truncated: rollout.truncated,
    stop_condition: rollout.truncated ? 'max_tokens_reached' : 'no_tools_called',
    metrics: rewards,
    ...rewards,
    answer: rollout.answer,
    info: {},
    // State columns that were saved.
    ...metaOf(rollout),
    ...(rollout.tools === null ? {} : { tool_defs: rollout.tools }),
    trajectory: calls.map(({ prompt, generated }, index) => ({
      prompt: null,
      completion: null,
      response: null,
      tokens: {
        prompt_ids: prompt.map(({ id }) => id),
        prompt_mask: prompt.map(({ trained, sampled }) => (trained && !sampled ? 1 : 0)),
        completion_ids: generated.map(({ id }) => id),
        completion_mask: generated.map(({ trained }) => (trained ? 1 : 0)),
        completion_logprobs: generated.map(({ sampler }) => numberOf(sampler)),
        overlong_prompt: false,
        is_truncated: rollout.truncated && index === calls.length - 1,
      },
      reward: null,
      advantage: rollout.advantage,
      is_truncated: rollout.truncated && index === calls.length - 1,
      trajectory_id: rollout.id,
      extras: {},
    })),
  }
}

/** The writer makes Arrow-safe messages: a tool call is JSON in a text. */
function sanitised(message: PlantedMessage): Record<string, unknown> {
  const { tool_calls: calls } = message
  return calls === undefined
    ? { ...message }
    : {
        ...message,
        tool_calls: calls.map(({ id, function: called }) => JSON.stringify({ id, ...called })),
      }
}

export const verifiersLegacy = {
  format: 'verifiers-legacy' as const,
  carries: new Set([
    'mask',
    'groups',
    'sampler',
    'messages',
    'tools',
    'answer',
    'advantages',
    'finish',
    'prompt-length',
  ] as const),
  write: (dump: PlantedDump) => ({ text: jsonl(dump.rollouts.map(row)), options: {}, places: rowPlaces(dump) }),
} satisfies Writer
