import { describe, expect, test } from 'vitest'
import { chromiumMissing } from '../helpers/chromium.ts'
import { killWhileWriting } from '../hostile/kill-rounds.ts'

const ROUNDS = Number(process.env.FUZZ_KILLS ?? 60)

describe.skipIf(chromiumMissing !== null)('a browser that is killed at random moments', () => {
  test('loses nothing that was said to be kept', { timeout: 3_600_000 }, async () => {
    const moments: number[] = []
    const { lost } = await killWhileWriting(ROUNDS, () => {
      moments.push(Math.random())
      return moments.at(-1) as number
    })
    expect(lost, `killed at these shares of a round: ${moments.join(', ')}`).toEqual([])
  })
})
