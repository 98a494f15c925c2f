import type { Page } from 'playwright-core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startServer } from '../../cli/server/http-server.ts'
import { findPlaces } from '../../cli/server/places.ts'
import { ServedFiles } from '../../cli/server/served-files.ts'
import { createSite, type Site } from '../../cli/server/site.ts'
import { describePage } from './describe-page.ts'
import { helloWorld } from './hello-world.ts'
import type { Window } from './inspector-page.ts'

/** A page that opens one file at once, whose bytes can be held back. */
async function serveHeld(content: Uint8Array<ArrayBuffer>) {
  const places = findPlaces()
  const file = { name: 'held.jsonl', url: '/held', size: content.length }
  const session = async () => ({ files: [file], sample: null, notice: null })
  const site = createSite({ places, served: new ServedFiles(), session })
  let release = () => {}
  let released = Promise.resolve()
  const held: Site = async (request) => {
    if (new URL(request.url).pathname !== file.url) return site(request)
    await released
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get('range') ?? '')
    const [start, end] = range === null ? [0, content.length] : [Number(range[1]), Number(range[2]) + 1]
    const headers = { 'content-range': `bytes ${start}-${end - 1}/${content.length}`, 'cache-control': 'no-store' }
    return new Response(content.slice(start, end), { status: 206, headers })
  }
  return {
    server: await startServer(held, { host: '127.0.0.1', port: 0, orNext: false }),
    hold() {
      released = new Promise((done) => {
        release = done
      })
    },
    release: () => release(),
  }
}

describePage('a search that takes long', (tests) => {
  let window: Window
  let page: Page

  beforeEach(async () => {
    window = await tests.open()
    page = window.page
  })
  afterEach(async () => {
    expect(window.errors).toEqual([])
    await window.close()
  })

  const listed = (text: string) => page.getByText(text, { exact: true }).waitFor()

  /** A query over 40 rollouts, none of whose bytes come before they are let go. */
  async function heldSearch(query: string) {
    const records = Array.from({ length: 40 }, (_, index) => helloWorld(index, true))
    const held = await serveHeld(new TextEncoder().encode(records.map((record) => JSON.stringify(record)).join('\n')))
    await page.goto(held.server.url)
    await window.read()
    held.hold()
    await page.keyboard.press('2')
    await page.keyboard.press('/')
    await page.keyboard.insertText(query)
    await page.keyboard.press('Enter')
    return held
  }

  test('looking into rollouts can be stopped, says that it was, and goes on', async () => {
    const held = await heldSearch('"world" reward:1')
    await page.getByText('looking into rollouts…').waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByText(/^Stopped before a rollout was looked into; the rows are still those/).waitFor()
    await listed('40 of 40 rollouts listed')
    held.release()
    await page.locator('button:focus', { hasText: 'Go on' }).click()
    await listed('20 of 40 rollouts listed')
    expect(await page.getByText(/^Stopped/).count()).toBe(0)
    await page.goto(tests.server.url)
    await held.server.close()
  })

  test('a mark does not begin again what was stopped', async () => {
    const held = await heldSearch('-flag "world" reward:1')
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByText(/^Stopped before/).waitFor()
    for (const key of ['j', 'j', 'f']) await page.keyboard.press(key)
    await page.getByRole('button', { name: '1 flagged' }).first().waitFor()
    expect(await page.getByText(/^Stopped before/).count()).toBe(1)
    held.release()
    await page.getByRole('button', { name: 'Go on' }).click()
    await listed('19 of 40 rollouts listed')
    await page.goto(tests.server.url)
    await held.server.close()
  })
})
