import type { Page } from 'playwright-core'
import type { PageTests } from './describe-page.ts'
import type { Window } from './inspector-page.ts'

/** A window with the board of the notebook. */
export async function openedNotebook(tests: Pick<PageTests, 'open'>): Promise<Window> {
  const window = await tests.open()
  await window.page.getByRole('button', { name: 'Open the notebook' }).click()
  await window.page.locator('[data-card]').first().waitFor()
  return window
}

/** Ids of the hypotheses in a column of the board. */
export async function cardsIn(page: Page, column: string): Promise<string[]> {
  const cards = page.getByRole('region', { name: new RegExp(`^${column}, `) }).locator('[data-card]')
  return cards.evaluateAll((all) => all.map((card) => card.getAttribute('data-card') ?? ''))
}
