import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Download, Page } from 'playwright-core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { helloWorld } from './hello-world.ts'
import { SAMPLES, type Window } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')
describePage('the query line', (tests) => {
  const { folder } = tests
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
  const line = () => page.getByRole('combobox', { name: 'Query' })

  test('finds the end-of-turn fault and exports its rollouts, by key alone', async () => {
    const records = Array.from({ length: 40 }, (_, index) => helloWorld(index, index % 5 !== 0))
    await window.drop([folder.write('ends.jsonl', records.map((record) => JSON.stringify(record)).join('\n'))])
    await window.read()
    await page.keyboard.press('2')
    await page.keyboard.press('/')
    await page.keyboard.type('find')
    await page.getByRole('option', { name: /^finding / }).waitFor()
    await page.getByText('Tab takes the first · ↓ chooses one').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.getByText('Tab or Enter takes the chosen one').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: /^M10/ }).waitFor()
    await page.keyboard.type('M10 reward>=1')
    await page.keyboard.press('Enter')
    await listed('4 of 40 rollouts listed')
    const terms = page.getByRole('list', { name: 'Terms of the query' })
    await expect
      .poll(() => terms.getByRole('button').allInnerTexts())
      .toEqual([expect.stringMatching(/finding:M10\s+8/), expect.stringMatching(/reward>=1\s+20/)])
    await page.getByText('Rollouts where there is a finding of M10 and reward is at least 1.').waitFor()
    expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('grid')
    const downloads: Download[] = []
    page.on('download', (download) => downloads.push(download))
    await page.keyboard.press('E')
    await page.getByRole('button', { name: 'Export 4 rollouts', exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => downloads.length).toBeGreaterThanOrEqual(2)
    const file = downloads.find((download) => download.suggestedFilename().endsWith('.jsonl')) as Download
    const ids = readFileSync(await file.path(), 'utf8')
      .trimEnd()
      .split('\n')
    expect(ids.map((text) => JSON.parse(text).id)).toEqual(['r5', 'r15', 'r25', 'r35'])
    const manifest = downloads.find((download) => download.suggestedFilename().endsWith('.json')) as Download
    expect(readFileSync(await manifest.path(), 'utf8')).toContain('finding:M10 reward>=1')
  })

  test('says what is wrong under the column, and asks nothing until it can be read', async () => {
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    await page.keyboard.press('Control+f')
    await page.keyboard.type('reward>0.8 ')
    await listed('34 of 96 rollouts listed')
    await page.getByText('Rollouts where reward is above 0.8.').waitFor()
    const top = () =>
      page.getByRole('grid', { name: 'Rollouts' }).evaluate((element) => element.getBoundingClientRect().top)
    const before = await top()
    await page.keyboard.type('rewrd<1')
    const problem = page.getByRole('alert').filter({ hasText: 'There is no field' })
    await problem.waitFor()
    await expect.poll(() => problem.innerText()).toContain('Did you mean reward?')
    // Rows stay where they are read.
    expect(await top()).toBe(before)
    expect(await line().getAttribute('aria-invalid')).toBe('true')
    const caret = page.locator('.query-caret')
    const [under, whole] = await Promise.all([
      caret.locator('span').evaluate((element) => element.getBoundingClientRect().width),
      line().evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize)),
    ])
    // Eleven letters of a fixed width stand before the caret.
    expect(under / 11 / whole).toBeGreaterThan(0.5)
    await listed('34 of 96 rollouts listed')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await expect.poll(() => line().inputValue()).toBe('reward>0.8')
    await expect.poll(() => problem.count()).toBe(0)
  })

  test('says what a field lacks that is not finished, and searches for it as a text once that is wanted', async () => {
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    await page.keyboard.press('/')
    await page.keyboard.type('trained_t')
    await page.getByRole('option', { name: /^trained_tokens / }).waitFor()
    await page.keyboard.press('Enter')
    await page
      .getByRole('alert')
      .getByText(/may be the beginning of trained_tokens, which needs a value, as in trained_tokens:0/)
      .waitFor()
    // The list of completions would cover it, and the word is not looked for while it is asked about.
    expect(await page.getByRole('listbox', { name: 'Completions' }).isVisible()).toBe(false)
    // A timer of the page behind that of the line, which would have gone off by then however slow the machine is.
    await page.evaluate(() => new Promise((done) => setTimeout(done, 300)))
    await listed('96 of 96 rollouts listed')
    expect(await line().evaluate((input) => input === document.activeElement)).toBe(true)
    await page.keyboard.type('okens')
    await page.getByRole('alert').getByText('it needs a value', { exact: false }).waitFor()
    await line().fill('trained_t')
    await page.getByRole('option', { name: /^trained_tokens / }).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await listed('0 of 96 rollouts listed')
  })

  test('stands in the address, and what was asked is offered again', async () => {
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    await page.keyboard.press('/')
    await page.keyboard.type('group:q601 reward>0.8')
    await page.keyboard.press('Enter')
    await listed('2 of 96 rollouts listed')
    const address = page.url()
    expect(decodeURIComponent(address)).toContain('q=group:q601+reward>0.8')
    await page.goto('about:blank')
    await page.goto(address)
    await window.drop([FAILING])
    await window.read()
    await listed('2 of 96 rollouts listed')
    await expect.poll(() => line().inputValue()).toBe('group:q601 reward>0.8')

    const terms = page.getByRole('list', { name: 'Terms of the query' })
    await terms.getByRole('button', { name: /^reward/ }).click()
    await listed('8 of 96 rollouts listed')
    await page.getByRole('button', { name: 'Clear the query' }).click()
    await listed('96 of 96 rollouts listed')
    await page.keyboard.press('ArrowDown')
    await page.getByRole('option', { name: /group:q601 reward>0\.8 asked before/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await listed('2 of 96 rollouts listed')
  })

  test('completes the field that is being written by Tab, which leaves the line where nothing is', async () => {
    await window.drop([folder.write('tab.jsonl', JSON.stringify(helloWorld(0, true)))])
    await window.read()
    await page.keyboard.press('2')
    await page.keyboard.press('/')
    await page.keyboard.type('reward>=0 finishing')
    await page.keyboard.press('Tab')
    await expect.poll(() => line().inputValue()).toBe('reward>=0 finishing')
    await line().fill('')
    await page.keyboard.type('trained_t')
    await page.getByRole('option', { name: /^trained_tokens / }).waitFor()
    await page.keyboard.press('Tab')
    await expect.poll(() => line().inputValue()).toMatch(/^trained_tokens/)
    expect(await line().evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true)
  })

  test('looks into rollouts, counts what it finds, and opens a rollout at it', async () => {
    const records = Array.from({ length: 6 }, (_, index) => helloWorld(index, true))
    await window.drop([folder.write('texts.jsonl', records.map((record) => JSON.stringify(record)).join('\n'))])
    await window.read()
    await page.keyboard.press('2')
    await page.keyboard.press('/')
    await page.keyboard.type('part:assistant "Hello world" reward:1')
    await page.keyboard.press('Enter')
    await listed('3 of 6 rollouts listed')
    await page.getByRole('columnheader', { name: 'hits' }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('.tokens .token.selected').waitFor()
    await expect.poll(() => page.locator('.tokens .token.selected').innerText()).toBe('Hello')
    await expect.poll(() => page.locator('.tokens .token.in-range').count()).toBe(2)
    expect(page.url()).toMatch(/tokens=9-11/)
  })

  test('asks for what a person marked, as it changes', async () => {
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    for (const key of ['j', 'f', 'j', 'j', 'f']) await page.keyboard.press(key)
    await page.getByRole('button', { name: '2 flagged' }).first().waitFor()
    await page.getByRole('button', { name: /^⚑ flagged/ }).click()
    await listed('2 of 96 rollouts listed')
    await expect.poll(() => line().inputValue()).toBe('flag')
    await page.keyboard.press('Control+z')
    await listed('1 of 96 rollouts listed')
    await page
      .getByRole('button', { name: /^T04/ })
      .or(page.getByRole('button', { name: /T04/ }))
      .first()
      .click()
    await expect.poll(() => line().inputValue()).toBe('flag finding:T04')
  })

  test('a view keeps query, columns and order, is in the palette, and is there after a reload', async () => {
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    await page.keyboard.press('/')
    await page.keyboard.type('end:cut')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'tokens', exact: true }).click()
    await page.keyboard.press('c')
    const columns = page.getByRole('dialog', { name: 'Columns' })
    await columns.getByRole('checkbox', { name: /^advantage/ }).uncheck()
    await columns.getByRole('checkbox', { name: /^retrieval_recall/ }).check()
    const moved = columns.getByRole('checkbox', { name: /^retrieval_recall/ })
    await moved.focus()
    for (let k = 0; k < 30; k++) await page.keyboard.press('Alt+ArrowUp')
    await page.keyboard.press('Escape')
    const heads = () => page.getByRole('columnheader').allInnerTexts()
    await expect.poll(heads).not.toContain('advantage')
    expect((await heads())[0]).toBe('retrieval_recall')
    const first = await page.getByRole('row').nth(1).innerText()

    await page.keyboard.press('v')
    await page.keyboard.type('Cut rollouts')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /^Cut rollouts/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('c')
    await columns.getByRole('button', { name: 'Back to the standard columns' }).click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('x')
    await listed('96 of 96 rollouts listed')
    expect((await heads())[0]).toMatch(/^#/)

    await page.goto('about:blank')
    await page.goto(tests.server.url)
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('cut rollouts')
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await heads())[0]).toBe('retrieval_recall')
    await expect.poll(() => line().inputValue()).toBe('end:cut')
    await expect.poll(() => page.getByRole('row').nth(1).innerText()).toBe(first)
  })

  test('a long list is walked by page, to its end and back, with few elements', async () => {
    const records = Array.from({ length: 3000 }, (_, index) => helloWorld(index, true))
    await window.drop([folder.write('many.jsonl', records.map((record) => JSON.stringify(record)).join('\n'))])
    await window.read()
    await page.keyboard.press('2')
    const selected = page.getByRole('row', { selected: true })
    await page.keyboard.press('j')
    await page.keyboard.press('PageDown')
    const at = Number(await selected.getAttribute('aria-rowindex'))
    expect(at).toBeGreaterThan(10)
    expect(at).toBeLessThan(60)
    await page.keyboard.press('End')
    await expect.poll(() => selected.innerText()).toMatch(/^2,999\s/)
    expect(await page.getByRole('row').count()).toBeLessThan(80)
    const box = await selected.boundingBox()
    expect(box?.y).toBeLessThan(870)
    await page.getByRole('button', { name: 'reward', exact: true }).click()
    await expect.poll(() => page.getByRole('row').nth(1).innerText()).toMatch(/^1\s/)
    await page.keyboard.press('g')
    await expect.poll(() => selected.innerText()).toMatch(/^2,999\s/)
    await page.keyboard.press('g')
    await page.keyboard.press('Home')
    await expect.poll(() => selected.innerText()).toMatch(/^0\s/)
    await page.mouse.move(700, 500)
    await page.mouse.wheel(0, 30_000)
    await expect.poll(() => page.getByRole('row').nth(1).innerText()).toMatch(/^99\d\s/)
  })

  test('a list whose window grew at its end goes on from there once a key was pressed', async () => {
    const records = Array.from({ length: 300 }, (_, index) => helloWorld(index, true))
    await window.drop([folder.write('grown.jsonl', records.map((record) => JSON.stringify(record)).join('\n'))])
    await window.read()
    const { width, height } = page.viewportSize() as { width: number; height: number }
    await page.setViewportSize({ width, height: height - 240 })
    await page.keyboard.press('2')
    await page.keyboard.press('j')
    await page.keyboard.press('End')
    const scroller = page.locator('.rollout-scroller')
    const selected = page.getByRole('row', { selected: true })
    await expect.poll(() => selected.innerText()).toMatch(/^299\s/)
    const top = () => scroller.evaluate((element) => element.scrollTop)
    const low = await top()
    await page.setViewportSize({ width, height })
    await expect.poll(top).toBe(low - 240)
    const grown = await scroller.evaluate((element) => Math.ceil(element.scrollTop / 30) + 1)
    while (!new RegExp(`^${grown}\\s`).test(await selected.innerText())) await page.keyboard.press('k')
    await page.setViewportSize({ width, height: height - 240 })
    await expect.poll(() => scroller.evaluate((element) => element.clientHeight)).toBeLessThan(height - 240)
    // Two frames later the list has measured its window.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    expect(await top()).toBe(low - 240)
    await selected.waitFor()
  })

  test('a bar that is dragged along says where it is, and its rows are there once it rests', async () => {
    const records = Array.from({ length: 3000 }, (_, index) => helloWorld(index, true))
    await window.drop([folder.write('dragged.jsonl', records.map((record) => JSON.stringify(record)).join('\n'))])
    await window.read()
    await page.keyboard.press('2')
    await page.locator('.rollout-table .row-open').first().waitFor()
    await page.keyboard.press('j')
    await page.locator('.rollout-table[aria-activedescendant]').waitFor()
    // To and fro in each frame, until the page says that it is where the selected row would be. The table names no row that is not there.
    const [said, named, isSheetHidden] = await page.evaluate(
      () =>
        new Promise<[string, string | null | undefined, boolean]>((done) => {
          const scroller = document.querySelector('.rollout-scroller') as HTMLElement
          const leap = (to: number, next: number) => {
            const place = document.querySelector<HTMLElement>('.flight-place')
            if (place?.innerText.startsWith('row 1 of')) {
              const row = document.querySelector('.rollout-table')?.getAttribute('aria-activedescendant')
              return done([place.innerText, row, document.querySelector('[aria-hidden] > .rollout-cell') !== null])
            }
            scroller.scrollTop = to
            requestAnimationFrame(() => leap(next, to))
          }
          leap(0, 60_000)
        }),
    )
    expect([named, isSheetHidden]).toEqual([null, true])
    expect(said).toBe('row 1 of 3,000')
    await page.locator('.flight-place').waitFor({ state: 'detached' })
    const top = await page.locator('.rollout-scroller').evaluate((scroller) => scroller.scrollTop)
    const row = page.locator(`.rollout-table [aria-rowindex="${Math.round(top / 30) + 5}"]`)
    await expect
      .poll(() => row.innerText())
      .toMatch(new RegExp(`^${(Math.round(top / 30) + 3).toLocaleString('en-US')}\\s`))
  })
})
