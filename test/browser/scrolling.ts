import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** How far down an element is scrolled, in CSS pixels. */
export async function scrolled(page: Page, selector: string): Promise<number> {
  return page.locator(selector).evaluate((element) => element.scrollTop)
}

/** Scrolls, and waits until the page was told of it: its scroll event comes with the next frame. */
export async function scroll(page: Page, selector: string, to: number): Promise<void> {
  await page.locator(selector).evaluate((element, top) => {
    element.scrollTop = top
  }, to)
  await expect.poll(() => scrolled(page, selector)).toBe(to)
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
}
