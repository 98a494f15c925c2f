import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { servePage } from '../browser/inspector-page.ts'
import { chromiumMissing, startMortalChromium } from '../helpers/chromium.ts'
import { killWhileWriting } from './kill-rounds.ts'

// Something lost once is lost: it is not tried again.
describe.skipIf(chromiumMissing !== null)('a browser that is killed', { retry: 0 }, () => {
  test('loses no flag, label, note or hypothesis that was said to be kept', { timeout: 400_000 }, async () => {
    // Moments spread evenly over what a round takes; `npm run fuzz` has random ones.
    let at = 0
    const { lost, evidence, acknowledged } = await killWhileWriting(25, () => (at++ % 25) / 25)
    expect(lost, evidence.join('\n')).toEqual([])
    for (const [kind, count] of Object.entries(acknowledged)) expect(count, kind).toBeGreaterThan(5)
  })

  test('and throws its database away puts everything back from the second copy', { timeout: 120_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'inspector-emptied-'))
    const server = await servePage()
    try {
      const session = async (does: (page: Page) => Promise<void>) => {
        const chromium = await startMortalChromium(join(folder, 'profile'))
        try {
          const page = await (chromium.browser.contexts()[0] as BrowserContext).newPage()
          await page.goto(server.url)
          await page.getByRole('button', { name: /^Open( files)?…$/ }).waitFor()
          await page.keyboard.press('6')
          await page.locator('[data-card="H02"]').waitFor()
          await does(page)
        } finally {
          await chromium.kill()
        }
      }
      await session((page) => beginTesting(page, 'H02', 1))
      tearLastRecord(join(folder, 'profile', 'Default', 'IndexedDB'))
      // What comes after the torn record can be read as long as this browser lives.
      await session((page) => beginTesting(page, 'H04', 2))
      await session(async (page) => {
        await page.getByText('The browser found its storage damaged and emptied it.').waitFor()
        await page.getByRole('region', { name: /^Testing, 2/ }).waitFor()
      })
      await session(async (page) => {
        await page.getByRole('region', { name: /^Testing, 2/ }).waitFor()
        expect(await page.getByText('The browser found its storage damaged').count()).toBe(0)
      })
    } finally {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

/** Moves a hypothesis on, and waits until `count` of them stand in both copies of the notebook. */
async function beginTesting(page: Page, id: string, count: number): Promise<void> {
  await page.locator(`[data-card="${id}"]`).focus()
  await page.keyboard.press('Shift+ArrowRight')
  await page.getByText(/^Saved /).waitFor()
  await expect.poll(() => page.evaluate(testingInCopy), { timeout: 20_000 }).toBe(count)
}

/** Runs in the page: how many hypotheses are being tested by the copy; 0 until there is one. */
const testingInCopy = `(async () => {
  const bucket = await navigator.storageBuckets.open('second-copy')
  if ((await bucket.indexedDB.databases()).length === 0) return 0
  return new Promise((done, fail) => {
    const opening = bucket.indexedDB.open('rollout-inspector-copy')
    opening.onerror = () => fail(opening.error)
    opening.onsuccess = () => {
      const all = opening.result.transaction('notebooks').objectStore('notebooks').getAll()
      all.onsuccess = () => {
        opening.result.close()
        done((all.result[0]?.notebook.hypotheses ?? []).filter(({ status }) => status === 'testing').length)
      }
    }
  })
})()`

/** What a kill between two writes leaves at the end of LevelDB's log: the header of a record (checksum, length 200, whole) and nothing of it. */
function tearLastRecord(databases: string): void {
  const database = join(databases, readdirSync(databases).find((name) => name.endsWith('.leveldb')) as string)
  const log = readdirSync(database).find((name) => name.endsWith('.log')) as string
  appendFileSync(join(database, log), Uint8Array.of(1, 2, 3, 4, 200, 0, 1))
}
