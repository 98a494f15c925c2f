import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES, VIEW_SIGNS } from './inspector-page.ts'

const JULY = join(SAMPLES, 'verifiers-2025-07.jsonl.gz')
const AUGUST = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')

describePage('another dump in the same window', (tests) => {
  test('a rollout is rendered again, and not taken for the one that was open at its place', async () => {
    const window = await tests.openWith([JULY])
    const { page } = window
    const answer = page.getByRole('region', { name: 'Recorded ids beside others' })
    const rendered = async () => {
      await page.keyboard.press('2')
      await page.keyboard.press('Enter')
      await page.getByRole('tab', { name: /^Re-render/ }).click()
      await answer
        .getByText(/tokens are the same|differences?/)
        .first()
        .waitFor()
      return (await answer.innerText()).replace(/\s+/g, ' ')
    }
    const july = await rendered()
    await window.drop([AUGUST])
    await page.getByText('verifiers-2025-08.jsonl.gz').first().waitFor()
    await window.read()
    const after = await rendered()
    await window.close()

    const fresh = await tests.openWith([AUGUST])
    await fresh.page.keyboard.press('2')
    await fresh.page.keyboard.press('Enter')
    await fresh.page.getByRole('tab', { name: /^Re-render/ }).click()
    const alone = fresh.page.getByRole('region', { name: 'Recorded ids beside others' })
    await alone
      .getByText(/tokens are the same|differences?/)
      .first()
      .waitFor()
    const expected = (await alone.innerText()).replace(/\s+/g, ' ')
    await fresh.close()
    expect(after).toBe(expected)
    expect(after).not.toBe(july)
  })

  test('no view is longer than the window, whatever stands in what scrolls', async () => {
    const window = await tests.openWith([AUGUST], { viewport: { width: 1440, height: 900 } })
    const { page } = window
    const over = async (what: string) => {
      const height = await page.evaluate('document.scrollingElement.scrollHeight - window.innerHeight')
      return Number(height) > 0 ? [`${what}: ${height} px`] : []
    }
    const folded = page.locator('.verdicts button[aria-expanded=false]')
    for (let opened = 0; opened < 6 && (await folded.count()) > 0; opened++) await folded.first().click()
    const found = await over('verdicts')
    for (const [key, sign] of [
      ['2', VIEW_SIGNS[2]],
      ['Enter', '.tokens .token.selected'],
      ['r', '[role=region][aria-label="Recorded ids beside others"], section[aria-label="Recorded ids beside others"]'],
      ...Object.entries(VIEW_SIGNS).slice(2),
    ] as const) {
      await page.keyboard.press(key)
      await page.locator(sign).first().waitFor()
      found.push(...(await over(`after ${key}`)))
    }
    expect(found).toEqual([])
    await window.close()
  })
})
