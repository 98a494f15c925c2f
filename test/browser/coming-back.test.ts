import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'
import { scroll, scrolled } from './scrolling.ts'

const SAMPLE = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')
const SECOND = join(SAMPLES, 'clean-qwen2.5.jsonl.gz')
const THIRD = join(SAMPLES, 'clean-gsm8k.jsonl.gz')
/** So low that twelve groups do not fit. */
const LOW_WINDOW = { viewport: { width: 1200, height: 420 } }
/** In Compare, what is dropped in the middle of the window is a second run. */
const MIDDLE = 250

describePage('a view that comes back', (tests) => {
  test('shows the row that was selected elsewhere, wherever the table was scrolled to', async () => {
    const window = await tests.openWith([SAMPLE])
    const { page } = window
    await page.keyboard.press('2')
    await page.getByRole('grid', { name: 'Rollouts' }).waitFor()
    await page.keyboard.press('j')
    await page.locator('#rollout-0[aria-selected=true]').waitFor()
    await scroll(page, '.rollout-scroller', 900)
    await page.keyboard.press('Enter')
    await page.locator('.tokens .token.selected').waitFor()
    await page.keyboard.press('n')
    await expect.poll(() => page.evaluate('location.hash')).toContain('rollout=1&')
    await page.keyboard.press('2')
    await page.locator('#rollout-1[aria-selected=true]').waitFor()
    await expect.poll(() => scrolled(page, '.rollout-scroller')).toBeLessThan(60)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('has its list of groups where it was', async () => {
    const window = await tests.openWith([SAMPLE], LOW_WINDOW)
    const { page } = window
    await page.keyboard.press('3')
    await page.getByRole('grid', { name: 'Groups' }).waitFor()
    await scroll(page, '.group-scroller', 90)
    await page.keyboard.press('1')
    await page.locator('.verdicts').waitFor()
    await page.keyboard.press('3')
    await page.getByRole('grid', { name: 'Groups' }).waitFor()
    await expect.poll(() => scrolled(page, '.group-scroller')).toBe(90)
    await window.close()
  })

  test('has its pairs where they were, and its folds until another second run is chosen', async () => {
    const window = await tests.openWith([SAMPLE], LOW_WINDOW)
    const { page } = window
    const compared = page.getByRole('heading', { name: 'What differs' })
    await page.keyboard.press('5')
    await page.getByRole('heading', { name: 'Drop a second run here' }).waitFor()
    await window.drop([SECOND], MIDDLE)
    await compared.waitFor()
    const fold = page.locator('details').filter({ hasText: 'What only one of the runs tells' })
    await fold.locator('summary').click()
    expect(await fold.getAttribute('open')).not.toBeNull()
    await page.getByRole('tab', { name: /^Same questions/ }).click()
    await page.getByRole('grid', { name: 'Questions that both runs have' }).waitFor()
    await scroll(page, '.group-scroller', 90)
    await page.keyboard.press('1')
    await page.locator('.verdicts').waitFor()
    await page.keyboard.press('5')
    await page.getByRole('grid', { name: 'Questions that both runs have' }).waitFor()
    await expect.poll(() => scrolled(page, '.group-scroller')).toBe(90)
    await page.getByRole('tab', { name: /^Measures/ }).click()
    await compared.waitFor()
    expect(await fold.getAttribute('open')).not.toBeNull()
    await window.drop([THIRD], MIDDLE)
    await page.getByText('clean-gsm8k.jsonl.gz').first().waitFor()
    await compared.waitFor()
    await expect.poll(() => fold.getAttribute('open')).toBeNull()
    expect(window.errors).toEqual([])
    await window.close()
  })
})
