import type { ModelTurn, SampleConversation } from './conversation.ts'
import type { SampleLogprobs } from './logprobs.ts'
import { round } from './rewards.ts'
import type { Sequence, TrainerLimits } from './trainers.ts'

/** What all records of a sample have in common. */
export interface RecordRun {
  readonly model: string
  readonly temperature: number
  readonly limits: TrainerLimits
  readonly maxTokens: number
  readonly groupSize: number
  readonly tools: readonly unknown[]
  /** The template carries reasoning in a field of its own. */
  readonly reasoningField: boolean
  readonly environment: string
}

/** One line of a sample, in the native format. */
export function record(
  conversation: SampleConversation,
  sequence: Sequence,
  logprobs: SampleLogprobs,
  extra: { readonly advantage: number; readonly step: number },
  run: RecordRun,
): Record<string, unknown> {
  return {
    id: conversation.id,
    group_id: conversation.group,
    group_size: run.groupSize,
    step: extra.step,
    model: run.model,
    temperature: run.temperature,
    finish_reason: sequence.finishReason,
    is_truncated: sequence.truncated,
    limits: run.limits,
    reward: conversation.reward,
    rewards: conversation.rewards,
    advantage: extra.advantage,
    prompt_length: sequence.promptLength,
    input_ids: sequence.ids,
    loss_mask: sequence.mask,
    attention_mask: sequence.attention,
    logprobs,
    messages: messages(conversation, sequence.turns, run.reasoningField),
    ...(run.tools.length > 0 ? { tools: run.tools } : {}),
    ...(conversation.documents.length > 0 ? { documents: conversation.documents } : {}),
    answer: conversation.answer,
    meta: { environment: run.environment, max_tokens: run.maxTokens },
  }
}

function messages(
  conversation: SampleConversation,
  turns: readonly ModelTurn[],
  reasoningField: boolean,
): Record<string, unknown>[] {
  const out: Record<string, unknown>[] = [
    { role: 'system', content: conversation.system },
    { role: 'user', content: conversation.user },
  ]
  for (const { thought, call, text, reply } of turns) {
    const inline = thought && !reasoningField ? `<think>${thought}</think>` : ''
    out.push({
      role: 'assistant',
      content: [inline, text].filter(Boolean).join('\n'),
      ...(reasoningField ? { reasoning_content: thought } : {}),
      ...(call ? { tool_calls: [toolCall(call)] } : {}),
    })
    if (call) out.push({ role: 'tool', tool_call_id: call.id, name: 'retrieve', content: reply })
  }
  return out
}

function toolCall({ id, query }: NonNullable<ModelTurn['call']>): Record<string, unknown> {
  return { id, type: 'function', function: { name: 'retrieve', arguments: JSON.stringify({ query }) } }
}

/** Rewards less the mean of their group, unscaled, as `scale_rewards=False` leaves them. Rows of a group stand together. */
export function advantages(rewards: readonly number[], groupSize: number): number[] {
  return rewards.map((reward, index) => {
    const start = index - (index % groupSize)
    const group = rewards.slice(start, start + groupSize)
    return round(reward - group.reduce((sum, one) => sum + one, 0) / group.length, 6)
  })
}
