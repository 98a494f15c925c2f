import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

/** The addresses of the places that this browser keeps. */
function keptAddresses(page: Page): Promise<string[]> {
  return page.evaluate(
    () =>
      new Promise((done, fail) => {
        const opening = indexedDB.open('rollout-inspector')
        opening.onerror = () => fail(opening.error)
        opening.onsuccess = () => {
          const all = opening.result.transaction('lastPlaces').objectStore('lastPlaces').getAll()
          all.onerror = () => fail(all.error)
          all.onsuccess = () => {
            opening.result.close()
            done(all.result.map(({ address }: { address: string }) => address))
          }
        }
      }),
  )
}

describePage('a dump that is opened again', (tests) => {
  test('offers where it was left, and goes there', async () => {
    const sample = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')
    const window = await tests.openWith([sample])
    const { page } = window
    await page.keyboard.press('2')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('.tokens .token.selected').waitFor()
    await expect.poll(() => page.evaluate('location.hash')).toMatch(/view=rollout&rollout=1&tokens=\d+/)
    const left = await page.evaluate('location.hash')
    // It is kept once a person stays.
    await expect.poll(() => keptAddresses(page), { timeout: 10_000 }).toEqual([left])
    await page.goto('about:blank')
    await page.goto(tests.server.url)
    await page.getByRole('button', { name: /^Open( files)?…$/ }).waitFor()
    await window.drop([sample])
    await window.read()
    await page.getByText(/You were at token \d+ of rollout 1/).waitFor()
    await page.getByRole('button', { name: 'Go on there' }).click()
    await expect.poll(() => page.evaluate('location.hash')).toBe(left)
    expect(await page.getByText('You were at').count()).toBe(0)
    expect(window.errors).toEqual([])
    await window.close()
  })
})
