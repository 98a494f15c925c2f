import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES, type Window } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')

describePage('labels and notes', (tests) => {
  let window: Window
  beforeEach(async () => {
    window = await tests.openWith([FAILING])
  })
  afterEach(async () => {
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('stand in the table of a window of 1440 so that they are known again', async () => {
    const { page } = window
    await page.keyboard.press('2')
    await page.locator('.rollout-row').first().waitFor()
    await page.keyboard.press('t')
    await page.getByRole('dialog').locator('input:focus').waitFor()
    await page.keyboard.type('odd names')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.keyboard.press('N')
    await page.getByRole('dialog').locator('textarea:focus').waitFor()
    await page.keyboard.type('These look odd: who wrote them?')
    await page.keyboard.press('Control+Enter')
    const label = page.locator('.rollout-row .label')
    await expect.poll(() => label.evaluate((each) => each.scrollWidth - each.clientWidth)).toBeLessThanOrEqual(0)
    const note = page.locator('.rollout-row td:last-child').first()
    expect(await note.evaluate((each) => each.clientWidth)).toBeGreaterThan(100)
    const ends = page.locator('.rollout-row td', { hasText: '✂' })
    expect(await ends.evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth).length)).toBe(0)
    const titles = await page.getByRole('columnheader').allInnerTexts()
    for (const title of ['step', 'turns', 'advantage']) expect(titles.join(' ')).toContain(title)
  })

  test('of marked tokens are notes, which are changed where they are written; labels say that they are of the whole rollout', async () => {
    const { page } = window
    await page.keyboard.press('2')
    for (const key of ['j', 'Enter']) await page.keyboard.press(key)
    await page.locator('.tokens .token.selected').waitFor()
    const ofAll = page.getByText(
      'A label is given to the whole rollout; a note (N) can be about the tokens you marked.',
    )
    const labels = page.getByRole('dialog', { name: /^Labels of rollout/ })
    await page.keyboard.press('t')
    await labels.waitFor()
    expect(await ofAll.count()).toBe(0)
    await page.keyboard.press('Escape')
    for (const _ of [1, 2]) await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('t')
    await ofAll.waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('N')
    const field = page.locator('textarea:focus')
    await field.fill('These look odd.')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog', { name: /^Notes of rollout/ })
    await dialog.getByRole('button', { name: 'Change', exact: true }).press('Enter')
    await expect.poll(() => field.inputValue()).toBe('These look odd.')
    await page.keyboard.press('End')
    await page.keyboard.type(' Truly.')
    await page.keyboard.press('Control+Enter')
    await dialog.getByText('These look odd. Truly.').waitFor()
    await expect.poll(() => field.inputValue()).toBe('')
  })
})
