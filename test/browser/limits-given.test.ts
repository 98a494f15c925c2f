import { expect, test } from 'vitest'
import { cleanRollout, lines, qwen } from '../session/dumps.ts'
import { violations } from './axe.ts'
import { describePage } from './describe-page.ts'

describePage('limits that a dump does not tell', (tests) => {
  test('are typed at the verdict that lacks them, which is judged anew and keeps the focus', async () => {
    const tokenizer = await qwen()
    const rollouts = Array.from({ length: 12 }, (_, seed) => cleanRollout(tokenizer, seed))
    const window = await tests.openWith([tests.folder.write('no-limits.jsonl', lines(rollouts))], { bypassCSP: true })
    const { page } = window
    const card = page.getByRole('article', { name: /^H04/ })
    await card.locator('.verdict-chip.not-checkable').waitFor()
    await card.getByText('Give them here').focus()
    await page.keyboard.press('Enter')
    const first = card.getByRole('textbox', { name: /^prompt length/ })
    await expect.poll(() => first.evaluate((input) => document.activeElement === input)).toBe(true)
    expect(await violations(page)).toEqual([])

    const length = card.getByRole('textbox', { name: /^sequence length/ })
    await length.fill('many')
    await card.getByRole('alert').getByText('sequence length has to be a whole number above 0').waitFor()
    expect(await card.getByRole('button', { name: 'Use these limits' }).isDisabled()).toBe(true)

    await length.fill('131072')
    await page.keyboard.press('Enter')
    await card.locator('.verdict-chip.contradicted').waitFor()
    await page.getByRole('button', { name: /^limits\s*sequence length 131,072/ }).waitFor()
    expect(await card.getByText('Give them here').count()).toBe(0)
    await expect
      .poll(() => page.evaluate('document.activeElement.id || document.activeElement.outerHTML.slice(0, 80)'))
      .toBe('verdict-H04')
    expect(window.errors).toEqual([])
    await window.close()
  })
})
