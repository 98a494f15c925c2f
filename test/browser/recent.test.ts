import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'
import { openRollout } from './open-rollout.ts'

const NAME = 'clean-gsm8k.jsonl.gz'

describePage('a recent file', (tests) => {
  test('that was closed is not asked for when the page is loaded again', async () => {
    const window = await tests.openWith([join(SAMPLES, NAME)])
    const { page } = window
    await page.keyboard.press('2')
    await page.locator('.rollout-row').first().waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Close these files')
    await page.keyboard.press('Enter')
    await page.locator('.recent').getByRole('button', { name: NAME }).waitFor()
    expect(await page.evaluate('location.hash')).toBe('')
    await page.reload()
    await page.locator('.recent').getByRole('button', { name: NAME }).waitFor()
    expect(await page.getByText('The link points into a dump').count()).toBe(0)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('that is the sample is open again, at its place, when the page is loaded again, and not once it was closed', async () => {
    const window = await tests.open()
    const { page } = window
    await page.getByRole('button', { name: 'Open the sample run' }).click()
    await window.read()
    await openRollout(page)
    await page.locator('.tokens .token.trained').first().click()
    const place = /tokens=\d+-\d+/.exec(page.url())?.[0]
    expect(place).toBeDefined()
    await page.reload()
    await page.locator('.tokens .token.selected').waitFor()
    expect(page.url()).toContain(place)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Close these files')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Open the sample run' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Open the sample run' }).waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('says that it waits to be chosen again, and what to do where nothing was', async () => {
    const window = await tests.openWith([join(SAMPLES, NAME)])
    const { page } = window
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Close these files')
    await page.keyboard.press('Enter')
    const entry = page.locator('.recent').getByRole('button', { name: NAME })
    const waiting = page.getByText(
      `Waiting for your permission: a browser lets a page open a file only once you have chosen it. Choose ${NAME} in its dialog.`,
    )
    const refused = page.getByText(
      'Nothing was chosen, so nothing was opened. Choose it once more, or drop it on this page.',
    )
    const asked = page.waitForEvent('filechooser')
    await entry.click()
    const dialog = await asked
    await waiting.waitFor()
    await dialog.element().evaluate((input) => input.dispatchEvent(new Event('cancel')))
    await refused.waitFor()
    expect(await waiting.count()).toBe(0)
    const again = page.waitForEvent('filechooser')
    await entry.press('Enter')
    const second = await again
    await waiting.waitFor()
    expect(await refused.count()).toBe(0)
    await second.setFiles(join(SAMPLES, NAME))
    await window.read()
    await page.getByText('read 64 rollouts').waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })
})
