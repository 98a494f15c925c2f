import { join } from 'node:path'
import { expect, test } from 'vitest'
import { violations } from './axe.ts'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

describePage('the table for everyone', (tests) => {
  async function openTable(colorScheme: 'light' | 'dark') {
    const window = await tests.open({ colorScheme, bypassCSP: true, reducedMotion: 'reduce' })
    const { page } = window
    const broken: Record<string, string[]> = {}
    await window.drop([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
    await window.read()
    await page.keyboard.press('2')
    await page.keyboard.press('j')
    const look = async (what: string) => {
      const found = await violations(page)
      if (found.length > 0) broken[what] = found
    }
    return { window, page, broken, look }
  }

  test.each(['light', 'dark'] as const)('what is marked breaks no rule of axe-core, %s', async (colorScheme) => {
    const { window, page, broken, look } = await openTable(colorScheme)
    await page.keyboard.press('t')
    await page.keyboard.type('end of turn')
    await page.keyboard.press('Enter')
    await page.getByRole('option', { selected: true }).waitFor()
    await look('labels')
    await page.keyboard.press('Escape')
    await page.keyboard.press('N')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('a note')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await look('marked rows')
    await page.keyboard.press('Enter')
    await page.locator('.rollout-marks').waitFor()
    await page.keyboard.press('N')
    await page.getByRole('dialog').getByRole('radio', { name: 'tokens' }).check()
    await look('notes')
    await page.keyboard.press('Escape')
    await look('a marked rollout')
    expect(broken).toEqual({})
    await window.close()
  }, 120_000)

  test.each([
    'light',
    'dark',
  ] as const)('views, columns and queries break no rule of axe-core, %s', async (colorScheme) => {
    const { window, page, broken, look } = await openTable(colorScheme)
    await page.keyboard.press('v')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('a view')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /^a view/ }).waitFor()
    await look('views')
    await page.keyboard.press('Escape')
    await page.keyboard.press('c')
    await page.getByRole('dialog').waitFor()
    await look('columns')
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    await page.keyboard.type('reward>0 end:')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await look('completions')
    await page.keyboard.type('stop rewrd>1')
    await page.getByRole('alert').waitFor()
    await look('a query that cannot be read')
    for (let k = 0; k < 8; k++) await page.keyboard.press('Backspace')
    await page.keyboard.press('Enter')
    await page.getByRole('list', { name: 'Terms of the query' }).waitFor()
    await look('a query')
    expect(broken).toEqual({})
    await window.close()
  }, 120_000)

  test('rows, heads and what is missing say the same to those who do not see', async () => {
    const { window, page } = await openTable('light')
    const grid = page.getByRole('grid', { name: 'Rollouts' })
    expect(await grid.getAttribute('aria-rowcount')).toBe('97')
    await page.getByRole('button', { name: 'reward', exact: true }).click()
    await expect
      .poll(() => page.getByRole('columnheader', { name: /^reward/ }).getAttribute('aria-sort'))
      .toBe('descending')
    await page.keyboard.press('c')
    await page.getByRole('dialog').getByRole('checkbox', { name: /^KL/ }).check()
    await page.keyboard.press('Escape')
    const head = page.getByRole('columnheader', { name: /^KL/ })
    await expect.poll(() => head.innerText()).toContain('Not in this dump: reference logprobs.')
    const titles = await page.getByRole('columnheader').allInnerTexts()
    const at = titles.findIndex((title) => title.startsWith('KL'))
    const cell = page.getByRole('row').nth(1).locator('td').nth(at)
    await expect.poll(() => cell.innerText()).toBe('–')
    expect(await cell.locator('span').getAttribute('title')).toMatch(/To have it, dump those of the reference model/)
    await window.close()
  })
})
