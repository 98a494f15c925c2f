import { describe, expect, it } from 'vitest'
import { groupRows } from '../fixtures/checks/group-rows.ts'
import type { RecordOptions } from '../helpers/conversation.ts'
import { audited, qwen } from '../session/dumps.ts'

const ZERO = [
  [0, 0, 0, 0],
  [0, 0, 0, 0],
]

/** Of eight rollouts with the reward 0, two of which answer `two`; the last of the first group is cut where that is asked for. */
async function defectsOf(options: RecordOptions, { isCut = false } = {}): Promise<string[]> {
  const rows = groupRows(ZERO, null, (group, member) => {
    const cut = isCut && group === 0 && member === 3
    return { ...(cut ? { changes: { answer: { end: false } } } : {}), options: { ...options, isTruncated: cut } }
  })(await qwen())
  const text = rows.map(({ record }) => `${JSON.stringify(record)}\n`).join('')
  return (await audited(text)).report().defects.map(({ id }) => id)
}

describe('rewards that are all 0', () => {
  it.each([
    'acc',
    'f1',
    'check_answer_reward_func',
    'exact_match',
  ])('were set to it where %s says that rollouts are right, whether or not others were cut', async (name) => {
    expect(await defectsOf({ rewards: { [name]: 1 } }, { isCut: true })).toContain('V13')
    expect(await defectsOf({ rewards: { [name]: 1 } })).toContain('V13')
  })

  it('say nothing more where another component is not, or one is right in part', async () => {
    expect(await defectsOf({ rewards: { turns_used: 1 } }, { isCut: true })).not.toContain('V13')
    expect(await defectsOf({ rewards: { f1: 0.5 } }, { isCut: true })).not.toContain('V13')
  })

  it('were set to it where rollouts were cut and most others say the expected answer', async () => {
    expect(await defectsOf({ answer: 'at question' }, { isCut: true })).toContain('V13')
    expect(await defectsOf({ answer: 'two' }, { isCut: true })).not.toContain('V13')
  })

  it('may ask for more than the answer where nothing was cut', async () => {
    expect(await defectsOf({ answer: 'at question' })).not.toContain('V13')
  })

  it('are right where the answer is another one', async () => {
    expect(await defectsOf({ answer: 'Noemi Falkenau' }, { isCut: true })).not.toContain('V13')
  })
})
