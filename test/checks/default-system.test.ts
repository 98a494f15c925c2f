import { describe, expect, it } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { assistant, conversation, system, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited, lines, qwen } from '../session/dumps.ts'

const DEFAULT = 'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.'

/** Messages of rollouts that T09 names, of groups of two that begin with these system texts; null is no system turn. */
async function named(
  groups: readonly (string | null | readonly (string | null)[])[],
  systemMessage: string | null = null,
  questionOf: ((member: number) => string) | null = null,
) {
  const tokenizer = await qwen()
  const rows = groups.flatMap((texts, group) =>
    (Array.isArray(texts) ? texts : [texts, texts]).map((text: string | null, member: number) => {
      const asked = [
        user(questionOf?.(member) ?? `Where does river ${group} rise?`),
        assistant(`I have read ${member} times that it rises in county ${group}.`),
      ]
      const row = conversation(tokenizer, text === null ? asked : [system(text), ...asked], {
        group: `g${group}`,
        reward: member,
        messages: true,
      })
      const { messages = [] } = row.record as { messages?: readonly { role: string; content: string }[] }
      const own = messages.filter(({ role }) => role !== 'system')
      const told = systemMessage === null ? own : [{ role: 'system', content: systemMessage }, ...own]
      return { ...row, record: { ...row.record, messages: told } }
    }),
  )
  const report = (await audited(lines(rows))).report()
  return report.findings
    .filter(({ code }) => code === 'T09' || code === 'C01')
    .map(({ group, message, code, record }) => [group, message, code, record] as const)
}

describe('the default system text of a template, in whole groups', () => {
  it('is named where it stands in few groups and others have no system turn, and its lack where few have none', async () => {
    const injected = await named([DEFAULT, null, null, null])
    expect(injected.map(([group]) => group)).toEqual(['g0', 'g0'])
    expect(injected[0]?.[1]).toContain('6 rollouts of other groups have no system turn')
    const dropped = await named([DEFAULT, DEFAULT, DEFAULT, null])
    expect(dropped.map(([group]) => group)).toEqual(['g3', 'g3'])
    expect(dropped[0]?.[1]).toContain("have the template's default system text")
  })

  it.each([
    ['in all of them', [DEFAULT, DEFAULT, DEFAULT], null],
    ['in none of them', [null, null, null], null],
    ['beside another text', [DEFAULT, 'Answer in one sentence.', DEFAULT], null],
    ['beside none, as the messages have it', [DEFAULT, DEFAULT, DEFAULT], DEFAULT],
  ])('is nothing %s', async (_, groups, message) => {
    expect(await named(groups, message)).toEqual([])
  })
})

describe("the default system text of another family's template", () => {
  const rows = (
    tokenizer: Tokenizer,
    text: string,
    { told = null as string | null, thinks = '<think>\nI look.\n</think>\n\n' } = {},
  ) =>
    ['red', 'blue'].map((word) => {
      const turns = [user(`Is it ${word}?`), assistant(`${thinks}It is ${word}.`)]
      const row = conversation(tokenizer, [system(text), ...turns], { messages: true })
      const asked = turns.map((turn) => ({ role: turn.role, content: turn.text }))
      return {
        ...row,
        record: { ...row.record, messages: told === null ? asked : [{ role: 'system', content: told }, ...asked] },
      }
    })
  const told = async (family: 'qwen2.5' | 'qwen3', text: string, more?: Parameters<typeof rows>[2]) => {
    const audit = await audited(lines(rows(await testTokenizer(family), text, more)))
    return audit.report().findings.filter(({ code }) => code === 'T09')
  }

  it('is named in each row whose messages have no system message', async () => {
    const findings = await told('qwen3', DEFAULT)
    expect(findings.map(({ severity, turn }) => [severity, turn])).toEqual([
      ['warning', 0],
      ['warning', 0],
    ])
    expect(findings[0]?.message).toContain("the default system text of Qwen2.5's template")
  })

  it.each([
    ['where the template writes it', 'qwen2.5', DEFAULT, { thinks: '' }],
    ['where the messages have it', 'qwen3', DEFAULT, { told: DEFAULT }],
    ["where a program's own text goes on from it", 'qwen3', `${DEFAULT} Answer in one sentence.`, {}],
    ['of any other text that the messages do not have', 'qwen3', 'Answer in one sentence.', {}],
  ] as const)('is nothing %s', async (_, family, text, more) => {
    expect(await told(family, text, more)).toEqual([])
  })
})

describe('a system text that is no default, within a group', () => {
  const own = 'Answer in one sentence.'
  it('is named where half of the rollouts have it, or fewer', async () => {
    const one = await named([[null, own, null, null]])
    expect(one).toEqual([['g0', expect.stringContaining('3 of the 4 rollouts of group g0 begin with the'), 'T09', 1]])
    expect(await named([[own, null]])).toEqual([['g0', expect.stringContaining('1 of the 2 rollouts'), 'T09', 0]])
  })

  it('is none where all have it, or none, or another group has', async () => {
    expect(
      await named([
        [own, own],
        [null, null],
        [own, own],
      ]),
    ).toEqual([])
  })

  it('is none before another question', async () => {
    expect(await named([[own, null]], null, (member) => `How long is river ${member}?`)).toEqual([])
  })
})

describe('the default system text of a template, within a group', () => {
  const begins = (...texts: (string | null)[]) => texts

  it('is named where one rollout has it or lacks it, and no cut is', async () => {
    const dropped = await named([begins(DEFAULT, DEFAULT, null, DEFAULT), begins(DEFAULT, DEFAULT, DEFAULT, DEFAULT)])
    expect(dropped).toEqual([
      ['g0', expect.stringContaining('It has no system turn, and 3 of the 4 rollouts of group g0'), 'T09', 2],
    ])
    const injected = await named([begins(null, DEFAULT, null, null), begins(null, null, null, null)])
    expect(injected).toEqual([['g0', expect.stringContaining('default system text stands in its prompt'), 'T09', 1]])
  })

  it('is none where the run has a system text of its own: what lacks that lost its beginning', async () => {
    const own = 'Answer in one sentence.'
    expect(await named([begins(own, own, null, own)])).toEqual([['g0', expect.any(String), 'C01', 2]])
  })
})
