import { expect, it } from 'vitest'
import { gzipped, memorySource } from '../containers/memory-source.ts'
import { audited, cleanRollout, lines, qwen, rolloutWithTrainedReply } from './dumps.ts'

/** Six rollouts, of which the third and the last have a fault; groups of two with one reward each. */
async function dump(): Promise<string[]> {
  const tokenizer = await qwen()
  return Array.from({ length: 6 }, (_, i) => {
    const rollout = i === 2 || i === 5 ? rolloutWithTrainedReply : cleanRollout
    return lines([rollout(tokenizer, i, { group: String(i >> 1), groupSize: 2, reward: i >> 1 })]).trimEnd()
  })
}

it('a finding names the line of its record, blank and bad lines counted', async () => {
  const rows = await dump()
  const text = ['', rows[0], rows[1], '{"broken": ', rows[2], '', rows[3], rows[4], rows[5]].join('\n')
  for (const session of [await audited(text), await audited([memorySource(gzipped(text))])]) {
    const { findings } = session.report()
    expect(findings.flatMap(({ code, line }) => (code === 'M01' ? [line] : []))).toEqual([5, 9])
  }
})

it('a finding of a group names the lines of its members', async () => {
  const { findings } = (await audited((await dump()).join('\n'))).report()
  const members = findings
    .filter(({ code }) => code === 'A01')
    .map((finding) => finding.members?.map(({ line }) => line))
  expect(members.sort()).toEqual([
    [1, 2],
    [3, 4],
    [5, 6],
  ])
  expect(findings.filter(({ code, line }) => code === 'A01' && line !== undefined)).toEqual([])
})

it('where a container has no lines there are none', async () => {
  const { findings } = (await audited(`[${(await dump()).join(',\n')}]`)).report()
  expect(findings.some(({ code }) => code === 'M01')).toBe(true)
  expect(findings.filter((finding) => 'line' in finding)).toEqual([])
})
