import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')

describePage('a picture of what is on screen', ({ openWith }) => {
  for (const [colorScheme, deviceScaleFactor] of [
    ['light', 1],
    ['dark', 2],
  ] as const) {
    test(`is a PNG that shows what the window shows, ${colorScheme} at ${deviceScaleFactor} pixels to one`, async () => {
      const window = await openWith([FAILING], { colorScheme, deviceScaleFactor, reducedMotion: 'reduce' })
      const { page } = window
      await page.keyboard.press('2')
      await page.locator('.mask-strip').first().waitFor()
      await page.keyboard.press('Enter')
      await page.locator('.token.trained').first().waitFor()
      const { name, png } = await takePicture(page)
      expect(name).toBe('verifiers-2025-08-rollout-q601-0.png')
      const seen = await compare(page, png, await page.screenshot())
      expect(seen.size).toEqual([1440 * deviceScaleFactor, 900 * deviceScaleFactor])
      expect(seen.colours).toBeGreaterThan(50)
      expect(seen.alike).toBeGreaterThan(0.97)
      expect(window.errors).toEqual([])
      await window.close()
    })
  }
})

async function takePicture(page: Page): Promise<{ name: string; png: Buffer }> {
  const download = page.waitForEvent('download')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Command' }).fill('as a picture')
  await page.keyboard.press('Enter')
  const file = await download
  await page.locator('.notice').waitFor({ state: 'hidden' })
  return { name: file.suggestedFilename(), png: readFileSync(await file.path()) }
}

/** How large a picture is, how many colours it has, and what share of it looks as another one does. */
function compare(page: Page, png: Buffer, other: Buffer): Promise<{ size: number[]; colours: number; alike: number }> {
  return page.evaluate(
    async ([a, b]) => {
      const pixels = async (png: string) => {
        const image = new Image()
        image.src = `data:image/png;base64,${png}`
        await image.decode()
        // Small enough that letters half a pixel beside their place are the same ones.
        const canvas = new OffscreenCanvas(360, 225)
        const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D
        context.imageSmoothingQuality = 'high'
        context.drawImage(image, 0, 0, canvas.width, canvas.height)
        const { data } = context.getImageData(0, 0, canvas.width, canvas.height)
        return { size: [image.naturalWidth, image.naturalHeight], data }
      }
      const [one, two] = [await pixels(a as string), await pixels(b as string)]
      const colours = new Set<number>()
      let alike = 0
      for (let at = 0; at < one.data.length; at += 4) {
        const [red, green, blue] = one.data.subarray(at, at + 3) as unknown as [number, number, number]
        colours.add((red << 16) | (green << 8) | blue)
        const distance = [0, 1, 2].reduce(
          (most, part) => Math.max(most, Math.abs((one.data[at + part] as number) - (two.data[at + part] as number))),
          0,
        )
        if (distance < 32) alike++
      }
      return { size: one.size, colours: colours.size, alike: (4 * alike) / one.data.length }
    },
    [png.toString('base64'), other.toString('base64')],
  )
}
