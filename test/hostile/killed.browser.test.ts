import { describe, expect, test } from 'vitest'
import { chromiumMissing } from '../helpers/chromium.ts'
import { killWhileWriting } from './kill-rounds.ts'

describe.skipIf(chromiumMissing !== null)('a browser that is killed', () => {
  test('loses no flag, label, note or hypothesis that was said to be kept', { timeout: 400_000 }, async () => {
    // Moments spread evenly over what a round takes; `npm run fuzz` has random ones.
    let at = 0
    const { lost, acknowledged } = await killWhileWriting(25, () => (at++ % 25) / 25)
    expect(lost).toEqual([])
    for (const [kind, count] of Object.entries(acknowledged)) expect(count, kind).toBeGreaterThan(5)
  })
})
