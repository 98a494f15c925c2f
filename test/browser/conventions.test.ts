import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '../../cli/server/http-server.ts'
import { chromiumMissing, launchChromium } from '../helpers/chromium.ts'
import { lines, qwen, rolloutWithTrainedReply } from '../session/dumps.ts'
import { openWindow, servePage, TestFolder } from './inspector-page.ts'

describe.skipIf(chromiumMissing !== null)(
  `a way to train that the dump looks like${chromiumMissing === null ? '' : ` (${chromiumMissing})`}`,
  () => {
    let browser: Browser
    let server: RunningServer
    const folder = new TestFolder()

    beforeAll(async () => {
      browser = await launchChromium()
      server = await servePage()
    })
    afterAll(async () => {
      await browser.close()
      await server.close()
      folder.remove()
    })

    test('is suggested, explains nothing until a person says that it is meant, and can be taken back', async () => {
      const tokenizer = await qwen()
      const rollouts = [1, 2, 3].map((seed) => rolloutWithTrainedReply(tokenizer, seed))
      const window = await openWindow(browser, server)
      const { page } = window
      await window.drop([folder.write('trained-replies.jsonl', lines(rollouts))])
      await window.read()
      const verdict = (word: string) => page.locator(`article.${word}`, { hasText: 'H02 ·' }).waitFor()
      await verdict('supported')
      await page.getByRole('button', { name: /^policy/ }).click()
      await page.getByText(/tokens of tool replies are trained as what the model wrote is/).waitFor()
      await page.getByRole('button', { name: 'M01 is meant' }).click()
      await verdict('contradicted')
      await page.getByRole('button', { name: /^policy/ }).click()
      await page.getByText('Declared as meant: M01.').waitFor()
      expect(await page.getByText(/tokens of tool replies are trained/).count()).toBe(0)
      await page.getByRole('button', { name: 'Take it back' }).click()
      await verdict('supported')
      expect(window.errors).toEqual([])
      await window.close()
    })
  },
)
