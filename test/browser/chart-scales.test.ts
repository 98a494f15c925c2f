import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')

describePage('how tall the bars of a chart without an axis are', (tests) => {
  test('stands beside lengths, spreads of rewards and advantages, in what they count', async () => {
    const window = await tests.openWith([FAILING])
    const { page } = window
    const lengths = page.locator('.histogram')
    await lengths.locator('.bin').first().waitFor()
    expect(await lengths.locator('figcaption').innerText()).toBe(`tallest bar: ${await most(lengths)} rollouts`)
    await page.getByRole('button', { name: 'tool reply' }).click()
    await expect
      .poll(async () => (await lengths.locator('figcaption').innerText()).replace(/\d+/, 'N'))
      .toBe('tallest bar: N replies · no limit of this length is known')
    expect(await lengths.locator('figcaption').innerText()).toContain(` ${await most(lengths)} replies`)

    await page.keyboard.press('3')
    const spread = page.locator('.group-figure', { hasText: 'std of rewards' })
    await spread.locator('.group-bar').first().waitFor()
    await spread.getByText(`tallest bar: ${await most(spread)} groups`, { exact: true }).waitFor()

    await page.keyboard.press('4')
    await page.getByRole('button', { name: 'Advantages and loss' }).click()
    const advantages = page.locator('.lab-curve', { hasText: 'Advantages of the rollouts' })
    await advantages.waitFor()
    const tallest = Number(/tallest bar: (\d+) rollouts/.exec(await advantages.innerText())?.[1])
    const heights = await advantages
      .locator('.bin-bar')
      .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('height'))))
    const all = heights.reduce((sum, height) => sum + height, 0)
    expect(Math.round((all / Math.max(...heights)) * tallest)).toBe(96 - 23)
    await window.close()
  })

  test('stands beside what two runs are compared by, as a share', async () => {
    const window = await tests.openWith([FAILING])
    const { page } = window
    await page.keyboard.press('5')
    await page.getByRole('heading', { name: 'Drop a second run here' }).waitFor()
    await window.drop([join(SAMPLES, 'clean-gsm8k.jsonl.gz')])
    await page.getByRole('heading', { name: 'What differs' }).waitFor()
    await page.keyboard.press('c')
    const spreads = page.locator('.curve', { hasText: 'share of each run' })
    await spreads.first().waitFor()
    expect(await spreads.count()).toBe(3)
    for (const spread of await spreads.all()) {
      const words = (await spread.getByRole('img').getAttribute('aria-label')) ?? ''
      const shares = [...words.matchAll(/\(([\d.]+) %\)/g)].map(([, share]) => Number(share))
      expect(shares).toHaveLength(2)
      expect(await spread.locator('figcaption').innerText()).toContain(`up to ${Math.max(...shares)}\u00a0%`)
    }
    await window.close()
  })
})

/** The most that the name of a bar says: `120 to 140 tokens: 38 rollouts`. */
async function most(chart: Locator): Promise<number> {
  const names = await chart
    .locator('svg [role="button"]')
    .evaluateAll((bars) => bars.map((bar) => bar.getAttribute('aria-label')))
  return Math.max(...names.map((name) => Number(/: (\d+) \w+$/.exec(name ?? '')?.[1] ?? Number.NaN)))
}
