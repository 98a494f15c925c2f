import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cutOff } from './cut-off.ts'
import { describePage, type PageTests } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'
import { SCREENS } from './screens.ts'

async function hasRoom(tests: PageTests, part: string, viewport: { width: number; height: number }): Promise<void> {
  const window = await tests.open({ viewport, reducedMotion: 'reduce' })
  if (part !== 'start') {
    await window.drop([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
    await window.read()
  }
  const cut: Record<string, string[]> = {}
  await SCREENS[part]?.(window, async (screen) => {
    const found = await cutOff(window.page)
    if (found.length > 0) cut[screen] = found
  })
  expect(cut).toEqual({})
  expect(window.errors).toEqual([])
  await window.close()
}

describePage('a window of 1024 by 700', (tests) => {
  test.each(Object.keys(SCREENS))('has room for %s', (part) => hasRoom(tests, part, { width: 1024, height: 700 }))

  test('leaves out columns that nobody chose and says so; what a person chose is all there', async () => {
    const sample = [join(SAMPLES, 'verifiers-2025-08.jsonl.gz')]
    const window = await tests.openWith(sample, { viewport: { width: 1024, height: 700 } })
    const { page } = window
    await page.keyboard.press('2')
    const heads = page.locator('.rollout-table thead th')
    const button = page.getByRole('button', { name: /^Columns…/ })
    await expect.poll(() => button.textContent()).toMatch(/^Columns… \d left out$/)
    const narrow = await heads.count()
    await page.setViewportSize({ width: 1440, height: 900 })
    await expect.poll(() => heads.count()).toBe(15)
    await expect.poll(() => button.textContent()).toBe('Columns… ')
    await page.setViewportSize({ width: 1024, height: 700 })
    await expect.poll(() => heads.count()).toBe(narrow)
    await button.click()
    await page.getByText(/^The window is too narrow for all standard columns: .* are left out/).waitFor()
    await page.getByRole('list', { name: 'Not shown' }).getByRole('checkbox').first().click()
    await page.keyboard.press('Escape')
    await expect.poll(() => heads.count()).toBe(16)
    await window.close()
  })
})

describePage('a window of 1440 by 900', (tests) => {
  // Where lists stand beside what they list, which in a narrow window stands below.
  test.each(['groups', 'compare'])('has room for %s', (part) => hasRoom(tests, part, { width: 1440, height: 900 }))

  test('has room for all columns of a group’s rollouts, findings the last of them', async () => {
    const sample = [join(SAMPLES, 'verifiers-2025-08.jsonl.gz')]
    const window = await tests.openWith(sample, { viewport: { width: 1440, height: 900 } })
    const { page } = window
    await page.keyboard.press('3')
    await page.locator('.sibling').first().waitFor()
    const table = page.locator('.sibling-scroll')
    expect(await table.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    await window.close()
  })
})
