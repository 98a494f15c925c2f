import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

describePage('where the system sets all colours', (page) => {
  test('what is chosen and what is drawn are still told from what stands beside them', async () => {
    const { page: view, close } = await page.openWith([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')], {
      forcedColors: 'active',
      reducedMotion: 'reduce',
    })
    const fill = (of: Locator) => of.evaluate((element) => getComputedStyle(element).backgroundColor)
    const entry = (name: string) => view.locator('.navigation-entry').filter({ hasText: name })
    await view.locator('.rate-fill').first().waitFor()
    expect(await fill(entry('Verdicts'))).not.toBe(await fill(entry('Groups')))
    expect(await fill(view.locator('.rate-fill').first())).not.toBe(await fill(view.locator('.verdicts')))

    await view.keyboard.press('2')
    await view.locator('.rollout-table tbody .rollout-row').first().waitFor()
    await view.keyboard.press('j')
    await view.locator('.rollout-row.selected').waitFor()
    const outline = (of: Locator) => of.evaluate((element) => getComputedStyle(element).outlineStyle)
    const rows = view.locator('.rollout-table tbody .rollout-row')
    expect([await outline(rows.first()), await outline(rows.nth(1))]).toEqual(['solid', 'none'])

    await view.keyboard.press('Enter')
    await view.locator('.token.trained').first().waitFor()
    const tab = (name: string) => view.getByRole('tab', { name })
    expect(await fill(tab('Tokens'))).not.toBe(await fill(tab('Messages')))
    // A scale is nothing without its colours.
    await view.keyboard.press('>')
    const step = view.locator('.legend-step')
    await step.first().waitFor()
    expect(await fill(step.first())).not.toBe(await fill(step.last()))
    // Kinds of groups are told by what their share of the bar is filled with.
    await view.keyboard.press('3')
    const part = view.locator('.kind-part')
    await part.first().waitFor()
    expect(await fill(part.first())).not.toBe(await fill(view.locator('body')))
    await close()
  })

  test('drawings have the colours of the system, and their states differ by pattern', async () => {
    const { page: view, close } = await page.openWith([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')], {
      forcedColors: 'active',
      reducedMotion: 'reduce',
    })
    const style = (of: Locator, name: string) =>
      of.evaluate((element, wanted) => getComputedStyle(element).getPropertyValue(wanted), name)
    const ink = await style(view.locator('body'), 'color')
    await view.locator('.step-line').first().waitFor()
    expect(await style(view.locator('.step-line').first(), 'stroke')).toBe(ink)
    expect(await style(view.locator('.totals-part.trained'), 'background-color')).toBe(ink)
    // What is masked is hollow, and padding hatched.
    expect(await style(view.locator('.totals-part.masked'), 'background-color')).toBe(
      await style(view.locator('body'), 'background-color'),
    )
    expect(await style(view.locator('.totals-part.padding'), 'background-image')).toContain('gradient')
    await view.keyboard.press('2')
    const strip = view.locator('.mask-strip').first()
    await strip.waitFor()
    expect(await style(strip.locator('.strip-trained'), 'fill')).toBe(ink)
    // What is no drawing is left to the browser: a notice of the colours of text would have none that can be read.
    await view.keyboard.press('j')
    await view.keyboard.press('f')
    await view
      .locator('.notice')
      .getByText(/flagged/)
      .waitFor()
    expect(await style(view.locator('.notice'), 'background-color')).toBe(
      await style(view.locator('body'), 'background-color'),
    )
    await close()
  })

  test('the dot of each space stays, and both runs of Compare are drawn as their key shows them', async () => {
    const { page: view, close } = await page.openWith([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')], {
      forcedColors: 'active',
      reducedMotion: 'reduce',
    })
    const style = (of: Locator, name: string) =>
      of.evaluate((element, wanted) => getComputedStyle(element).getPropertyValue(wanted), name)
    const ink = await style(view.locator('body'), 'color')
    await view.keyboard.press('2')
    await view.locator('.rollout-row').first().waitFor()
    await view.keyboard.press('Enter')
    // In a line the dot belongs to the token, in the grid to an element of its own.
    const dotOf = async (of: string, part: string | null) => {
      await view.locator(of).first().waitFor()
      return view.evaluate(`getComputedStyle(document.querySelector('${of}'), ${JSON.stringify(part)}).backgroundImage`)
    }
    expect(await dotOf('.token-line .token.led', '::after')).toContain(ink)
    await view.keyboard.press('g')
    expect(await dotOf('.grid-cell .glyph-space', null)).toContain(ink)
    await view.keyboard.press('5')
    const [chooser] = await Promise.all([
      view.waitForEvent('filechooser'),
      view.getByRole('button', { name: 'Choose files…' }).click(),
    ])
    await chooser.setFiles(join(SAMPLES, 'clean-qwen2.5.jsonl.gz'))
    await view.getByRole('tab', { name: /^Distributions/ }).click()
    await view.locator('.curve-line').first().waitFor()
    expect(await style(view.locator('.curve-line').first(), 'stroke')).toBe(ink)
    expect(await style(view.locator('.curve-fill').first(), 'stroke')).toBe(ink)
    await close()
  })
})
