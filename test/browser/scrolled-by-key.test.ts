import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'
import { openRollout } from './open-rollout.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')
const viewport = { width: 1024, height: 700 }

const scrolledBy = (page: Page, place: string) =>
  page.locator(place).evaluate((element) => {
    // What of it is scrolled, or in a narrow window all around it.
    const outer = element.closest('.compare')
    return element.scrollTop + (outer === null || outer === element ? 0 : outer.scrollTop)
  })

describePage('what is longer than the window', (tests) => {
  test('is scrolled by key as soon as a dump is open, and Tab leads into it', async () => {
    const window = await tests.openWith([FAILING], { viewport })
    const { page } = window
    await page.getByRole('heading', { name: 'Turn edges' }).waitFor()
    await page.keyboard.press('PageDown')
    await expect.poll(() => scrolledBy(page, '.verdicts')).toBeGreaterThan(300)
    await page.keyboard.press('Home')
    await expect.poll(() => scrolledBy(page, '.verdicts')).toBe(0)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.innerText')).toBe('V1')
    // Who comes back from another view goes on as well.
    await page.keyboard.press('2')
    await page.locator('.rollout-row').first().waitFor()
    await page.keyboard.press('1')
    await page.keyboard.press('PageDown')
    await expect.poll(() => scrolledBy(page, '.verdicts')).toBeGreaterThan(300)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test.each([
    ['m', '.messages'],
    ['w', '.raw-record'],
    ['b', '.zoom'],
    ['r', '.differences'],
  ])('of a rollout is scrolled by key once “%s” has opened it', async (key, place) => {
    const window = await tests.openWith([FAILING], { viewport })
    const { page } = window
    await openRollout(page)
    await page.locator('.token').first().waitFor()
    await page.keyboard.press(key)
    await page.locator(place).waitFor()
    await page.keyboard.press('End')
    await expect.poll(() => scrolledBy(page, place)).toBeGreaterThan(300)
    await window.close()
  })

  test('of a comparison is scrolled by key', async () => {
    const window = await tests.openWith([FAILING], { viewport })
    const { page } = window
    await window.drop([join(SAMPLES, 'clean-gsm8k.jsonl.gz')], 600)
    await page.getByText('Judged beside clean-gsm8k.jsonl.gz. 5 lays both side by side').waitFor()
    await page.keyboard.press('5')
    await page.locator('.compare-measures').waitFor()
    await page.keyboard.press('PageDown')
    await expect.poll(() => scrolledBy(page, '.compare-measures')).toBeGreaterThan(200)
    await page.keyboard.press('c')
    await page.locator('.compare-curves').waitFor()
    await page.keyboard.press('End')
    await expect.poll(() => scrolledBy(page, '.compare-curves')).toBeGreaterThan(200)
    await window.close()
  })
})
