import { beforeAll, describe, expect, it } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import type { RecordOptions } from '../helpers/conversation.ts'
import { audited, cleanRollout, lines, qwen } from '../session/dumps.ts'

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await qwen()
})

type EditMask = NonNullable<RecordOptions['editMask']>

/** Made of ids that had 14 fewer before the first reply: what it trains begins inside the question. */
const lacksFirst: EditMask = (mask) => void mask.splice(0, 14)
/** One of the same length lies as far off. */
const movedAhead: EditMask = (mask) => void mask.push(...mask.splice(0, 14).fill(0))

/** The first of four rollouts with such a mask, and no messages or logprobs that tell what was asked or written. */
async function reportOf(editMask: EditMask, of = 1) {
  const bare: RecordOptions = { messages: false, logprobs: undefined, tools: [] }
  const rows = [1, 2, 3, 4].map((seed) =>
    cleanRollout(tokenizer, seed, seed <= of ? { ...bare, editMask } : { ...bare }),
  )
  return (await audited(lines(rows))).report()
}
const failing = ({ checks }: Awaited<ReturnType<typeof reportOf>>) =>
  checks.filter(({ status }) => status === 'fail').map(({ code }) => code)

describe('a row whose mask does not fit its ids', () => {
  it('is told of by the lengths alone, and judged by nothing that goes by the mask', async () => {
    const report = await reportOf(lacksFirst)
    expect(failing(report)).toEqual(['S03'])
    expect(report.totals.tokens.unknown).toBeGreaterThan(0)
  })

  it('is counted as not looked at', async () => {
    const { checks } = await reportOf(lacksFirst)
    const of = (code: string) => checks.find((check) => check.code === code)
    expect(of('M08')).toMatchObject({ status: 'pass', checked: 3, left_out: 1 })
    expect(of('S03')).not.toHaveProperty('left_out')
    const all = (await reportOf(lacksFirst, 4)).checks.find(({ code }) => code === 'M08')
    expect(all).toMatchObject({ status: 'not-checkable', checked: 0, left_out: 4 })
    expect(all?.reason).toMatch(/^in 4 rollouts the mask does not fit the ids \(S03\), and there are no /)
  })

  it('is another than one without a mask whose logprobs do not fit', async () => {
    const rows = [1, 2, 3, 4].map((seed) => cleanRollout(tokenizer, seed))
    const first = rows[0] as (typeof rows)[number]
    const { loss_mask: _, logprobs, ...bare } = first.record
    rows[0] = { ...first, record: { ...bare, logprobs: { ...logprobs, sampler: [-1, -1] } } }
    const report = (await audited(lines(rows))).report()
    expect(failing(report)).toContain('S03')
    expect(report.checks.some((check) => check.left_out !== undefined)).toBe(false)
  })

  it('is judged as ever where the lengths fit', async () => {
    const report = await reportOf(movedAhead)
    expect(failing(report)).toEqual(expect.arrayContaining(['M01', 'M08']))
    expect(report.checks.some((check) => check.left_out !== undefined)).toBe(false)
  })
})
