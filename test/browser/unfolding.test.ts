import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')

describePage('what is unfolded at the lower edge', (tests) => {
  test.each([
    ['a hypothesis', '.verdict-row .icon-button[aria-expanded]'],
    ['a fault', '.defect-toggle'],
    ['what cannot be decided', '.undecidable summary'],
  ])('comes into sight, its line staying there: %s', async (_, lines) => {
    const window = await tests.openWith([FAILING], { viewport: { width: 1024, height: 700 } })
    const { page } = window
    await page.getByText('Turn edges').waitFor()
    const line = page.locator(lines).first()
    const view = page.locator('.verdicts')
    // The line is the last thing that is seen.
    await line.evaluate((element) => {
      const scroller = element.closest('.verdicts') as HTMLElement
      scroller.scrollTop += element.getBoundingClientRect().bottom + 2 - scroller.getBoundingClientRect().bottom
    })
    const before = await edges(line)
    await line.click()
    const { bottom } = await edges(view)
    expect(before.bottom).toBeGreaterThan(bottom - 20)
    await expect.poll(async () => (await edges(line)).bottom).toBeLessThan(before.bottom - 60)
    expect((await edges(line)).top).toBeGreaterThanOrEqual((await edges(view)).top)
    expect(window.errors).toEqual([])
    await window.close()
  })
})

function edges(of: Locator): Promise<{ top: number; bottom: number }> {
  return of.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return { top, bottom }
  })
}
