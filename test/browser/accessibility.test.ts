import { join } from 'node:path'
import { expect, test } from 'vitest'
import { violations } from './axe.ts'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

describePage('accessibility', (tests) => {
  const { folder } = tests

  /** A window with the sample in it, and what breaks a rule in each of its views. */
  async function openSample(colorScheme: 'light' | 'dark') {
    // axe-core is put into the page by evaluation, which the page's own policy refuses.
    // Without motion, so that nothing is measured while it fades.
    const window = await tests.open({ colorScheme, bypassCSP: true, reducedMotion: 'reduce' })
    const broken: Record<string, string[]> = {}
    const look = async (view: string) => {
      const found = await violations(window.page)
      if (found.length > 0) broken[view] = found
    }
    await look('start')
    await window.drop([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
    await window.read()
    return { window, page: window.page, broken, look }
  }

  test.each(['light', 'dark'] as const)('verdicts and dialogs break no rule of axe-core, %s', async (colorScheme) => {
    const { window, page, broken, look } = await openSample(colorScheme)
    await page.getByText('Turn edges').waitFor()
    await look('verdicts')
    const folded = page.getByRole('button', { expanded: false })
    while ((await folded.count()) > 0) await folded.first().click()
    for (const fold of await page.locator('summary').all()) await fold.click()
    await look('verdicts unfolded')
    await page.getByRole('button', { name: 'T05', exact: true }).click()
    await page.getByRole('heading', { name: 'Usual fix' }).waitFor()
    await look('check')
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await look('keys')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await look('palette')
    await page.keyboard.press('Escape')
    for (const entry of ['files', 'tokenizer', 'policy', 'limits', 'without']) {
      await page.getByRole('button', { name: new RegExp(`^${entry}`) }).click()
      await page.getByRole('dialog').waitFor()
      await look(entry)
      await page.keyboard.press('Escape')
    }
    await page.getByRole('button', { name: 'Choose the dataset…' }).click()
    await page.getByRole('dialog').waitFor()
    await look('dataset')
    await page.keyboard.press('Escape')
    await page.keyboard.press('=')
    await page.getByRole('dialog').waitFor()
    await look('compare')
    await page.keyboard.press('Escape')
    await window.drop([join(SAMPLES, 'clean-qwen2.5.jsonl.gz')], 820)
    await page.getByText('Judged beside a second run').waitFor()
    await look('compared')
    await page.getByRole('button', { name: /^second run/ }).click()
    await look('second run')
    await page.keyboard.press('Escape')
    await window.drop([
      folder.write('own.jsonl', '{"toks": [151644, 77091, 198, 9707, 151645], "lossm": [0, 0, 0, 1, 1]}'),
    ])
    await page.getByRole('button', { name: 'Map its fields…' }).click()
    await page.locator('.mapped-token.trained').first().waitFor()
    await page.getByText('More fields').click()
    await look('mapping')
    expect(broken).toEqual({})
    await window.close()
  }, 120_000)

  test.each(['light', 'dark'] as const)('rollouts break no rule of axe-core, %s', async (colorScheme) => {
    const { window, page, broken, look } = await openSample(colorScheme)
    await page.keyboard.press('2')
    await page.keyboard.press('j')
    await page.keyboard.press('f')
    await look('rollouts')
    await page.keyboard.press('t')
    await page.getByRole('dialog').waitFor()
    await look('labels, none yet')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await page.locator('.token').first().waitFor()
    await look('tokens')
    await page.keyboard.press('o')
    await page.getByRole('listbox', { name: 'Colour tokens by' }).waitFor()
    await look('overlays')
    await page.keyboard.press('Escape')
    await page.keyboard.press('>')
    await page.locator('.position-chart').waitFor()
    const [key, plot] = await Promise.all(
      ['.chart-key', 'canvas'].map((part) => page.locator(`.position-chart ${part}`).boundingBox()),
    )
    // What the chart is of stands over no curve.
    expect((key?.y ?? 0) + (key?.height ?? 0)).toBeLessThanOrEqual(plot?.y ?? 0)
    await look('overlay')
    await page.keyboard.press('g')
    await page.locator('.grid-cell').first().waitFor()
    await look('grid')
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await page.locator('.compare-summary, .compare-ids > .nothing').waitFor()
    await look('rendering')
    await page.keyboard.press('b')
    await page.locator('.zoom-edge').first().waitFor()
    await look('boundaries')
    await page.keyboard.press('m')
    await look('messages')
    for (const tab of ['Tools', 'Documents']) {
      await page.getByRole('tab', { name: tab }).click()
      await look(tab)
    }
    await page.keyboard.press('w')
    await look('record')
    expect(broken).toEqual({})
    await window.close()
  })
})
