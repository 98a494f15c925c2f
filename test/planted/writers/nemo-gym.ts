import type { PlantedDump } from '../dump.ts'
import { inGroups } from '../dump.ts'
import type { PlantedMessage, PlantedRollout } from '../rollout.ts'
import { callsOf } from './model-calls.ts'
import { jsonl, metaOf, numberOf, rowPlaces, type Writer } from './writer.ts'

/** Rollouts of `gym eval run`: an OpenAI Responses object, with the ids of each model call on its last output item. */
function row(rollout: PlantedRollout, task: number, index: number): Record<string, unknown> {
  const { messages, tools } = rollout
  const first = messages.findIndex(({ role }) => role === 'assistant')
  const calls = callsOf(rollout)
  let call = 0
  const output = messages.slice(first).flatMap((message) => {
    const items = outputItems(message)
    if (message.role !== 'assistant') return items
    const tokens = calls[call++]
    return items.map((item, at) =>
      at < items.length - 1 || tokens === undefined
        ? item
        : {
            ...item,
            prompt_token_ids: tokens.prompt.map(({ id }) => id),
            generation_token_ids: tokens.generated.map(({ id }) => id),
            generation_log_probs: tokens.generated.map(({ sampler }) => numberOf(sampler)),
          },
    )
  })
  return {
    responses_create_params: {
      input: messages.slice(0, first).map(({ role, content }) => ({ role, content, type: 'message' })),
      ...(tools === null ? {} : { tools: tools.map(flat) }),
      temperature: rollout.temperature,
    },
    response: {
      id: `resp_${rollout.id}`,
      object: 'response',
      model: rollout.model,
      status: rollout.truncated ? 'incomplete' : 'completed',
      incomplete_details: rollout.truncated ? { reason: 'max_output_tokens' } : null,
      output,
    },
    reward: numberOf(rollout.reward),
    _ng_task_index: task,
    _ng_rollout_index: index,
    agent_ref: { name: 'search_agent' },
    // What an environment returns beside the reward stands in the row.
    ...metaOf(rollout),
    ...(rollout.excluded ? { mask_sample: true } : {}),
  }
}

function flat(tool: unknown): unknown {
  const { function: inner } = tool as { function: Record<string, unknown> }
  return { type: 'function', ...inner }
}

function outputItems(message: PlantedMessage): Record<string, unknown>[] {
  const { role, content, reasoning_content: reasoning, tool_calls: calls = [] } = message
  if (role === 'tool') return [{ type: 'function_call_output', call_id: message.tool_call_id, output: content }]
  if (role !== 'assistant') return [{ type: 'message', role, content }]
  return [
    ...(reasoning === undefined
      ? []
      : [{ type: 'reasoning', summary: [{ type: 'summary_text', text: reasoning }], content: [] }]),
    ...(content === '' && calls.length > 0
      ? []
      : [
          {
            type: 'message',
            role,
            status: 'completed',
            content: [{ type: 'output_text', text: content, annotations: [] }],
          },
        ]),
    ...calls.map(({ id, function: called }) => ({ type: 'function_call', call_id: id, ...called })),
  ]
}

export const nemoGym = {
  format: 'nemo-gym' as const,
  carries: new Set(['sampler', 'messages', 'tools', 'finish', 'prompt-length'] as const),
  write(dump: PlantedDump) {
    const groups = inGroups(dump.rollouts)
    const records = groups.flatMap((members, task) => members.map((member, index) => row(member, task, index)))
    return { text: jsonl(records), options: {}, places: rowPlaces(dump) }
  },
} satisfies Writer
