import { expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { S06 } from '../../shared/checks/layout/branches.ts'
import { runDumpCheck } from '../helpers/at-once.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited } from '../session/dumps.ts'

const qwen = await testTokenizer('qwen2.5')
const encode = (text: string) => qwen.encode(text, { specials: true })
/** A word in two tokens, as a sampler gives it now and then. */
const sampled = (text: string, word: string) => {
  const at = text.indexOf(word) + 2
  return [...encode(text.slice(0, at)), ...encode(text.slice(at))]
}

const QUESTION = '<|im_start|>user\nWho founded Quillfort?<|im_end|>\n<|im_start|>assistant\n'
const NEXT = '\n<|im_start|>user\nAre you sure?<|im_end|>\n<|im_start|>assistant\n'

const ASKED = [{ role: 'user', content: 'Who founded Quillfort?' }]
const said = (content: string) => [{ role: 'assistant', content }]

/** Rollouts of verifiers with two calls each; the second one's prompt has `again` in the place of what the first wrote. */
const rolloutOf = (task: number, first: number[], again: number[]) => {
  const prompt = encode(QUESTION)
  const answer = encode(`Yes, it was the weaver Maud Ester, number ${task}.<|im_end|>`)
  const step = (prompt_ids: number[], completion_ids: number[]) => ({
    prompt: ASKED,
    completion: said('It was founded by the weaver Maud Ester.'),
    response: null,
    tokens: {
      prompt_ids,
      prompt_mask: prompt_ids.map(() => 0),
      completion_ids,
      completion_mask: completion_ids.map(() => 1),
      completion_logprobs: completion_ids.map(() => -0.25),
      overlong_prompt: false,
      is_truncated: false,
    },
    reward: 1,
    advantage: 0.5,
    is_truncated: false,
    trajectory_id: `t${task}`,
    extras: {},
  })
  return {
    example_id: task,
    prompt: ASKED,
    completion: said(`Yes, number ${task}.`),
    answer: 'Maud Ester',
    task: 'towns',
    info: {},
    reward: 1,
    metrics: {},
    timing: {},
    is_completed: true,
    is_truncated: false,
    stop_condition: null,
    trajectory: [step(prompt, first), step([...prompt, ...again, ...encode(NEXT)], answer)],
  }
}

const branchesOf = async (first: number[], again: number[]) => {
  const report = (
    await audited([1, 2, 3, 4].map((task) => `${JSON.stringify(rolloutOf(task, first, again))}\n`).join(''))
  ).report()
  return report.findings.find(({ code }) => code === 'S06')
}

const REPLY = 'It was founded by the weaver Maud Ester.<|im_end|>'

it('a later prompt that spells what was written in other tokens is told as that', async () => {
  const finding = await branchesOf(sampled(REPLY, 'founded'), encode(REPLY))
  expect(finding?.message).toContain('with the same text in another split')
  expect(finding?.evidence).toMatchObject({ prefix_broken: 4, other_splits: 4 })
})

it('and one that says something else is not', async () => {
  const finding = await branchesOf(encode(REPLY), encode('It was founded by Maud Ester.<|im_end|>'))
  expect(finding?.message).not.toContain('same text')
  expect(finding?.evidence).toMatchObject({ prefix_broken: 4, other_splits: 0 })
})

it('how many are split is counted by what was found, and not by the words of a format', () => {
  const branch = (record: number, more: Partial<TrajectoryFacts>) => factsOf(record, { branchOf: 't1', ...more })
  const words = 'the prompt of call 2 leaves the ids before it'
  const { findings } = runDumpCheck(
    S06,
    dumpOf([
      branch(0, {}),
      branch(1, { prefixBroken: words, splitsPrefix: true }),
      branch(2, { prefixBroken: `${words}, which is T02` }),
    ]),
  )
  expect(findings[0]?.evidence).toMatchObject({ prefix_broken: 2, other_splits: 1 })
  expect(findings[0]?.evidence.breaks).toEqual([expect.stringContaining('another split'), `${words}, which is T02`])
})
