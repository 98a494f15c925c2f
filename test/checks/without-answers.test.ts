import { expect, it } from 'vitest'
import { audited, cleanRollout, lines, qwen } from '../session/dumps.ts'

/** What M18 says of eight rollouts of two groups, each with one advantage. */
async function told(answer: string | undefined) {
  const tokenizer = await qwen()
  const rows = Array.from({ length: 8 }, (_, i) => {
    const row = cleanRollout(tokenizer, i, {
      group: `g${i >> 2}`,
      groupSize: 4,
      reward: i % 2,
      advantage: (i % 2) - 0.5,
    })
    return { ...row, record: { ...row.record, answer } }
  })
  return (await audited(lines(rows))).report().checks.find(({ code }) => code === 'M18')
}

it('M18 names the lack of expected answers, where no advantages differ from token to token', async () => {
  expect(await told(undefined)).toMatchObject({
    status: 'not-checkable',
    reason: 'the dump does not carry expected answers, and no advantages that differ from token to token',
  })
  expect((await told('the headwaters of nowhere'))?.reason).not.toContain('does not carry expected answers')
})
