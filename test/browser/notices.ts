import type { Page } from 'playwright-core'

/** It is shown for three seconds, which a busy machine may spend elsewhere; said it was all the same. */
export const said = (page: Page, text: string | RegExp) =>
  page.locator('.notice', { hasText: text }).waitFor({ state: 'attached' })
