import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

describePage('names in the words of the page', ({ openWith }) => {
  test('are code, and no backtick is read', async () => {
    const window = await openWith([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
    const { page } = window
    await page.keyboard.press('2')
    await page.keyboard.press('Enter')
    await page.locator('.token.trained').first().waitFor()
    await page.keyboard.press('o')
    const overlays = page.getByRole('listbox', { name: 'Colour tokens by' })
    await overlays.locator('code', { hasText: 'logprobs.reference' }).waitFor()
    expect(await overlays.innerText()).not.toContain('`')
    expect(window.errors).toEqual([])
    await window.close()
  })
})
