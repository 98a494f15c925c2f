import { describe, expect, it } from 'vitest'
import { TRL_SAMPLER } from '../../shared/formats/trl-logprobs.ts'
import type { BundledTokenizerId } from '../../shared/tokens/tokenizer.ts'
import {
  assistant,
  call,
  conversation,
  system,
  type TurnLayout,
  tool,
  trajectoryOf,
  user,
} from '../helpers/conversation.ts'
import { FAMILIES, testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

const THOUGHT = '<think>\nThe archive should have it, so I look there first.\n</think>\n\n'

/** Two turns, the row ending with the end token of the last; the mask `lag` tokens late, and 0.0 as logprob of the tokens that `certain` names. */
async function rollout(family: BundledTokenizerId, lag: number, certain: (turn: TurnLayout) => readonly number[]) {
  const tokenizer = await testTokenizer(family)
  const turns = [
    system('Be brief.'),
    user('Who directed it?'),
    assistant(THOUGHT + call(tokenizer, 'search', { query: 'who directed it' })),
    tool('Night Harbour is a film by Ines Valdoro.'),
    assistant(`${THOUGHT}It was directed by Ines Valdoro, as the archive says.`, { separator: false }),
  ]
  const row = conversation(tokenizer, turns, {
    editMask: (mask) => {
      const was = [...mask]
      mask.forEach((_, i) => {
        mask[i] = was[i - lag] ?? 0
      })
    },
  })
  const written = row.layout.filter(({ role }) => role === 'assistant')
  const sampler = Float32Array.from(row.sampled, (each, i) => (each ? -0.4 - (i % 7) / 10 : 0))
  for (const at of written.flatMap(certain)) sampler[at] = 0
  const promptLength = written[0]!.contentStart
  return { tokenizer, sampler, trajectory: { ...trajectoryOf(row), promptLength } }
}

const masks = ({ failing }: { readonly failing: readonly string[] }) => failing.filter((code) => code.startsWith('M'))

describe.each(FAMILIES)('a mask that lies off where the sampler was certain (%s)', (family) => {
  it.each([2, 3])('is late by %i, though an opening think tag of 0.0 lets turns begin behind it', async (lag) => {
    for (let certain = 0; certain <= 6; certain++) {
      const first = ({ contentStart }: TurnLayout) => Array.from({ length: certain }, (_, i) => contentStart + i)
      const { tokenizer, sampler, trajectory } = await rollout(family, lag, first)
      const logprobs = { ...trajectory.logprobs, sampler }
      const audited = auditTrajectories([{ ...trajectory, logprobs }], tokenizer, { format: { unsampledLogprob: 0 } })
      expect(masks(audited), `${certain} tokens`).toEqual(['M06'])
    }
  })

  it.each([
    -1, -2, -3,
  ])('is off by %i in a batch of TRL, where 0.0 of an end that is masked is no logprob', async (lag) => {
    const { tokenizer, sampler, trajectory } = await rollout(family, lag, ({ endToken, end }) =>
      endToken === end - 1 ? [endToken] : [],
    )
    const { mask, promptLength } = trajectory
    sampler.forEach((value, i) => {
      if (i < promptLength || (value === 0 && mask?.[i] === 0)) sampler[i] = Number.NaN
    })
    const expected = sampler.length
    const arrays = [...trajectory.arrays, { name: TRL_SAMPLER, length: expected, expected }]
    const logprobs = { ...trajectory.logprobs, sampler }
    const audited = auditTrajectories([{ ...trajectory, arrays, logprobs }], tokenizer, {
      format: { maskAlignment: 'token' },
    })
    expect(masks(audited)).toEqual(['M06'])
  })
})

it('finds no drift where the last turn is masked and one before it, as long, begins with a think tag of 0.0', async () => {
  const tokenizer = await testTokenizer('qwen3')
  const said = `${THOUGHT}It was directed by Ines Valdoro, as the archive says.`
  const turns = [
    system('Be brief.'),
    user('Who directed it?'),
    assistant(`${THOUGHT}I do not know yet.`),
    user('Think again.'),
    assistant(said),
    user('Are you sure?'),
    assistant(said),
  ]
  const row = conversation(tokenizer, turns, {
    editMask: (mask, layout) => mask.fill(0, layout.at(-1)!.contentStart),
  })
  const sampler = Float32Array.from(row.sampled, (each, i) => (each ? -0.4 - (i % 7) / 10 : 0))
  const second = row.layout.filter(({ role }) => role === 'assistant')[1]!
  sampler[second.contentStart] = 0
  const trajectory = trajectoryOf(row)
  const logprobs = { ...trajectory.logprobs, sampler }
  const { failing } = auditTrajectories([{ ...trajectory, logprobs }], tokenizer, { format: { unsampledLogprob: 0 } })
  expect(failing).toEqual(['M03'])
})
