import { describe, expect, it } from 'vitest'
import { assistant, call, conversation, SEARCH_TOOL, system, user, withToolSchema } from '../helpers/conversation.ts'
import { audited, lines, qwen } from '../session/dumps.ts'

const named = (name: string) => ({ ...SEARCH_TOOL, function: { ...SEARCH_TOOL.function, name } })
const TOOLS = ['search', 'calculate', 'open_page'].map(named)
const without = (name: string) => TOOLS.filter((tool) => tool.function.name !== name)

/** Records and messages of T07, and codes of T09 and A05, on rollouts of one question whose records have all tools, and whose prompts have these. */
async function told(prompts: readonly (readonly unknown[])[], groups: (row: number) => string = () => 'g') {
  const tokenizer = await qwen()
  const rows = prompts.map((tools, i) =>
    conversation(
      tokenizer,
      [
        system(withToolSchema('Answer with the help of the tools.', tools)),
        user('Where does the Arn rise?'),
        assistant(`In the hills, ${i} miles away.`),
      ],
      { id: `row-${i}`, group: groups(i), tools: TOOLS, reward: i % 2 },
    ),
  )
  const { findings } = (await audited(lines(rows))).report()
  return {
    missing: findings.filter(({ code }) => code === 'T07').map(({ record, message }) => [record, message]),
    others: findings.filter(({ code }) => code === 'T09' || code === 'A05').map(({ code }) => code),
  }
}

describe('a tool of the record that the prompt lacks and the model does not call', () => {
  it('is named where others of the group describe all, and makes no other prompt of it', async () => {
    expect(await told([TOOLS, TOOLS, without('calculate'), TOOLS])).toEqual({
      missing: [[2, expect.stringContaining('does not describe calculate, which the record has; those of 3 of the 4')]],
      others: [],
    })
  })

  it.each([
    ['all prompts of the group lack it: a choice for this question', [1, 1, 1, 1].map(() => without('calculate'))],
    [
      'prompts lack different ones: a choice anew for each rollout',
      [TOOLS, without('calculate'), without('open_page'), TOOLS],
    ],
    ['every prompt has it', [TOOLS, TOOLS, TOOLS, TOOLS]],
  ])('is nothing to name where %s', async (_, prompts) => {
    expect((await told(prompts)).missing).toEqual([])
  })

  it('is nothing to name beside prompts of other groups', async () => {
    const prompts = [TOOLS, TOOLS, TOOLS, without('calculate'), without('calculate')]
    expect((await told(prompts, (row) => (row < 3 ? 'g' : 'h'))).missing).toEqual([])
  })
})

/** Rollouts that T07 names of so many, each of its own question, whose prompts lack a tool that the first few call. */
async function named40(calling: number, prompts: (row: number) => readonly unknown[] = () => without('calculate')) {
  const tokenizer = await qwen()
  const rows = Array.from({ length: 40 }, (_, i) => {
    const said = i < calling ? call(tokenizer, 'calculate', { query: `${i} + 1` }) : `In the hills, ${i} miles away.`
    const instruction = withToolSchema('Answer with the help of the tools.', prompts(i))
    const turns = [system(instruction), user(`Where does river ${i} rise?`), assistant(said)]
    return conversation(tokenizer, turns, { id: `row-${i}`, group: `g${i}`, tools: TOOLS, reward: i % 2 })
  })
  const { checks, findings } = (await audited(lines(rows))).report()
  const { affected, pattern } = checks.find(({ code }) => code === 'T07')!
  return { affected, pattern, last: findings.findLast(({ code }) => code === 'T07')?.message ?? null }
}

describe('a tool of the record that no prompt of the dump has', () => {
  it('is named in all rollouts where a tenth of them or more call it', async () => {
    expect(await named40(4)).toEqual({
      affected: 40,
      pattern: 'systematic',
      last: expect.stringContaining('neither does any other prompt of the dump: 4 of 40 rollouts call what it lacks'),
    })
  })

  it('is named in those that call it where they are fewer, as a model invents a name', async () => {
    expect(await named40(3)).toMatchObject({ affected: 3, pattern: 'sporadic' })
  })

  it('is nothing of all where one prompt describes it, or another lacks more', async () => {
    expect((await named40(4, (row) => (row === 9 ? TOOLS : without('calculate')))).affected).toBe(4)
    expect((await named40(4, (row) => (row === 9 ? TOOLS.slice(0, 1) : without('calculate')))).affected).toBe(4)
  })

  it('is a choice where nobody calls it', async () => {
    expect((await named40(0)).affected).toBe(0)
  })
})
