import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Download, Page } from 'playwright-core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES, type Window } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')

/** The cell of the selected row in the column of this title. */
async function cellOf(page: Page, title: RegExp): Promise<string> {
  const titles = await page.getByRole('columnheader').allInnerTexts()
  const at = titles.findIndex((each) => title.test(each))
  return (await page.getByRole('row', { selected: true }).locator('td').allInnerTexts())[at] ?? ''
}

describePage('marks in the table', (tests) => {
  let window: Window

  beforeEach(async () => {
    window = await tests.open()
  })
  afterEach(async () => {
    expect(window.errors).toEqual([])
    await window.close()
  })

  // It is shown for three seconds, which a busy machine may spend elsewhere; said it was all the same.
  const said = (page: Page, text: string | RegExp) =>
    page.locator('.notice', { hasText: text }).waitFor({ state: 'attached' })

  test('a note that was typed is still there once its dialog was closed by mistake, and not once it is kept', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    await page.locator('.rollout-row').first().waitFor()
    const dialog = page.getByRole('dialog', { name: /^Notes of rollout/ })
    const field = dialog.getByRole('textbox', { name: 'Note' })
    await page.keyboard.press('N')
    await field.fill('half a thought')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('j')
    await page.keyboard.press('N')
    await expect.poll(() => field.inputValue()).toBe('')
    await page.keyboard.press('Escape')
    await page.keyboard.press('k')
    await page.keyboard.press('N')
    await dialog.getByText('This was typed before and not kept yet.').waitFor()
    await expect.poll(() => field.inputValue()).toBe('half a thought')
    await field.fill('x'.repeat(20_000))
    await dialog.getByRole('alert').filter({ hasText: '20,000 characters at most' }).waitFor()
    await page.keyboard.press('Control+Enter')
    await said(page, /^Note on rollout .* kept$/)
    await page.keyboard.press('N')
    await expect.poll(() => field.inputValue()).toBe('')
    await page.keyboard.press('Escape')
  })

  test('a key does nothing to a rollout that the query left out: it is about the first of those listed', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    await page.locator('.rollout-row').first().waitFor()
    const ids = page.locator('.rollout-row td:nth-child(3)')
    const hidden = (await ids.first().innerText()).trim()
    await page.keyboard.press('Enter')
    await page.locator('.tokens .token').first().waitFor()
    await page.keyboard.press('f')
    await said(page, `Rollout ${hidden} flagged`)
    await page.keyboard.press('Escape')
    await page.locator('.rollout-row').first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('-flag')
    await page.keyboard.press('Enter')
    await page.getByText(/^\d+ of \d+ rollouts listed$/).waitFor()
    await expect.poll(async () => (await ids.first().innerText()).trim()).not.toBe(hidden)
    const first = (await ids.first().innerText()).trim()
    await page.keyboard.press('N')
    await page.getByRole('dialog', { name: `Notes of rollout ${first}` }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('row', { selected: true }).waitFor()
  })

  test('a note that was typed and not kept is there after a reload', async () => {
    const { page } = window
    page.on('dialog', (dialog) => void dialog.accept())
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    await page.locator('.rollout-row').first().waitFor()
    const dialog = page.getByRole('dialog', { name: /^Notes of rollout/ })
    const field = dialog.getByRole('textbox', { name: 'Note' })
    await page.keyboard.press('N')
    await field.pressSequentially('half a thought')
    await page.reload()
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    await page.locator('.rollout-row').first().waitFor()
    await page.keyboard.press('N')
    await dialog.getByText('This was typed before and not kept yet.').waitFor()
    await expect.poll(() => field.inputValue()).toBe('half a thought')
    await page.keyboard.press('Escape')
  })

  test('a note that another window changes meanwhile is not replaced without a word', async () => {
    const { page } = window
    const open = async (of: Page) => {
      await of.keyboard.press('2')
      await of.locator('.rollout-row').first().waitFor()
      await of.keyboard.press('j')
      await of.keyboard.press('N')
      await dialogOf(of).waitFor()
    }
    const dialogOf = (of: Page) => of.getByRole('dialog', { name: /^Notes of rollout/ })
    const fieldOf = (of: Page) => dialogOf(of).getByRole('textbox', { name: 'Note' })
    await window.drop([FAILING])
    await window.read()
    await open(page)
    await fieldOf(page).fill('first')
    await page.keyboard.press('Control+Enter')
    await said(page, /^Note on rollout .* kept$/)
    await page.keyboard.press('N')
    await dialogOf(page).getByRole('button', { name: 'Change' }).click()
    await fieldOf(page).fill('mine')

    const other = await page.context().newPage()
    await other.goto(tests.server.url)
    await other.getByRole('button', { name: /sample/ }).click()
    await other.getByText(/^read [\d,]+ rollouts?$/).waitFor()
    await open(other)
    await dialogOf(other).getByRole('button', { name: 'Change' }).click()
    await fieldOf(other).fill('theirs')
    await other.keyboard.press('Control+Enter')
    await said(other, /changed$/)

    await dialogOf(page).getByRole('alert').getByText('changed in another window', { exact: false }).waitFor()
    await expect.poll(() => dialogOf(page).getByRole('list', { name: 'Notes so far' }).innerText()).toContain('theirs')
    await page.keyboard.press('Control+Enter')
    await page.keyboard.press('Escape')
    await dialogOf(page).waitFor({ state: 'detached' })
    await page.keyboard.press('Control+z')
    await said(page, /^Undone/)
    await page.keyboard.press('N')
    await expect.poll(() => dialogOf(page).getByRole('list', { name: 'Notes so far' }).innerText()).toContain('theirs')
    await page.keyboard.press('Escape')
    await other.close()
  })

  test('all that the table lists is flagged by one key, taken back by another, and taken off again', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    await page.keyboard.press('/')
    await page.keyboard.type('turns>=3')
    await page.keyboard.press('Enter')
    const some = await page.getByRole('list', { name: 'Terms of the query' }).locator('.chip-count').innerText()
    expect(some).toMatch(/^[1-9]\d*$/)
    await page.keyboard.press('Escape')
    await page.keyboard.press('F')
    await said(page, `${some} rollouts flagged`)
    await page.keyboard.press('Control+z')
    await said(page, `Undone: flags of ${some} rollouts`)
    await page.keyboard.press('F')
    await page.keyboard.press('F')
    await said(page, `Flags taken off ${some} rollouts`)
  })

  test('leave codes of findings whole, and how many more there are, in the column that they make narrower', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    await page.locator('.rollout-row').first().waitFor()
    await page.keyboard.press('t')
    await page.getByRole('dialog').locator('input:focus').waitFor()
    await page.keyboard.type('odd end')
    await page.keyboard.press('Enter')
    await said(page, 'labelled “odd end”')
    await page.keyboard.press('Escape')
    await page.keyboard.press('N')
    await page.getByRole('dialog').locator('textarea:focus').waitFor()
    await page.keyboard.type('why is it missing?')
    await page.keyboard.press('Control+Enter')
    await said(page, /^Note on rollout .* kept$/)
    const codes = page.locator('.rollout-row td:has(> span[title*="M15"])')
    await expect.poll(() => codes.filter({ hasText: /\+\d/ }).count()).toBeGreaterThan(5)
    const cut = await codes.evaluateAll((all) =>
      all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent),
    )
    expect(cut).toEqual([])
  })

  test('labels and notes are given by key, survive a reload, and are undone', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('t')
    const labels = page.getByRole('dialog', { name: /^Labels of rollout/ })
    await labels.locator('input:focus').waitFor()
    await page.keyboard.type('end of turn')
    await page.keyboard.press('Enter')
    await said(page, 'labelled “end of turn”')
    await page.keyboard.type('keep')
    await page.keyboard.press('Enter')
    await said(page, 'labelled “keep”')
    expect(await labels.getByRole('option', { selected: true }).allInnerTexts()).toHaveLength(2)
    await page.keyboard.press('Escape')
    await page.keyboard.press('N')
    await page
      .getByRole('dialog', { name: /^Notes of rollout/ })
      .locator('textarea:focus')
      .waitFor()
    await page.keyboard.type('the newline is missing here')
    await page.keyboard.press('Control+Enter')
    await said(page, /^Note on rollout .* kept$/)
    expect(await cellOf(page, /^labels/)).toMatch(/end of turn\s*keep/)
    expect(await cellOf(page, /^note/)).toContain('the newline is missing here')

    const address = page.url()
    await page.goto('about:blank')
    await page.goto(address)
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await expect.poll(() => cellOf(page, /^labels/)).toMatch(/end of turn\s*keep/)
    expect(await cellOf(page, /^note/)).toContain('the newline is missing here')

    // What an earlier window did it cannot take back; what this one does it can.
    await page.keyboard.press('Control+z')
    await said(page, 'There is nothing to undo')
    await page.keyboard.press('t')
    await page.keyboard.type('keep')
    await page.keyboard.press('Enter')
    await said(page, 'Label “keep” taken off')
    await page.keyboard.press('Escape')
    await page.keyboard.press('f')
    await page.getByRole('button', { name: '1 flagged' }).first().waitFor()
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    await expect.poll(() => cellOf(page, /^labels/)).toMatch(/end of turn\s*keep/)
    expect(await page.getByRole('button', { name: '0 flagged' }).first().isDisabled()).toBe(true)
    await page.keyboard.press('Control+Shift+Z')
    await expect.poll(() => cellOf(page, /^labels/)).toBe('end of turn')
  })

  test('tokens are marked by mouse: one is clicked, and another with Shift', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    for (const key of ['j', 'Enter']) await page.keyboard.press(key)
    await page.locator('.tokens .token.selected').waitFor()
    const token = (at: number) => page.locator(`.tokens .token[data-token="${at}"]`).first()
    await token(120).click()
    await token(114).click({ modifiers: ['Shift'] })
    await expect.poll(() => page.url()).toContain('tokens=114-121')
    expect(await page.evaluate('String(getSelection())')).toBe('')
    await page.keyboard.press('N')
    const dialog = page.getByRole('dialog', { name: /^Notes of rollout/ })
    await expect.poll(() => dialog.getByRole('textbox', { name: 'First token' }).inputValue()).toBe('114')
    await expect.poll(() => dialog.getByRole('textbox', { name: 'Last token' }).inputValue()).toBe('120')
    await page.keyboard.press('Escape')
  })

  test('tokens are marked by dragging, in either direction and on beyond the edge, and no text is selected', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    for (const key of ['j', 'Enter']) await page.keyboard.press(key)
    await page.locator('.tokens .token.selected').waitFor()
    const centre = async (at: number) => {
      const box = await page.locator(`.tokens .token[data-token="${at}"]`).first().boundingBox()
      if (box === null) throw new Error(`token ${at} is not drawn`)
      return [box.x + box.width / 2, box.y + box.height / 2] as const
    }
    const drag = async (from: number, ...to: number[]) => {
      await page.mouse.move(...(await centre(from)))
      await page.mouse.down()
      for (const at of to) await page.mouse.move(...(await centre(at)), { steps: 3 })
    }
    await drag(114, 116, 120)
    await page.mouse.up()
    await expect.poll(() => page.url()).toContain('tokens=114-121')
    expect(await page.evaluate('String(getSelection())')).toBe('')
    expect(await page.locator('.tokens .token.in-range').count()).toBeGreaterThan(1)
    // Where it is let go is no click that would end the marking.
    await drag(120, 118)
    await page.mouse.up()
    await expect.poll(() => page.url()).toContain('tokens=118-121')

    const copied = page.evaluate(`new Promise((heard) =>
      addEventListener('copy', (event) => heard(event.clipboardData.getData('text/plain')), { once: true }))`)
    await page.keyboard.press('Control+c')
    const text = await page.locator('.tokens .token.in-range').allInnerTexts()
    expect(((await copied) as string).replace(/\s/g, '')).toBe(text.join('').replace(/[\s⏎]/g, ''))

    await drag(118)
    const area = await page.locator('.tokens').boundingBox()
    if (area === null) throw new Error('no tokens are drawn')
    await page.mouse.move(area.x + 200, area.y + area.height + 40, { steps: 3 })
    const lastMarked = () => Number(/tokens=118-(\d+)/.exec(page.url())?.[1])
    const inView = await page.locator('.tokens').evaluate((scroller) => scroller.scrollTop)
    await expect
      .poll(() => page.locator('.tokens').evaluate((scroller) => scroller.scrollTop))
      .toBeGreaterThan(inView + 200)
    await page.mouse.up()
    await expect.poll(lastMarked).toBeGreaterThan(200)
  })

  test('a note on marked tokens is shown at them, and leads back to them', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    for (const key of ['j', 'Enter']) await page.keyboard.press(key)
    await page.locator('.tokens .token.selected').waitFor()
    await page.keyboard.press(']')
    await page.locator('.tokens .token.in-range').first().waitFor()
    const range = /tokens=(\d+)-(\d+)/.exec(page.url())
    const [first, end] = [Number(range?.[1]), Number(range?.[2])]
    await page.keyboard.press('N')
    const dialog = page.getByRole('dialog', { name: /^Notes of rollout/ })
    await expect.poll(() => dialog.getByRole('textbox', { name: 'First token' }).inputValue()).toBe(String(first))
    await expect.poll(() => dialog.getByRole('textbox', { name: 'Last token' }).inputValue()).toBe(String(end - 1))
    await dialog.getByRole('textbox', { name: 'Last token' }).fill('999999')
    await dialog
      .getByRole('alert')
      .getByText(/^This rollout has tokens 0 to 8\d\d/)
      .waitFor()
    expect(await dialog.getByRole('button', { name: 'Keep the note' }).isDisabled()).toBe(true)
    await dialog.getByRole('textbox', { name: 'Last token' }).fill(String(first + 2))
    await dialog.getByRole('textbox', { name: 'Note' }).fill('why is this here?')
    await page.keyboard.press('Control+Enter')
    await said(page, /^Note on rollout .* kept$/)
    const noted = page.locator('.tokens .token.noted')
    await noted.first().waitFor()
    const tokens = await noted.evaluateAll((all) => [
      ...new Set(all.map((each) => (each as HTMLElement).dataset.token)),
    ])
    expect(tokens).toEqual([String(first), String(first + 1), String(first + 2)])
    const marks = page.getByRole('region', { name: 'Labels and notes' })
    await expect.poll(() => marks.innerText()).toContain('why is this here?')
    await page.keyboard.press('m')
    await page.locator('.message').first().waitFor()
    await marks.getByRole('button', { name: /^tokens/ }).click()
    await page.locator('.tokens .token.selected').waitFor()
    expect(page.url()).toContain(`tokens=${first}-${first + 3}`)
    await page.keyboard.press('Control+z')
    await marks.waitFor({ state: 'detached' })
    expect(await noted.count()).toBe(0)
  })

  test('another window sees a mark at once', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    await page.keyboard.press('j')
    const other = await page.context().newPage()
    await other.goto(tests.server.url)
    await other.getByRole('button', { name: /sample/ }).click()
    await other.getByText(/^read [\d,]+ rollouts?$/).waitFor()
    await other.keyboard.press('2')
    await other.keyboard.press('j')
    await page.keyboard.press('f')
    await said(page, /flagged$/)
    await other.getByRole('button', { name: '1 flagged' }).first().waitFor()
    await page.keyboard.press('Control+z')
    await other.getByRole('button', { name: '0 flagged' }).first().waitFor()
    await other.close()
  })

  test('marks are exported and taken in again, as one step', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    for (const key of ['j', 'f', 'j', 'f']) await page.keyboard.press(key)
    await page.getByRole('button', { name: '2 flagged' }).first().waitFor()
    const download = page.waitForEvent('download')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('export marks of this dump')
    await page.keyboard.press('Enter')
    const file: Download = await download
    expect(file.suggestedFilename()).toBe('marks.json')
    const path = await file.path()
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ format: 'rollout-inspector.marks/1' })
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    await page.getByRole('button', { name: '0 flagged' }).first().waitFor()
    const chooser = page.waitForEvent('filechooser')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('import marks')
    await page.keyboard.press('Enter')
    await (await chooser).setFiles(path)
    await page.getByRole('button', { name: '2 flagged' }).first().waitFor()
    await page.keyboard.press('Control+z')
    await page.getByRole('button', { name: '0 flagged' }).first().waitFor()
  })
})
