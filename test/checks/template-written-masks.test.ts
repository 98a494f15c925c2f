import { describe, expect, it } from 'vitest'
import { searchRow, searchRows } from '../fixtures/checks/fixture.ts'
import { assistant, conversation, tool, trajectoryOf, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditDump, auditTrajectories } from './audit.ts'

describe('what the template may have written', () => {
  const open = {
    prefill: '<think>\n',
    text: 'It may be in the archive, in the second room on the left.\n</think>\n\nSo.',
  }

  it('an open thought that nobody sampled is a prefill, where the dump says so', async () => {
    const trained = { ...open, train: { prefill: true } }
    const told = { story: 'flags', family: 'qwen3', rows: searchRows({ call: trained }, { sampled: true }) } as const
    const { byCode, failing } = await auditDump(told)
    expect(failing).toEqual(['M09'])
    const [finding] = byCode.get('M09')!.findings
    const { layout } = told.rows(await testTokenizer('qwen3'))[0]!
    expect(finding?.tokens).toEqual([layout[2]!.headerEnd, layout[2]!.contentStart])
    // Without flags the model may have written the tag.
    expect((await auditDump({ ...told, rows: searchRows({ call: trained }) })).failing).toEqual([])
  })

  it('a shift is found where every turn begins with a tag that may be the template’s', async () => {
    const late = (mask: number[]) => {
      mask.unshift(0)
      mask.pop()
    }
    const thought = { text: '<think>\nIt may be in the archive.\n</think>\n\nI look it up.' }
    const rows = searchRows({ call: thought, answer: thought }, { editMask: late, padRight: 6 })
    expect((await auditDump({ story: 'late', family: 'qwen3', rows })).failing).toEqual(['M06'])
  })

  it('a drift by the block of every turn is named, however short a turn is against it', async () => {
    const block = '<think>\n\n</think>\n\n'
    const short = (text: string) => assistant(text, { prefill: block })
    const qwen3 = await testTokenizer('qwen3')
    const turns = [user('Go.'), short('I look there now.'), tool('Nothing.'), short('And here it is.'), tool('Yes.')]
    const row = conversation(qwen3, [...turns, short('It is the archive, as the second document says.')], {
      editMask: (mask, layout) => {
        mask.fill(0)
        for (const [turn, { contentStart, endToken }] of layout.filter(({ role }) => role === 'assistant').entries())
          mask.fill(1, contentStart - 4 * (turn + 1), endToken + 1 - 4 * (turn + 1))
      },
    })
    expect(auditTrajectories([trajectoryOf(row)], qwen3).failing).toContain('M07')
  })

  it('a drift by the block is named where the mask is of the response alone, and has lost what was early of the first turn', async () => {
    const block = { prefill: '<think>\n\n</think>\n\n' }
    const qwen3 = await testTokenizer('qwen3')
    const audited = (lag: number) => {
      const row = searchRow(
        qwen3,
        0,
        { call: block, answer: block },
        {
          editMask: (mask) => {
            const first = mask.indexOf(1)
            const before = mask.slice()
            for (let i = 0; i < mask.length; i++) mask[i] = i < first ? 0 : (before[i + lag] ?? 0)
          },
        },
      )
      const { length } = row.record.input_ids
      const start = searchRow(qwen3, 0, { call: block, answer: block }).record.loss_mask?.indexOf(1) ?? 0
      const arrays = [{ name: 'response_mask', length: length - start, expected: length - start }]
      return auditTrajectories([{ ...trajectoryOf(row), arrays, promptLength: start }], qwen3).failing
    }
    expect(audited(4)).toContain('M07')
    // As many tokens as no block has.
    expect(audited(5)).not.toContain('M07')
    expect(audited(0)).toEqual([])
  })

  it.each([
    ['early', -4],
    ['late', 4],
  ])('a drift by the block that is %s is one fault, and not its prefills or newlines as well', async (_, lag) => {
    const block = { prefill: '<think>\n\n</think>\n\n' }
    const displace = (mask: number[]) => {
      const before = mask.slice()
      for (let i = 0; i < mask.length; i++) mask[i] = before[i - lag] ?? 0
    }
    const rows = searchRows({ call: block, answer: block }, { editMask: displace })
    expect((await auditDump({ story: 'drift', family: 'qwen3', rows })).failing).toEqual(['M07'])
  })
})
