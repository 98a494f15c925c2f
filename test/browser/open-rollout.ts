import type { Page } from 'playwright-core'

/** Opens the first rollout of the table, or the last, by the keys that a person would press. */
export async function openRollout(page: Page, which: 'first' | 'last' = 'first'): Promise<void> {
  for (const key of ['2', 'j', which === 'first' ? 'Home' : 'End', 'Enter']) await page.keyboard.press(key)
  await page.getByRole('heading', { level: 1 }).waitFor()
}
