import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import {
  assistant,
  type Conversation,
  call,
  conversation,
  SEARCH_TOOL,
  system,
  tool,
  user,
  withToolSchema,
} from '../helpers/conversation.ts'
import { lines } from '../session/dumps.ts'

/** Numbers from 0 to 1 that look random and are the same every time. */
function numbers(seed: number): () => number {
  let state = seed * 2654435761 + 1
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** A rollout with every stream there is, two searches and tags in its replies. */
export function wholeRollout(tokenizer: Tokenizer, seed: number): Conversation {
  const turns = [
    system(withToolSchema('Answer with the help of the search. Cite what you use.')),
    user(`Who directed the film about river ${seed}?`),
    assistant(
      `<think>\nI need the director of the film about river ${seed}. Let me search for the film first.\n</think>\n${call(tokenizer, 'search', { query: `film river ${seed}` })}`,
    ),
    tool(`Document ${seed}: “The Arn”, a film of 1962 about river ${seed}, was directed by Lena Teal.`),
    assistant(
      `<think>\nThe document names Lena Teal.\n</think>\nIt was <answer>Lena Teal</answer> <cite>document ${seed}</cite>.`,
    ),
  ]
  const built = conversation(tokenizer, turns, {
    id: `whole-${seed}`,
    group: 'river',
    groupSize: 4,
    reward: seed % 2,
    tools: [SEARCH_TOOL],
    messages: true,
    sampled: true,
    logprobs: 'both',
    documents: [{ id: `document ${seed}`, title: 'The Arn', text: 'A film of 1962.', supporting: true }],
    answer: 'Lena Teal',
  })
  const { record, sampled } = built
  const next = numbers(seed)
  const sampler = sampled.map((flag) => (flag === 1 ? -(next() ** 4) * 6 : null))
  const trainer = sampled.map((_, k) =>
    k === 0 ? null : Math.min(-0.001, (sampler[k] ?? -next() * 3) + (next() - 0.5) * 0.1),
  )
  record.logprobs = {
    sampler,
    trainer,
    reference: trainer.map((value) => (value === null ? null : value - next() * 0.3)),
  }
  record.entropy = sampled.map(() => next() ** 2 * 2)
  record.kl = sampled.map(() => (next() - 0.3) * 0.05)
  const advantage = seed % 2 === 1 ? 1.4 : -0.7
  record.advantages = sampled.map((flag) => (flag === 1 ? advantage : 0))
  return built
}

/** Four siblings with every stream, and two branches of one rollout that differ from their second answer on. */
export function wholeDump(tokenizer: Tokenizer): string {
  const branch = (name: string, answer: string) =>
    conversation(
      tokenizer,
      [user('Where does the Arn rise?'), assistant('In the hills.'), user('Where?'), assistant(answer)],
      {
        id: `forked-${name}`,
        group: 'fork',
        messages: true,
        more: { rollout_id: 'forked', branch: name },
      },
    )
  return lines([
    ...[1, 2, 3, 4].map((seed) => wholeRollout(tokenizer, seed)),
    branch('0', 'In Teal.'),
    branch('1', 'I cannot say where that is.'),
  ])
}

/** Rollouts that are hard to draw, by name: what they hold stands in their ids. */
export function oddDump(tokenizer: Tokenizer): string {
  const hard = [
    ['right-to-left', 'هل تعلم أن نهر «آرن» ينبع من تلال تيل؟ שלום \u202Eabc\u202C \u2066x\u2069'],
    ['combining', `Z${'\u0301\u0323\u0327'.repeat(8)}algo e\u0301 \u0928\u093F \u0E01\u0E33`],
    ['emoji', '👩🏽‍🚀 👨‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪 𓀀𓁐 ﷽'],
    ['control', 'a\u0000b\u0007c\u001b[31m\td\r\n\u00a0\u200b\u00ad\ufeff\u2028 <script>alert(1)</script>'],
    ['no-space', 'xyzzy0123456789abcdefgh'.repeat(1300)],
  ] as const
  const records = [
    ...hard.map(([id, text]) =>
      conversation(tokenizer, [user(text), assistant(text)], { id, messages: true, logprobs: 'both' }),
    ),
    conversation(tokenizer, [user('Hi'), assistant('Hello.')], { id: 'no-mask', messages: true, mask: 'none' }),
    conversation(
      tokenizer,
      Array.from({ length: 100 }, (_, k) => [user(`Question ${k}?`), assistant(`Answer ${k}.`)]).flat(),
      { id: 'turns', messages: true },
    ),
  ].map(({ record }) => record)
  const bare = [
    { id: 'ids-only', input_ids: tokenizer.encode('<|im_start|>user\nHi<|im_end|>\n', { specials: true }) },
    { id: 'one-token', input_ids: [tokenizer.encode('Hi')[0]], loss_mask: [1] },
    { id: 'strange-ids', input_ids: [151644, 999_999, -7, 151645], loss_mask: [0, 1, 1, 1] },
    {
      id: 'text-only',
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello.' },
      ],
    },
  ]
  return [...records, ...bare].map((record) => `${JSON.stringify(record)}\n`).join('')
}

export const ODD_ROLLOUTS = 11

/** Siblings of so many training steps with every stream; sampler and trainer drift apart by `drift` nats a step. */
export function steppedDump(tokenizer: Tokenizer, steps: number, drift: number): string {
  return lines(
    Array.from({ length: steps * 4 }, (_, row) => {
      const step = Math.floor(row / 4) + 1
      const built = wholeRollout(tokenizer, row)
      const { record } = built
      const { logprobs = {} } = record
      const trainer = (logprobs.trainer ?? []).map((value) => (value === null ? null : value - drift * step))
      return {
        ...built,
        record: { ...record, step, group_id: `river ${step}`, logprobs: { ...logprobs, trainer } },
      }
    }),
  )
}
