import { describe, expect, it } from 'vitest'
import { assistant, conversation, system, user } from '../helpers/conversation.ts'
import { audited, qwen } from './dumps.ts'

const QUESTIONS = ['the Arn', 'the Teal', 'the Lode', 'the Wick']

/**
 * Rows of TRL's asynchronous trainer: whole ids, and a completion mask of their length that begins with the last turn. Groups of four, a
 * question for each.
 */
async function report(example: (group: number, member: number) => string, questions = QUESTIONS) {
  const tokenizer = await qwen()
  const rows = questions.flatMap((river, group) =>
    Array.from({ length: 4 }, (_, member) => {
      const { record } = conversation(tokenizer, [
        system('Answer in one sentence.'),
        user('Where does the Isk rise?'),
        assistant(example(group, member), { train: false }),
        user(`Where does ${river} rise?`),
        assistant(`I have heard ${member} times that ${river} rises in the hills behind town ${group}.`),
      ])
      return {
        input_ids: record.input_ids,
        completion_mask: record.loss_mask,
        reward: member % 2,
        advantage: member % 2 === 0 ? -1 : 1,
        group_id: group,
      }
    }),
  )
  return (await audited(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))).report()
}

const failingIn = ({ checks }: Awaited<ReturnType<typeof report>>) =>
  checks.filter(({ status }) => status === 'fail').map(({ code }) => code)
const h02 = ({ hypotheses }: Awaited<ReturnType<typeof report>>) => hypotheses.find(({ id }) => id === 'H02')?.verdict

describe('assistant turns before the first that is trained, in rows without a length of their prompt', () => {
  it.each([
    ['the same before every question', () => 'It rises in the north.', QUESTIONS],
    ['the same before the one question of all', () => 'It rises in the north.', QUESTIONS.slice(0, 1)],
    ['the same in a group and others in the next', (group: number) => `It rises in county ${group}.`, QUESTIONS],
  ])('are examples of the prompt where they are %s', async (_, example, questions) => {
    const found = await report(example, questions)
    expect(failingIn(found)).toEqual([])
    expect(h02(found)).toBe('contradicted')
    expect(found.policy).toMatchObject({ examples_in_prompt: true, suggested: null })
    expect(found.policy.evidence.join()).toContain('examples in the prompt')
  })

  it('are turns that the mask leaves out where each rollout has its own', async () => {
    const found = await report((group, member) => `I went there ${member} times, and it rises in county ${group}.`)
    expect(failingIn(found)).toEqual(['M03'])
    expect(h02(found)).toBe('supported')
    expect(found.policy.examples_in_prompt).toBeUndefined()
  })
})
