import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describePage } from '../browser/describe-page.ts'
import { startMortalChromium } from '../helpers/chromium.ts'

/** Milliseconds from the last key: at once, while a change is on its way to storage, and around the pause in typing that sends it there. */
const MOMENTS = [0, 1, 3, 8, 20, 490, 500, 503, 510]

const GOING: readonly ((page: Page) => Promise<unknown>)[] = [
  (page) => closed(page, true),
  (page) => closed(page, false),
  (page) => page.reload(),
  (page) => page.goto('about:blank'),
]

async function closed(page: Page, asking: boolean): Promise<void> {
  const gone = page.waitForEvent('close')
  await page.close({ runBeforeUnload: asking })
  await gone
}

/** Opens a field of the notebook for typing, at its end, and gives what it says. */
async function edit(page: Page): Promise<string> {
  await page.evaluate(() => {
    location.hash = 'view=notebook&notebook.hypothesis=H02'
  })
  await page.getByRole('button', { name: /^(Write|Edit): Results$/ }).click()
  await page.keyboard.press('Control+End')
  return page.getByRole('textbox', { name: 'Results' }).inputValue()
}

describePage('a window that goes in the middle of a word', (tests) => {
  test('has the word when it comes back, and asks nothing', { timeout: 180_000 }, async () => {
    const window = await tests.open()
    const context = window.page.context()
    const asked: string[] = []
    let said = ''
    for (let round = 0; round < 18; round++) {
      const page = await context.newPage()
      page.on('dialog', (dialog) => {
        asked.push(`${round}: ${dialog.type()}`)
        void dialog.accept()
      })
      await page.goto(tests.server.url)
      expect(await edit(page), `before round ${round}`).toBe(said)
      const word = `${round} `.repeat(1 + (round % 3))
      await page.keyboard.type(word, { delay: [0, 5, 30][round % 3] as number })
      await page.waitForTimeout(MOMENTS[round % MOMENTS.length] as number)
      await GOING[round % GOING.length]?.(page)
      said += word
    }
    expect(asked).toEqual([])
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('has it too when the whole browser is closed', { timeout: 120_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'inspector-closed-'))
    let said = ''
    try {
      for (let round = 0; round < 5; round++) {
        const chromium = await startMortalChromium(join(folder, 'profile'))
        try {
          const page = await (chromium.browser.contexts()[0] as BrowserContext).newPage()
          await page.goto(tests.server.url)
          expect(await edit(page), `before round ${round}`).toBe(said)
          await page.keyboard.type(`${round} `)
          await page.waitForTimeout(MOMENTS[round * 2] as number)
          await closed(page, false)
          await chromium.close()
          said += `${round} `
        } finally {
          await chromium.kill().catch(() => undefined)
        }
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('shows the word in the windows that stay', async () => {
    const window = await tests.open()
    const stays = await window.page.context().newPage()
    await stays.goto(tests.server.url)
    await edit(stays)
    await stays.getByRole('button', { name: 'Done' }).click()
    await edit(window.page)
    await window.page.keyboard.type('left behind')
    await closed(window.page, true)
    await stays.getByRole('paragraph').filter({ hasText: 'left behind' }).waitFor()
    await stays.context().close()
  })
})
