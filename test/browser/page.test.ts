import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Browser, Download } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RunningServer } from '../../cli/server/http-server.ts'
import { chromiumMissing, launchChromium } from '../helpers/chromium.ts'
import { openWindow, SAMPLES, servePage, TestFolder, type Window } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')

describe.skipIf(chromiumMissing !== null)(`the page${chromiumMissing === null ? '' : ` (${chromiumMissing})`}`, () => {
  let browser: Browser
  let server: RunningServer
  let folder: TestFolder
  let window: Window

  beforeAll(async () => {
    browser = await launchChromium()
    server = await servePage()
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
  })
  beforeEach(async () => {
    folder = new TestFolder()
    window = await openWindow(browser, server)
  })
  afterEach(async () => {
    expect(window.errors).toEqual([])
    await window.close()
    folder.remove()
  })

  test('from a dropped file to the verdict, the fault, its token, a flag and the exported bytes', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    const verdict = page.getByRole('article', { name: /^H02/ })
    expect(await verdict.innerText()).toMatch(/supported\s+high confidence/)
    expect(await page.getByRole('article', { name: /^H04/ }).innerText()).toContain('supported')
    for (const defect of ['V1', 'V2', 'V3', 'V4']) await page.getByText(defect, { exact: true }).waitFor()

    const fault = page.getByRole('row', { name: /T05 Assistant header is missing/ })
    await fault.getByRole('button', { name: 'Show one' }).click()
    const panel = page.getByRole('complementary', { name: /^Token \d+$/ })
    await panel.getByText('T05').waitFor()
    expect(await page.locator('.token.selected').innerText()).toBe('<th')
    expect(await panel.innerText()).toMatch(/state\s+trained/)

    await page.keyboard.press('f')
    await page.getByRole('button', { name: '⚑ flagged' }).waitFor()
    const downloads: Download[] = []
    page.on('download', (download) => downloads.push(download))
    await page.keyboard.press('e')
    await expect.poll(() => downloads.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(1)
    const exported = downloads.find((download) => download.suggestedFilename().endsWith('.jsonl')) as Download
    const id = await page.getByRole('heading', { level: 1 }).innerText()
    const lines = gunzipSync(readFileSync(FAILING)).toString('utf8').split('\n')
    const own = lines.find((line) => line !== '' && JSON.parse(line).id === id)
    expect(readFileSync(await exported.path(), 'utf8')).toBe(`${own}\n`)
  })

  test('a flag and a link are there again after the page was loaded anew', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    for (const key of ['j', 'j', 'j', 'f', 'Enter', ']']) await page.keyboard.press(key)
    await page.locator('.token.selected').waitFor()
    const text = await page.locator('.token.selected').innerText()
    const address = page.url()
    expect(address).toMatch(/#dump=[0-9a-f]+&view=rollout&rollout=2&tokens=/)
    await page.reload()
    await page.getByText('The link points into a dump that is not open here').waitFor()
    await window.drop([FAILING])
    await window.read()
    await page.getByRole('button', { name: '⚑ flagged' }).waitFor()
    expect(page.url()).toBe(address)
    expect(await page.locator('.token.selected').innerText()).toBe(text)
    await page.getByRole('button', { name: '1 flagged' }).click()
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
  })

  test('every number opens the rollouts behind it', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    await page.getByRole('button', { name: '7 of 79 rollouts' }).click()
    await page.getByText('7 of 96 rollouts listed').waitFor()
    await page.keyboard.press('1')
    await page.getByRole('button', { name: 'assistant turn' }).click()
    const bar = page.locator('.bin').first()
    const inBin = Number((await bar.getAttribute('aria-label'))?.split(': ')[1])
    await bar.click()
    await page.getByRole('button', { name: /^assistant turn of/ }).waitFor()
    const listed = Number((await page.getByText(/rollouts listed$/).innerText()).split(' ')[0])
    expect(listed).toBeGreaterThan(0)
    expect(listed).toBeLessThanOrEqual(inBin)
  })

  test.each([
    ['empty.jsonl', '', /empty\.jsonl is empty/],
    ['notes.jsonl', 'not a dump\n', /notes\.jsonl is text, but no JSON/],
    ['weights.bin', '\u0000\u0001\u0002\u0003', /weights\.bin/],
    ['config.json', '{"a": 1}', /config\.json: its records are of no known format/],
  ])('%s is answered with a sentence, and the page goes on', async (name, content, sentence) => {
    const { page } = window
    await window.drop([folder.write(name, content)])
    expect(await page.getByRole('alert').innerText()).toMatch(sentence)
    await window.drop([join(SAMPLES, 'clean-gsm8k.jsonl.gz')])
    await window.read()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('an empty folder, and a tokenizer without rollouts, are answered with a sentence', async () => {
    const { page } = window
    mkdirSync(join(folder.path, 'nothing'))
    await window.drop([join(folder.path, 'nothing')])
    await page.getByText('The folder nothing holds no file.').waitFor()
    await window.drop([folder.write('tokenizer.json', '{}')])
    await page.getByText('A tokenizer was dropped, but no rollouts are open.').waitFor()
  })

  test('a folder is walked, and a bad record costs no neighbour and is named', async () => {
    const { page } = window
    mkdirSync(join(folder.path, 'run', 'step_2'), { recursive: true })
    const good = JSON.stringify({ input_ids: [151644, 77091, 198, 9707, 151645], loss_mask: [0, 0, 0, 1, 1] })
    folder.write('run/step_1.jsonl', `${good}\n{"input_ids": [1,\n${good}\n`)
    folder.write('run/step_2/step_2.jsonl', good)
    await window.drop([join(folder.path, 'run')])
    await page.getByText('read 3 rollouts').waitFor()
    await page.getByRole('button', { name: '1 record skipped' }).click()
    const row = page.getByRole('dialog').getByRole('row').nth(1)
    expect((await row.innerText()).split('\t').slice(0, 3)).toEqual(['run/step_1.jsonl', '1', '2'])
    await page.keyboard.press('Escape')
  })

  test('a tokenizer that is none is refused, and the rollouts stay open', async () => {
    const { page } = window
    await window.drop([join(SAMPLES, 'clean-gsm8k.jsonl.gz')])
    await window.read()
    await window.drop([folder.write('tokenizer.json', '{"model": 3}')])
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').innerText()).toMatch(/tokenizer/i)
    await page.keyboard.press('2')
    await page.locator('tbody [role=row], tbody tr').first().waitFor()
  })

  test('another tokenizer and another policy change everything at once', async () => {
    const { page } = window
    await window.drop([join(SAMPLES, 'verifiers-2025-07.jsonl.gz')])
    await window.read()
    await page.getByRole('row', { name: /M11/ }).waitFor()
    await page.getByRole('button', { name: /^policy/ }).click()
    await page.getByRole('button', { name: /every assistant turn/ }).click()
    await page.getByRole('button', { name: /^policy sft/ }).waitFor()
    await window.read()
    await page.getByRole('row', { name: /M11/ }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^tokenizer/ }).click()
    await page.getByRole('button', { name: 'Llama 3.1 and later' }).click()
    await page.getByRole('button', { name: /^tokenizer.*llama3/ }).waitFor()
    await window.read()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('hostile text is only ever text', async () => {
    const { page } = window
    const text = '<img src=x onerror="document.title=1">\u202eevil\u0000'
    const record = {
      input_ids: [151644, 77091, 198, 9707, 151645, 198],
      loss_mask: [0, 0, 0, 1, 1, 0],
      id: text,
      messages: [{ role: text, content: text }],
    }
    await window.drop([folder.write('<b>hostile.jsonl', JSON.stringify(record))])
    await window.read()
    await page.keyboard.press('2')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('.token').first().waitFor()
    await page.keyboard.press('m')
    await page.locator('.message').first().waitFor()
    expect(await page.locator('.message').first().innerText()).toContain(
      '<img src=x onerror="document.title=1">RLOevil␀',
    )
    expect(await page.locator('img, b').count()).toBe(0)
    expect(await page.title()).toBe('Rollout Inspector')
  })

  test('a rollout of 131,072 tokens opens at once, with few elements', async () => {
    const { page } = window
    const ids = Array.from({ length: 131_072 }, (_, k) => (k % 17 === 0 ? 198 : 1000 + ((k * 7919) % 40_000)))
    ids.splice(0, 3, 151644, 77091, 198)
    const mask = ids.map((_, k) => (k > 2 ? 1 : 0))
    await window.drop([folder.write('long.jsonl', JSON.stringify({ input_ids: ids, loss_mask: mask }))])
    await window.read()
    await page.keyboard.press('2')
    await page.keyboard.press('j')
    const before = Date.now()
    await page.keyboard.press('Enter')
    await page.locator('.token').first().waitFor()
    expect(Date.now() - before).toBeLessThan(3000)
    expect(await page.locator('.token').count()).toBeLessThan(3000)
    const strip = page.getByRole('slider')
    await strip.press('End')
    await page.locator('.token.selected').waitFor()
    expect(await strip.getAttribute('aria-valuenow')).toBe('131071')
  })
})
