import { join } from 'node:path'
import { expect, test } from 'vitest'
import { violations } from './axe.ts'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

/** What the walk through all screens (`axe-screens.test.ts`) does not come by. */
describePage('accessibility', (tests) => {
  test.each([
    'light',
    'dark',
  ] as const)('mapping the fields of a format that is not known breaks no rule of axe-core, %s', async (colorScheme) => {
    const window = await tests.open({ colorScheme, bypassCSP: true, reducedMotion: 'reduce' })
    const { page } = window
    await window.drop([
      tests.folder.write('own.jsonl', '{"toks": [151644, 77091, 198, 9707, 151645], "lossm": [0, 0, 0, 1, 1]}'),
    ])
    await page.getByRole('button', { name: 'Map its fields…' }).click()
    await page.locator('.mapped-token.trained').first().waitFor()
    await page.getByText('More fields').click()
    expect(await violations(page)).toEqual([])
    await window.close()
  })

  test('what a chart is of stands over no curve', async () => {
    const window = await tests.openWith([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')], { reducedMotion: 'reduce' })
    const { page } = window
    await page.keyboard.press('2')
    await page.locator('.mask-strip').first().waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.token').first().waitFor()
    await page.keyboard.press('>')
    // The room of a chart whose numbers are still to come has a canvas too, but no key: the canvas that goes with the key.
    await page.locator('.position-chart .chart-key').waitFor()
    const [key, plot] = await Promise.all(
      ['.chart-key', 'canvas'].map((part) => page.locator(`.position-chart ${part}`).boundingBox()),
    )
    expect((key?.y ?? 0) + (key?.height ?? 0)).toBeLessThanOrEqual(plot?.y ?? 0)
    await window.close()
  })
})
