import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES, TestFolder } from './inspector-page.ts'

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
    await expect.poll(() => keptAddresses(page)).toEqual([left])
    await page.goto('about:blank')
    await page.goto(tests.server.url)
    await page.getByRole('button', { name: /^Open( files)?…$/ }).waitFor()
    await window.drop([sample])
    await window.read()
    await page.getByText(/You were at token \d+ of rollout q601-1 when/).waitFor()
    await page.getByRole('button', { name: 'Go on there' }).click()
    await expect.poll(() => page.evaluate('location.hash')).toBe(left)
    expect(await page.getByText('You were at').count()).toBe(0)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('offers it no more once a person went elsewhere by himself', async () => {
    const sample = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')
    const window = await tests.openWith([sample])
    const { page } = window
    await page.keyboard.press('2')
    await expect.poll(() => keptAddresses(page).then((kept) => kept.length)).toBe(1)
    await page.goto('about:blank')
    await page.goto(tests.server.url)
    await page.getByRole('button', { name: /^Open( files)?…$/ }).waitFor()
    await window.drop([sample])
    await window.read()
    await page.getByText('You were at the table of rollouts when').waitFor()
    await page.keyboard.press('3')
    await page.locator('.group-row').first().waitFor()
    await expect.poll(() => page.getByText('You were at').count()).toBe(0)
    await window.close()
  })

  const lines = gunzipSync(readFileSync(join(SAMPLES, 'clean-gsm8k.jsonl.gz')))
    .toString()
    .split('\n')
    .filter(Boolean)

  test('is the one that was left, also where it has grown since: it is one recent file, and its links hold', async () => {
    const folder = new TestFolder()
    const part = (rollouts: number) =>
      folder.write(
        'run.jsonl',
        lines
          .slice(0, rollouts)
          .map((line) => `${line}\n`)
          .join(''),
      )
    const window = await tests.openWith([part(16)])
    const { page } = window
    await page.keyboard.press('2')
    for (const key of ['j', 'j', 'j', 'Enter']) await page.keyboard.press(key)
    await page.locator('.tokens .token.selected').waitFor()
    await expect.poll(() => page.evaluate('location.hash')).toMatch(/view=rollout&rollout=2&tokens=\d+/)
    const left = (await page.evaluate('location.hash')) as string
    await expect.poll(() => keptAddresses(page)).toEqual([left])

    await page.goto('about:blank')
    await page.goto(tests.server.url)
    await page.getByRole('button', { name: /^Open( files)?…$/ }).waitFor()
    await window.drop([part(24)])
    await page.getByText('read 24 rollouts').waitFor()
    await page
      .getByText(/You were at token \d+ of rollout \D\S* when this dump was closed, and it has grown since/)
      .waitFor()
    await page.getByRole('button', { name: 'Go on there' }).click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expect.poll(() => page.evaluate('location.hash')).toMatch(/view=rollout&rollout=2&tokens=\d+/)
    const now = (await page.evaluate('location.hash')) as string
    expect(now).not.toBe(left)
    await expect.poll(async () => (await keptAddresses(page)).includes(now)).toBe(true)

    // A link into it as it was leads to the same place.
    await page.keyboard.press('2')
    await page.evaluate(`location.hash = ${JSON.stringify(left)}`)
    await page.getByText('More of the run is open than then: this is its place now').waitFor({ state: 'attached' })
    await page.getByRole('heading', { level: 1 }).waitFor()

    await page.goto('about:blank')
    await page.goto(`${tests.server.url}${left}`)
    await page.getByText('The link points into run.jsonl, which was open here before').waitFor()
    const recent = page.locator('.recent').getByRole('button', { name: 'run.jsonl' })
    expect(await recent.count()).toBe(1)
    await window.drop([part(32)])
    await page.getByText('read 32 rollouts').waitFor()
    await expect.poll(() => page.evaluate('location.hash')).toMatch(/view=rollout&rollout=2&tokens=\d+/)

    // With another file beside it nobody knows whether it has grown, and it is not said.
    await expect.poll(() => keptAddresses(page).then((kept) => kept.length)).toBe(3)
    await page.goto('about:blank')
    await page.goto(tests.server.url)
    await page.getByRole('button', { name: /^Open( files)?…$/ }).waitFor()
    await window.drop([part(32), folder.write('other.jsonl', `${lines[40]}\n`)])
    await page.getByText('read 33 rollouts').waitFor()
    await page.getByText(/when this dump was closed; 1 more file is open beside it now\./).waitFor()

    // One of the same name that begins otherwise is another one.
    await page.goto('about:blank')
    await page.goto(`${tests.server.url}${left}`)
    await page.getByText('The link points into run.jsonl, which was open here before').waitFor()
    await window.drop([
      folder.write(
        'run.jsonl',
        lines
          .slice(8)
          .map((line) => `${line}\n`)
          .join(''),
      ),
    ])
    await page.getByText(`read ${lines.length - 8} rollouts`).waitFor()
    await page.locator('.notice', { hasText: 'The link points into another run' }).waitFor({ state: 'attached' })
    expect(await page.evaluate('location.hash')).not.toMatch(/rollout=2/)
    expect(window.errors).toEqual([])
    await window.close()
    folder.remove()
  })
})
