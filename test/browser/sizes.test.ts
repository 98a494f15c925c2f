import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { assistant, conversation, user } from '../helpers/conversation.ts'
import { lines, qwen } from '../session/dumps.ts'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')
const WIDTHS = [1024, 1440, 1920]

describePage('in windows of every width', (tests) => {
  test('the words of a drawing are as large as those around it', async () => {
    const window = await tests.openWith([FAILING])
    const { page } = window
    const sizes = new Set<string>()
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 1200 })
      await page.keyboard.press('1')
      sizes.add(await drawnSize(page.locator('.histogram .axis-label').first()))
      await page.keyboard.press('3')
      await page.locator('.group-row').first().waitFor()
      const figures = page.locator('.groups summary').filter({ hasText: 'Spread of rewards' })
      if (!(await page.locator('.group-bound').first().isVisible())) await figures.click()
      sizes.add(await drawnSize(page.locator('.group-bound text').first()))
      await page.keyboard.press('4')
      await page.getByText('Limits', { exact: true }).click()
      sizes.add(await drawnSize(page.locator('.lab-curve > svg .axis-label').first()))
      await page.getByText('Advantages and loss', { exact: true }).click()
      sizes.add(await drawnSize(page.locator('.lab-curve > svg .bin-bar ~ .axis-label').first()))
    }
    expect([...sizes]).toEqual(['11.0'])
    await window.close()
  })

  test('what is said of the input begins each of its lines at one place', async () => {
    const window = await tests.openWith([FAILING], { viewport: { width: 1024, height: 768 } })
    const entries = await window.page.locator('.truth-entry').evaluateAll((all) =>
      all.map((entry) => {
        const { left, top } = entry.getBoundingClientRect()
        return { left: Math.round(left), top: Math.round(top) }
      }),
    )
    const firsts = new Map<number, number>()
    for (const { left, top } of entries) firsts.set(top, Math.min(firsts.get(top) ?? left, left))
    expect(firsts.size).toBe(2)
    expect(new Set(firsts.values()).size).toBe(1)
    await window.close()
  })

  test('the measures of a verdict begin below each other, whichever way they speak', async () => {
    const window = await tests.openWith([FAILING])
    const { page } = window
    await page
      .locator('.verdict-card')
      .first()
      .getByText(/more measures/)
      .click()
    const begin = (of: string) =>
      page
        .locator(of)
        .evaluateAll((all) => [...new Set(all.map((text) => Math.round(text.getBoundingClientRect().left)))])
    expect(await begin('.verdict-card:first-child .measure-text')).toHaveLength(1)
    expect(await begin('.verdict-row-measure .measure-text')).toHaveLength(1)
    await window.close()
  })

  test('ids that begin alike are told apart by their end', async () => {
    const tokenizer = await qwen()
    const records = [1, 2, 3].flatMap((group) =>
      [0, 1].map((reward) => {
        const name = `${'the-same-beginning-'.repeat(16)}${group}`
        return conversation(tokenizer, [user(`${group}?`), assistant(`${reward}`)], {
          id: `${name}-${reward}`,
          group: name,
          groupSize: 2,
          reward,
        })
      }),
    )
    const window = await tests.openWith([tests.folder.write('long-names.jsonl', lines(records))])
    const { page } = window
    const ends = (of: string) => page.locator(`${of} .long-id-end`).allInnerTexts()
    const inSight = async (of: string) => {
      for (const end of await page.locator(`${of} .long-id-end`).all()) {
        const outside = await end.evaluate((element) => {
          const { left, right } = element.getBoundingClientRect()
          const cell = element.closest('td, th, h1')?.getBoundingClientRect()
          return cell === undefined || left < cell.left || right > cell.right + 0.5
        })
        expect(outside).toBe(false)
      }
    }
    await page.keyboard.press('2')
    await page.locator('.mask-strip').first().waitFor()
    expect(new Set(await ends('.row-open')).size).toBe(6)
    await inSight('.rollout-cell')
    await page.keyboard.press('Enter')
    await page.locator('.token').first().waitFor()
    expect(await ends('h1')).toEqual(['ng-1-0'])
    await inSight('h1')
    await page.keyboard.press('3')
    await page.locator('.group-row').first().waitFor()
    expect(await ends('.group-row')).toEqual(['ning-1', 'ning-2', 'ning-3'])
    await inSight('.group-row')
    await window.close()
  })
})

/** Size of the letters of a drawn text on the screen, in pixels. */
async function drawnSize(text: Locator): Promise<string> {
  await text.waitFor()
  return text.evaluate((element) => {
    const scale = (element as SVGTextElement).getScreenCTM()?.a ?? 0
    return (Number.parseFloat(getComputedStyle(element).fontSize) * scale).toFixed(1)
  })
}
