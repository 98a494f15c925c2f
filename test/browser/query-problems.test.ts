import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')

describePage('what is wrong with a query that is being written', (tests) => {
  test('of earlier words is said while later ones are completed, unless the next word may mend it', async () => {
    const window = await tests.openWith([FAILING])
    const { page } = window
    const line = page.getByRole('combobox', { name: 'Query' })
    await page.keyboard.press('2')
    await page.keyboard.press('/')
    await page.keyboard.type('tokens > x and tur')
    const offer = page.getByRole('option', { name: /^turns / })
    await offer.waitFor()
    const problem = page.getByText('A number has to follow >.')
    await expect.poll(() => isOnTop(problem)).toBe(true)
    expect(await isOnTop(offer)).toBe(true)
    await line.fill('tokens > 3 and ')
    await page.getByRole('option', { name: /^finding / }).waitFor()
    const next = page.getByText('Something has to stand after and.')
    // Within the completions: the next word mends it, and until then the field is marked as one that cannot be read.
    await expect.poll(() => isOnTop(next)).toBe(true)
    await line.fill('(tokens > 3 or tur')
    await offer.waitFor()
    const open = page.getByText('This parenthesis is never closed.')
    await expect.poll(() => isOnTop(open)).toBe(true)
    await page.keyboard.press('Escape')
    await expect.poll(() => isOnTop(open)).toBe(true)
    expect(window.errors).toEqual([])
    await window.close()
  })
})

/** Whether nothing lies over the middle of it. */
function isOnTop(of: Locator): Promise<boolean> {
  return of.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect()
    const there = document.elementFromPoint(left + width / 2, top + height / 2)
    return there !== null && (element.contains(there) || there.contains(element))
  })
}
