import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES, type Window } from './inspector-page.ts'
import { openRollout } from './open-rollout.ts'

const SAMPLE = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')

describePage('a window of 400 by 800', (tests) => {
  let window: Window
  beforeEach(async () => {
    // Dropped in the middle of a wide one.
    window = await tests.openWith([SAMPLE])
    await window.page.setViewportSize({ width: 400, height: 800 })
  })
  afterEach(async () => {
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('has all views in reach, and is no wider than itself', async () => {
    const { page } = window
    const entries = page.getByRole('navigation', { name: 'Views' }).getByRole('button')
    const rights = await entries.evaluateAll((all) => all.map((entry) => entry.getBoundingClientRect().right))
    expect(rights).toHaveLength(6)
    expect(Math.max(...rights)).toBeLessThanOrEqual(400)
    for (const key of ['1', '3', '2']) {
      await page.keyboard.press(key)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400)
    }
  })

  test.each([
    '1',
    '3',
  ])('gives a question more than a word to a line, and lays no verdict over it (view %s)', async (key) => {
    const { page } = window
    await page.keyboard.press(key)
    const row = page.locator('.verdict-row').first()
    await row.waitFor()
    const boxes = await page.locator('.verdict-row').evaluateAll((rows) =>
      rows.map((row) => {
        const [title, chip] = ['.verdict-row-title', '.verdict-chip'].map((part) =>
          row.querySelector(part)?.getBoundingClientRect(),
        )
        return { width: title?.width ?? 0, below: (chip?.top ?? 0) - (title?.bottom ?? 0), right: chip?.right ?? 0 }
      }),
    )
    for (const { width, below, right } of boxes) {
      expect(width).toBeGreaterThan(200)
      expect(below).toBeGreaterThanOrEqual(0)
      expect(right).toBeLessThanOrEqual(400)
    }
  })

  test('shows several lines of a rollout, and scrolls to the rest of it', async () => {
    const { page } = window
    await openRollout(page)
    await page.locator('.panel-verdict').waitFor()
    const height = (part: string) => page.locator(part).evaluate((element) => element.clientHeight)
    expect(await height('.tokens')).toBeGreaterThan(150)
    expect(await height('.token-panel')).toBeGreaterThan(80)
    await page.locator('.findings').scrollIntoViewIfNeeded()
    await expect.poll(() => page.locator('.finding').first().isVisible()).toBe(true)
  })
})

describePage('a window of 720 by 450', (tests) => {
  let window: Window
  beforeEach(async () => {
    window = await tests.openWith([SAMPLE], { viewport: { width: 720, height: 450 } })
    await openRollout(window.page)
    await window.page.locator('.panel-verdict').waitFor()
  })
  afterEach(() => window.close())

  test('shows more of the tokens than of what stands above them at once', async () => {
    const { page } = window
    const seen = await page.locator('.tokens').evaluate((tokens) => {
      const { top, bottom } = tokens.getBoundingClientRect()
      return Math.min(bottom, document.querySelector('.status-line')?.getBoundingClientRect().top ?? 0) - top
    })
    expect(seen).toBeGreaterThan(150)
  })

  test('has the chosen way to colour tokens in sight while the keys go through them, and cuts none of them off', async () => {
    const { page } = window
    await page.keyboard.press('o')
    const menu = page.getByRole('listbox', { name: 'Colour tokens by' })
    await menu.waitFor()
    const options = await menu.getByRole('option').count()
    for (let at = 0; at < options; at++) {
      const isInSight = await menu.evaluate((list) => {
        const [outer, inner] = [list, list.querySelector('.active') as Element].map((each) =>
          each.getBoundingClientRect(),
        )
        if (outer === undefined || inner === undefined) return false
        const bottom = document.querySelector('.status-line')?.getBoundingClientRect().top ?? 0
        return inner.top >= Math.max(0, outer.top - 1) && inner.bottom <= Math.min(outer.bottom + 1, bottom)
      })
      expect(isInSight, `option ${at}`).toBe(true)
      await page.keyboard.press('ArrowDown')
    }
    await page.keyboard.press('Home')
    await expect.poll(() => menu.evaluate((list) => list.scrollTop)).toBeLessThan(10)
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'detached' })
  })
})
