import type { PlantedDump } from '../dump.ts'
import type { PlantedMessage, PlantedRollout, PlantedToken } from '../rollout.ts'
import { jsonl, numberOf, rowPlaces, type Writer } from './writer.ts'

interface NodeSpan {
  readonly message: PlantedMessage
  readonly tokens: readonly PlantedToken[]
}

/**
 * Each message with the tokens that it adds. What stands between turns belongs to the next one, a system turn that the template adds by itself
 * to the first, replies that share a turn to the first of them, and an end that nobody sampled to none.
 */
function spansOf({ messages, tokens: all, kinds, conversation }: PlantedRollout): NodeSpan[] {
  const tokens = all.filter(({ part }) => part !== 'padding')
  const starts = kinds.map((_, turn) => tokens.findIndex((token) => token.turn === turn && token.part !== 'separator'))
  const ends = kinds.map((kind, turn) => {
    if (turn === kinds.length - 1 && !conversation.stopsOnString) return tokens.length
    // A reply of the model ends with what it sampled last.
    if (kind === 'assistant') return tokens.findLastIndex((token) => token.turn === turn && token.sampled) + 1
    return starts[turn + 1] as number
  })
  let at = 0
  let turn = kinds[0] === 'system' && messages[0]?.role !== 'system' ? 1 : 0
  return messages.map((message) => {
    const from = at
    const sharesTurn = message.tool_call_id !== undefined && kinds[turn] !== 'tool'
    if (!sharesTurn) at = ends[turn++] ?? tokens.length
    return { message, tokens: tokens.slice(from, at) }
  })
}

function node({ message, tokens }: NodeSpan, index: number, whole: number): Record<string, unknown> {
  const { tool_calls: calls, ...said } = message
  const marked = tokens.filter(({ trained }) => trained)
  // The mask says for whom there are values: where it marks what nobody sampled, both sides score it much alike.
  const compact = (value: (token: PlantedToken) => number) =>
    marked.map((token) => (Number.isNaN(value(token)) ? 0 : numberOf(value(token))))
  return {
    ...(index === 0 ? {} : { parent: index - 1 }),
    message: {
      ...said,
      ...(calls === undefined
        ? {}
        : { tool_calls: calls.map(({ function: called, ...call }) => ({ ...call, ...called })) }),
    },
    sampled: tokens.some(({ sampled }) => sampled),
    timestamp: 1_780_000_000 + index,
    token_ids: tokens.map(({ id }) => id),
    mask: tokens.map(({ trained }) => trained),
    is_content: [],
    ...(marked.length === 0
      ? {}
      : {
          logprobs: compact(({ sampled, sampler, trainer }) => (sampled ? sampler : trainer * 0.99)),
          trainer_logprobs: compact(({ trainer }) => trainer),
          advantages: compact(({ sampled, advantage }) => (sampled ? advantage : whole)),
        }),
  }
}

/** The format holds no reward but the sum of its parts. */
const isSumOfParts = ({ reward, rewards }: PlantedRollout) =>
  Object.values(rewards).reduce((sum, part) => sum + part, 0) === reward

/** An episode of one trace, as prime-rl logs it once the trainer's annotations are folded in. */
function episode(rollout: PlantedRollout, inParts: boolean): Record<string, unknown> {
  const scores = inParts ? rollout.rewards : { reward: rollout.reward }
  const nodes = spansOf(rollout)
  const replies = [...nodes.keys()].filter((index) => nodes[index]?.message.role === 'assistant')
  const task = {
    type: 'search',
    data: { prompt: rollout.conversation.user, answer: rollout.answer },
    key: rollout.group,
  }
  return {
    id: `episode ${rollout.id}`,
    env: { id: 'search', name: 'search' },
    task,
    group: { id: rollout.group },
    run: { type: 'train', id: 'run', name: 'run', work: { type: 'train', step: rollout.step } },
    ok: true,
    errors: [],
    traces: [
      {
        version: 1,
        id: rollout.id,
        task,
        agent: { config: {}, name: 'default', trainable: true },
        tools: rollout.tools ?? [],
        nodes: nodes.map((each, index) => node(each, index, rollout.advantage)),
        calls: replies.map((index) => ({
          node: index,
          model: rollout.model,
          sampling: { temperature: rollout.temperature },
          finish_reason: index === replies.at(-1) ? rollout.finishReason : 'tool_calls',
        })),
        rewards: Object.fromEntries(Object.entries(scores).map(([name, score]) => [name, { score, weight: 1 }])),
        metrics: {},
        info: {},
        is_completed: true,
        ok: true,
        stop_condition: rollout.truncated ? 'max_output_tokens' : 'agent_completed',
        errors: [],
        timing: {},
      },
    ],
  }
}

export const verifiersV1 = {
  format: 'verifiers-v1' as const,
  carries: new Set([
    'mask',
    'groups',
    'sampler',
    'trainer',
    'messages',
    'tools',
    'answer',
    'components',
    'advantages',
    'finish',
  ] as const),
  write(dump: PlantedDump) {
    const inParts = dump.rollouts.every(isSumOfParts)
    return {
      text: jsonl(dump.rollouts.map((rollout) => episode(rollout, inParts))),
      options: {},
      places: rowPlaces(dump),
    }
  },
} satisfies Writer
