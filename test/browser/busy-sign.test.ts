import { join } from 'node:path'
import type { CDPSession, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')
/** How much slower the page's own thread is: as a laptop's on battery, and slower still. */
const SLOWER = 10

describePage('the sign that the page is at what was asked of it', (tests) => {
  test('comes while the page’s own thread can draw nothing, and goes with what was waited for', async () => {
    const window = await tests.openWith([FAILING])
    const { page } = window
    await page.getByText('Turn edges').waitFor()
    const devtools = await page.context().newCDPSession(page)
    const shown = async () => hasSign(page, (await page.screenshot()).toString('base64'))
    await expect.poll(shown).toBe(false)
    const frames = await filmed(devtools, async () => {
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
      await page.keyboard.press('2')
      await page.locator('.rollout-row .mask-strip').first().waitFor()
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 })
      await page.getByText('96 of 96 rollouts listed').waitFor()
    })
    const signs = []
    for (const frame of frames) signs.push(await hasSign(page, frame))
    expect(signs).toContain(true)
    await expect.poll(shown).toBe(false)
    expect(window.errors).toEqual([])
    await window.close()
  })
})

/** What the screen showed meanwhile, picture by picture (PNG in base64). Pictures come from where the browser puts its layers together, not from the page. */
async function filmed(devtools: CDPSession, act: () => Promise<void>): Promise<readonly string[]> {
  const frames: string[] = []
  devtools.on('Page.screencastFrame', ({ data, sessionId }) => {
    frames.push(data)
    void devtools.send('Page.screencastFrameAck', { sessionId })
  })
  await devtools.send('Page.startScreencast', { format: 'png', everyNthFrame: 1 })
  await act()
  await devtools.send('Page.stopScreencast')
  return frames
}

/** Whether the second row of pixels has the page's accent in it. */
function hasSign(page: Page, picture: string): Promise<boolean> {
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const context = new OffscreenCanvas(image.width, 1).getContext('2d') as OffscreenCanvasRenderingContext2D
    context.drawImage(image, 0, -1)
    const { data } = context.getImageData(0, 0, image.width, 1)
    for (let at = 0; at < data.length; at += 4)
      if (
        Math.abs((data[at] ?? 0) - 10) + Math.abs((data[at + 1] ?? 0) - 92) + Math.abs((data[at + 2] ?? 0) - 158) <
        20
      )
        return true
    return false
  }, picture)
}
