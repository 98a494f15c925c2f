import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Download } from 'playwright-core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES, type Window } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')

describePage('the page', (tests) => {
  const { folder } = tests
  let window: Window

  beforeEach(async () => {
    window = await tests.open()
  })
  afterEach(async () => {
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('from a dropped file to the verdict, the fault, its token, a flag and the exported bytes', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    const verdict = page.getByRole('article', { name: /^H02/ })
    await expect.poll(() => verdict.innerText()).toMatch(/supported\s+high confidence/)
    await expect.poll(() => page.getByRole('article', { name: /^H04/ }).innerText()).toContain('supported')
    const faults = page.getByRole('table', { name: 'Faults, the worst first' })
    for (const defect of ['V1', 'V2', 'V3', 'V4']) await faults.getByText(defect, { exact: true }).waitFor()

    const advice = page.getByRole('region', { name: 'What to do first' })
    await expect
      .poll(() => advice.innerText())
      .toContain('Mend V1 first: loss mask used as attention mask (96 of 96 rollouts)')
    const missing = faults.getByRole('button', { name: /^V2 V3 Assistant header and newline missing from turn 2 on/ })
    const symptoms = page.getByRole('table', { name: 'What fails because of V2' })
    expect(await symptoms.count()).toBe(0)
    // The sentence leads to the cause, and opens it.
    await advice.getByRole('button', { name: 'V3', exact: true }).click()
    const isFocused = (element: Element) => element === document.activeElement
    const isInSight = (element: Element) => {
      const [box, list] = [element.getBoundingClientRect(), element.closest('.findings')?.getBoundingClientRect()]
      return list !== undefined && box.top >= list.top - 1 && box.bottom <= list.bottom + 1
    }
    await expect.poll(() => missing.evaluate(isFocused)).toBe(true)
    const fault = symptoms.getByRole('row', { name: /T05 Assistant header is missing/ })
    // Who looked at another tab last is led to the tokens all the same.
    await page.keyboard.press('2')
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: /^Re-render/ }).click()
    await page.keyboard.press('1')
    await missing.waitFor()
    if ((await symptoms.count()) === 0) await missing.click()
    await fault.getByRole('button', { name: 'Show one' }).click()
    const panel = page.getByRole('complementary', { name: /^Token \d+$/ })
    await panel.getByText('T05').first().waitFor()
    // Of the findings that mark the same tokens the one that was asked for is chosen, in the list, in the panel and for whoever copies it.
    const chosen = page.locator('.findings [aria-current="true"]')
    await expect.poll(() => chosen.allInnerTexts()).toEqual([expect.stringContaining('T05')])
    await expect.poll(() => chosen.evaluate(isInSight)).toBe(true)
    await expect.poll(() => panel.locator('.panel-findings li').first().innerText()).toContain('T05')
    await expect.poll(() => page.getByRole('tab', { selected: true }).innerText()).toMatch(/^Tokens/)
    const asked = await chosen.innerText()
    for (const [key, code] of [
      [']', /T04/],
      [']', /T05/],
      ['[', /T04/],
    ] as const) {
      await page.keyboard.press(key)
      await expect.poll(() => chosen.allInnerTexts()).toEqual([expect.stringMatching(code)])
    }
    await page.keyboard.press('[')
    await expect.poll(() => chosen.allInnerTexts()).toEqual([asked])
    await expect.poll(() => page.locator('.tokens .token.selected').innerText()).toBe('<th')
    await expect.poll(() => panel.innerText()).toMatch(/state\s+trained/)

    await page.keyboard.press('f')
    await page.getByRole('button', { name: '⚑ flagged' }).waitFor()
    const downloads: Download[] = []
    page.on('download', (download) => downloads.push(download))
    await page.keyboard.press('e')
    await page.getByRole('button', { name: 'Export 1 rollout', exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => downloads.length).toBeGreaterThanOrEqual(1)
    const exported = downloads.find((download) => download.suggestedFilename().endsWith('.jsonl')) as Download
    const id = await page.getByRole('heading', { level: 1 }).innerText()
    const lines = gunzipSync(readFileSync(FAILING)).toString('utf8').split('\n')
    const own = lines.find((line) => line !== '' && JSON.parse(line).id === id)
    expect(readFileSync(await exported.path(), 'utf8')).toBe(`${own}\n`)
  })

  test.each([
    ['Rows for supervised fine-tuning', /\.jsonl$/],
    ['Parquet', /\.parquet$/],
  ])('every way to export is a choice: %s', async (words, name) => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    await page.keyboard.press('j')
    await page.keyboard.press('f')
    const names: string[] = []
    page.on('download', (download) => names.push(download.suggestedFilename()))
    await page.keyboard.press('Control+k')
    await page.keyboard.type('export rollouts')
    await page.keyboard.press('Enter')
    await page.getByRole('radio', { name: words }).check()
    await page.keyboard.press('Enter')
    await expect.poll(() => names.join(' ')).toContain('manifest.json')
    expect(names.filter((each) => name.test(each))).toHaveLength(1)
  })

  test('a flag and a link are there again after the page was loaded anew', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    for (const key of ['j', 'j', 'j', 'f', 'Enter', ']']) await page.keyboard.press(key)
    await page.locator('.tokens .token.selected').waitFor()
    const text = await page.locator('.tokens .token.selected').innerText()
    const address = page.url()
    expect(address).toMatch(/#dump=[0-9a-f]+&view=rollout&rollout=2&tokens=/)
    await page.reload()
    await page.getByText(`The link points into ${basename(FAILING)}, which was open here before`).waitFor()
    await window.drop([FAILING])
    await window.read()
    await page.getByRole('button', { name: '⚑ flagged' }).waitFor()
    expect(page.url()).toBe(address)
    await expect.poll(() => page.locator('.tokens .token.selected').innerText()).toBe(text)
    await page.getByRole('button', { name: '1 flagged' }).click()
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
  })

  test('the table takes the keys at once, however a person came to it', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    const focused = () => page.evaluate('document.activeElement.getAttribute("role")')
    const selected = page.getByRole('row', { selected: true })
    await page.getByRole('button', { name: /^Rollouts/ }).click()
    await expect.poll(focused).toBe('grid')
    for (let k = 0; k < 60; k++) await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('.tokens .token.selected').waitFor()
    const id = await page.getByRole('heading', { level: 1 }).innerText()
    await page.keyboard.press('Escape')
    await expect.poll(focused).toBe('grid')
    await expect.poll(() => selected.innerText()).toContain(id)
    const box = await selected.boundingBox()
    expect(box?.y).toBeGreaterThan(100)
    expect(box?.y).toBeLessThan(850)

    // The entry that is already here, a flag and a sorted column leave the keys to the table as well.
    await page.getByRole('button', { name: /^Rollouts/ }).click()
    await expect.poll(focused).toBe('grid')
    await selected.getByRole('button', { name: /^Flag/ }).click()
    await page.getByRole('button', { name: '1 flagged' }).first().waitFor()
    await page.getByRole('button', { name: 'reward', exact: true }).click()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: '⚑ flagged' }).waitFor()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe(id)

    // A number.
    await page.keyboard.press('1')
    await page.getByRole('button', { name: /^V10 / }).click()
    await page.getByRole('button', { name: '7 of 79 rollouts' }).first().click()
    await page.getByText('7 of 96 rollouts listed').waitFor()
    await page.keyboard.press('f')
    await page.getByRole('button', { name: '2 flagged' }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: '⚑ flagged' }).waitFor()
  })

  test('an advantage of the whole rollout is shown at each of its tokens', async () => {
    const { page } = window
    const record = {
      input_ids: [151644, 77091, 198, 9707, 151645, 198],
      loss_mask: [0, 0, 0, 1, 1, 0],
      advantage: 0.265,
    }
    await window.drop([folder.write('scalar.jsonl', JSON.stringify(record))])
    await window.read()
    await page.getByRole('button', { name: /^Rollouts/ }).click()
    await page.keyboard.press('Enter')
    const panel = page.getByRole('complementary', { name: /^Token \d+$/ })
    await panel.getByText('(of the rollout)').waitFor()
    await expect.poll(() => panel.innerText()).toMatch(/advantage\s+0\.265 \(of the rollout\)/)
  })

  test('a dump without ids, or without a mask, shows nothing as zero', async () => {
    const { page } = window
    const messages = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi' },
    ]
    const record = {
      prompt: messages.slice(0, 1),
      completion: messages.slice(1),
      reward: 1,
      generation_ms: 3,
      task: 't',
    }
    await window.drop([folder.write('results.jsonl', JSON.stringify({ example_id: 0, info: {}, ...record }))])
    await window.read()
    await page.getByText('No check that could run found a fault').waitFor()
    await page.keyboard.press('2')
    const cells = page.getByRole('row').nth(1).locator('td')
    const titles = await page.getByRole('columnheader').allInnerTexts()
    const tokens = titles.findIndex((title) => title.startsWith('tokens'))
    expect((await cells.allInnerTexts())[tokens]).toBe('–')
    await page.keyboard.press('Enter')
    await page.getByText('There are no token ids here').waitFor()
    await page.locator('.message').first().waitFor()
    expect(await page.getByRole('complementary').count()).toBe(0)

    await window.drop([
      folder.write('ids.jsonl', JSON.stringify({ input_ids: [151644, 77091, 198, 9707, 151645, 198] })),
    ])
    // What the file before was read to may still be on screen.
    await page.getByText('ids.jsonl').first().waitFor()
    await window.read()
    await page.keyboard.press('2')
    await page.keyboard.press('Enter')
    const turns = page.getByRole('navigation', { name: 'Turns' })
    await turns.waitFor()
    expect(await turns.innerText()).not.toContain('%')
  })

  test('another tokenizer and another policy change everything at once', async () => {
    const { page } = window
    await window.drop([join(SAMPLES, 'verifiers-2025-07.jsonl.gz')])
    await window.read()
    await page.getByText('2 checks fail because of it: M08, M11').waitFor()
    await page.getByRole('button', { name: /^policy/ }).click()
    await page.getByRole('button', { name: /every assistant turn/ }).click()
    await page.getByRole('button', { name: /^policy sft/ }).waitFor()
    await window.read()
    await page.getByText('2 checks fail because of it: M08, M11').waitFor({ state: 'detached' })
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
    await expect
      .poll(() => page.locator('.message').first().innerText())
      .toContain('<img src=x onerror="document.title=1">RLOevil␀')
    expect(await page.locator('img, b').count()).toBe(0)
    expect(await page.title()).toBe('<b>hostile.jsonl · rollout · Rollout Inspector')
  })

  test('a rollout of 131,072 tokens opens with few elements', async () => {
    const { page } = window
    const ids = Array.from({ length: 131_072 }, (_, k) => (k % 17 === 0 ? 198 : 1000 + ((k * 7919) % 40_000)))
    ids.splice(0, 3, 151644, 77091, 198)
    const mask = ids.map((_, k) => (k > 2 ? 1 : 0))
    await window.drop([folder.write('long.jsonl', JSON.stringify({ input_ids: ids, loss_mask: mask }))])
    await window.read()
    await page.keyboard.press('2')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('.token').first().waitFor()
    expect(await page.locator('.token').count()).toBeLessThan(3000)
    const strip = page.getByRole('slider')
    await strip.press('End')
    await page.locator('.tokens .token.selected').waitFor()
    expect(await strip.getAttribute('aria-valuenow')).toBe('131071')
  })
})
