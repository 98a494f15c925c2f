import { describe, expect, it } from 'vitest'
import { audited, cleanRollout, qwen } from './dumps.ts'

/** Six groups of four, with the records that cannot be read, by their number. */
async function report(isBad: (group: number, member: number) => boolean, options: { groupSize?: number } = {}) {
  const tokenizer = await qwen()
  const rows = Array.from({ length: 24 }, (_, index) => {
    const [group, member] = [index >> 2, index % 4]
    const { record } = cleanRollout(tokenizer, index, { group: `g${group}`, reward: member % 2 })
    return JSON.stringify(isBad(group, member) ? { ...record, input_ids: [3.5, ...record.input_ids] } : record)
  })
  const found = (await audited(`${rows.join('\n')}\n`, options)).report()
  return { a01: found.checks.find(({ code }) => code === 'A01'), skipped: found.sources[0]?.skipped }
}

describe('groups of which a record could not be read', () => {
  it('are incomplete, where all groups lack as many as well', async () => {
    const { a01, skipped } = await report((_, member) => member === 0)
    expect(skipped).toHaveLength(6)
    expect(skipped?.[1]).toMatchObject({ record: 4, code: 'bad-type', group: 'g1' })
    expect(a01).toMatchObject({ status: 'not-checkable', reason: 'incomplete groups' })
  })

  it('leave the others whole', async () => {
    const { a01 } = await report((group, member) => group < 4 && member === 0)
    expect(a01).toMatchObject({ status: 'pass', checked: 2 })
  })

  it('are whole where they have the size that is given', async () => {
    const { a01 } = await report((_, member) => member === 0, { groupSize: 3 })
    expect(a01).toMatchObject({ status: 'pass', checked: 6 })
  })
})
