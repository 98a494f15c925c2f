import { describe, expect, it } from 'vitest'
import { searchRow } from '../fixtures/checks/fixture.ts'
import { type Conversation, trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

const qwen2 = await testTokenizer('qwen2.5')

function audit(rows: readonly Conversation[]) {
  const trajectories = rows.map((row, record) => trajectoryOf(row, { source: 0, record, part: 0 }))
  return auditTrajectories(trajectories, qwen2)
}

describe('a row that trains nothing and ends with an end token', () => {
  /** What M04 says of it where it is `short` of the limit by so many tokens. */
  const saidOf = (limit: 'max_completion_length' | 'max_seq_len', short: number) => {
    const masked = searchRow(qwen2, 0, { call: { train: false }, answer: { train: false } })
    const { record, layout } = masked
    const prompt = layout.find(({ role }) => role === 'assistant')!.headerEnd
    const length = record.input_ids.length - (limit === 'max_seq_len' ? 0 : prompt)
    const limited = { ...record, prompt_length: prompt, limits: { [limit]: length + short } }
    const rows = [{ ...masked, record: limited }, searchRow(qwen2, 1), searchRow(qwen2, 2)]
    const { findings } = audit(rows).byCode.get('M04')!
    return findings.map(({ trajectory, severity, evidence }) => [trajectory, severity, evidence.cause])
  }

  it.each(['max_completion_length', 'max_seq_len'] as const)('was ended by %s if it is just as long', (limit) => {
    expect(saidOf(limit, 0)).toEqual([['row-0', 'info', 'just as long as a limit of the run']])
    expect(saidOf(limit, 1)).toEqual([['row-0', 'error', null]])
  })

  it('failed if it alone has no reward', () => {
    const saidAmong = (reward: number | null, advantage?: number) => {
      const masked = searchRow(qwen2, 0, { call: { train: false }, answer: { train: false } })
      const others = [searchRow(qwen2, 1), searchRow(qwen2, 2)].map(({ record, ...row }) => ({
        ...row,
        record: { ...record, reward },
      }))
      const { reward: _, ...unrewarded } = { reward: null, ...masked.record }
      const { findings } = audit([{ ...masked, record: { ...unrewarded, advantage } }, ...others]).byCode.get('M04')!
      return findings.map(({ severity, evidence }) => [severity, evidence.cause])
    }
    expect(saidAmong(1)).toEqual([['info', 'without a reward, as one that failed']])
    expect(saidAmong(1, 0)).toEqual([['info', 'without a reward, as one that failed']])
    expect(saidAmong(1, -0.5)).toEqual([['error', null]])
    expect(saidAmong(null)).toEqual([['error', null]])
  })

  it.each([
    ['ended by "aborted"', { finish_reason: 'aborted' }],
    [null, { finish_reason: 'stop', advantage: 0.5 }],
  ] as const)('is %s, as its own fields say', (cause, fields) => {
    const masked = searchRow(qwen2, 0, { call: { train: false }, answer: { train: false } })
    const rows = [{ ...masked, record: { ...masked.record, ...fields } }, searchRow(qwen2, 1), searchRow(qwen2, 2)]
    const { findings } = audit(rows).byCode.get('M04')!
    expect(findings.map(({ severity, evidence }) => [severity, evidence.cause])).toEqual([
      [cause === null ? 'error' : 'info', cause],
    ])
  })

  it('is left out by rule if its group has one reward, as all of such groups are', () => {
    const row = (i: number, group: string, train: boolean, reward: number) => {
      const whole = searchRow(qwen2, i, { call: { train }, answer: { train } })
      return { ...whole, record: { ...whole.record, group_id: group, reward } }
    }
    const saidBeside = (train: boolean) => {
      const flat = [row(0, 'flat', false, 1), row(1, 'flat', train, 1)]
      const { findings } = audit([...flat, row(2, 'other', true, 0), row(3, 'other', true, 1)]).byCode.get('M04')!
      return findings.map(({ severity, evidence }) => [severity, evidence.cause])
    }
    const leftOut = ['info', 'in a group of one reward, all of which are masked whole']
    expect(saidBeside(false)).toEqual([leftOut, leftOut])
    expect(saidBeside(true)).toEqual([['error', null]])
  })

  it('is one that a limit ended where it ends in the header of an answer or behind a reply, if such rows are few', () => {
    const saidAmong = (others: number, cut: 'header' | 'reply' | 'answer') => {
      const { record, layout, ...row } = searchRow(qwen2, 0, { call: { train: false }, answer: { train: false } })
      const answer = layout.at(-1)!
      const length = { header: answer.headerEnd, reply: answer.start, answer: answer.end }[cut]
      const [input_ids, loss_mask] = [record.input_ids.slice(0, length), record.loss_mask!.slice(0, length)]
      const masked = { ...row, layout, record: { ...record, input_ids, loss_mask } }
      const whole = Array.from({ length: others }, (_, at) => searchRow(qwen2, at + 1))
      const { findings } = audit([masked, ...whole]).byCode.get('M04')!
      return findings.map(({ severity, evidence }) => [severity, evidence.cause])
    }
    const ended = [['info', 'ended before an answer, as a limit ends it']]
    expect(saidAmong(5, 'header')).toEqual(ended)
    expect(saidAmong(5, 'reply')).toEqual(ended)
    expect(saidAmong(3, 'header')).toEqual([['error', null]])
    expect(saidAmong(5, 'answer')).toEqual([['error', null]])
  })

  describe('with which it is padded', () => {
    const END = 151645
    const padded = (
      { record, ...row }: Conversation,
      length: number,
      limits?: Record<string, number>,
    ): Conversation => {
      const [ids, mask] = [record.input_ids.slice(0, length), record.loss_mask!.slice(0, length)]
      const pads = Array<number>(700 - ids.length)
      return {
        ...row,
        record: {
          ...record,
          input_ids: [...ids, ...pads.fill(END)],
          loss_mask: [...mask, ...pads.fill(0)],
          ...(limits ? { limits } : {}),
        },
      }
    }
    /** What M04 says of a masked row that was cut ten tokens before its end, among so many that were not. */
    const saidAmong = (others: number, limit?: number) => {
      const masked = searchRow(qwen2, 0, { call: { train: false }, answer: { train: false } })
      const cutAt = masked.layout.at(-1)!.endToken - 10
      const limits = limit === undefined ? undefined : { max_seq_len: cutAt + limit }
      const whole = Array.from({ length: others }, (_, at) => searchRow(qwen2, at + 1))
      const rows = whole.map((row) => padded(row, row.layout.at(-1)!.endToken + 1))
      const { findings } = audit([padded(masked, cutAt, limits), ...rows]).byCode.get('M04')!
      return findings.map(({ trajectory, severity, message }) => [
        trajectory,
        severity,
        message.includes('may have cut'),
      ])
    }

    it('may have been cut: a few such rows are a warning, and many an error', () => {
      expect(saidAmong(5)).toEqual([['row-0', 'warning', true]])
      expect(saidAmong(3)).toEqual([['row-0', 'error', false]])
    })

    it('was cut where it is just as long as a limit without the first of its padding', () => {
      expect(saidAmong(5, 0)).toEqual([['row-0', 'info', false]])
      expect(saidAmong(5, 1)).toEqual([['row-0', 'info', false]])
      expect(saidAmong(5, 2)).toEqual([['row-0', 'warning', true]])
    })
  })
})
