import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describePage } from '../browser/describe-page.ts'
import { giveRoom, SAMPLES } from '../browser/inspector-page.ts'

/** Enough for an empty database and some notes. In bytes. */
const ROOM = 400_000
const SAMPLE = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')

describePage('storage that fails', (tests) => {
  const flagged = (page: Page, count: number) =>
    page
      .getByRole('button', { name: `${count} flagged` })
      .first()
      .waitFor()

  async function openTable(room?: number) {
    const prepare = async (page: Page) => (room === undefined ? undefined : giveRoom(page, tests.server.url, room))
    const window = await tests.open({}, prepare)
    await window.drop([SAMPLE])
    await window.read()
    await window.page.keyboard.press('2')
    await window.page.locator('.row-open').first().waitFor()
    return window
  }

  test('a full one keeps what it has, takes no mark without saying so, and takes them again once there is room', {
    timeout: 180_000,
  }, async () => {
    // Known before the page is there: later the browser goes for half a minute by the room that it found first.
    const window = await openTable(ROOM)
    const { page } = window
    await page.keyboard.press('j')
    await page.keyboard.press('f')
    const said = page.locator('.notice')
    await said.filter({ hasText: /flagged$/ }).waitFor({ state: 'attached' })
    const refused = page.getByText(
      /^Marks could not be saved: the storage of this browser is full\..*export them to keep them/,
    )
    const notes: string[] = []
    while (!(await refused.isVisible())) {
      // Nothing that could be packed smaller than it is.
      notes.push(`${notes.length}.note ${randomBytes(11_000).toString('base64')}`)
      await said.evaluate((notice) => notice.setAttribute('data-seen', ''))
      await page.keyboard.press('N')
      await page
        .getByRole('dialog')
        .getByRole('textbox', { name: 'Note' })
        .fill(notes.at(-1) as string)
      await page.keyboard.press('Control+Enter')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      await page.locator('.notice:not([data-seen])').or(refused).first().waitFor({ state: 'attached' })
    }
    // What could not be kept is on screen, and goes into a file.
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      (async () => {
        await page.keyboard.press('Control+k')
        await page.keyboard.type('export marks of this dump')
        await page.keyboard.press('Enter')
      })(),
    ])
    // Compared as a truth: the text is long.
    expect(readFileSync(await download.path(), 'utf8').includes(notes.at(-1) as string)).toBe(true)
    // Who goes all the same is asked first; who stays has everything still.
    const asked = page.waitForEvent('dialog')
    await page.close({ runBeforeUnload: true })
    const question = await asked
    expect(question.type()).toBe('beforeunload')
    await question.dismiss()
    await expect.poll(() => refused.first().isVisible()).toBe(true)
    await giveRoom(page, page.url())
    await page.keyboard.press('j')
    await said.evaluateAll((notices) => {
      for (const notice of notices) notice.setAttribute('data-seen', '')
    })
    await page.keyboard.press('f')
    await flagged(page, 2)
    // Everything is kept again once that is said: nothing is asked.
    await page
      .locator('.notice:not([data-seen])')
      .filter({ hasText: /flagged$/ })
      .waitFor({ state: 'attached' })
    const questions: string[] = []
    page.on('dialog', (dialog) => {
      questions.push(dialog.type())
      void dialog.accept()
    })
    await page.reload()
    expect(questions).toEqual([])
    await window.drop([SAMPLE])
    await window.read()
    await page.keyboard.press('2')
    await flagged(page, 2)
    // With the room came what was refused for want of it.
    await page.keyboard.press('/')
    await page.keyboard.insertText(`note:"${notes.length - 1}.note "`)
    await page.keyboard.press('Enter')
    await page.getByText(/^1 of \d+ rollouts listed$/).waitFor()
    await window.close()
  })

  test('one that takes everything has what was done in the last moment, unasked', async () => {
    const window = await tests.open()
    const { page } = window
    const questions: string[] = []
    page.on('dialog', (dialog) => {
      questions.push(dialog.type())
      void dialog.accept()
    })
    await page.keyboard.press('6')
    await page.locator('[data-card="H02"]').focus()
    await page.keyboard.press('ArrowDown')
    // In one go, so that nothing is stored between the change and the leaving.
    await page.evaluate(() => {
      const move = { key: 'ArrowRight', shiftKey: true, bubbles: true, cancelable: true }
      document.querySelector('[data-card="H02"]')?.dispatchEvent(new KeyboardEvent('keydown', move))
      location.reload()
    })
    await page.getByRole('region', { name: /^Testing, 1/ }).waitFor()
    await page.getByText(/^Saved /).waitFor()
    await page.reload()
    await page.getByRole('region', { name: /^Testing, 1/ }).waitFor()
    expect(questions).toEqual([])
    await window.close()
  })

  test('one that takes nothing in the last moment has whoever leaves in it asked', async () => {
    const window = await tests.open()
    const { page } = window
    await page.addInitScript("Storage.prototype.setItem = () => { throw new DOMException('no', 'QuotaExceededError') }")
    await page.reload()
    const questions: string[] = []
    page.on('dialog', (dialog) => {
      questions.push(dialog.type())
      void dialog.dismiss()
    })
    await page.getByRole('button', { name: 'Open the notebook' }).click()
    await page.locator('[data-card="H02"]').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Write: Results' }).click()
    await page.keyboard.type('typed')
    await page.close({ runBeforeUnload: true })
    await expect.poll(() => questions).toEqual(['beforeunload'])
    // Who stays has it stored.
    await page.locator('.notebook-kept', { hasText: /^Saved / }).waitFor()
    await page.close({ runBeforeUnload: true })
    await expect.poll(() => page.isClosed()).toBe(true)
    expect(questions).toHaveLength(1)
    await window.close()
  })

  test('a note that is typed and not kept has whoever leaves asked', async () => {
    const window = await openTable()
    const { page } = window
    const questions: string[] = []
    page.on('dialog', (dialog) => {
      questions.push(dialog.type())
      void dialog.dismiss()
    })
    await page.keyboard.press('j')
    await page.keyboard.press('N')
    const note = page.getByRole('dialog').getByRole('textbox', { name: 'Note' })
    await note.fill('half a tho')
    await page.close({ runBeforeUnload: true })
    await expect.poll(() => questions).toEqual(['beforeunload'])
    await expect.poll(() => note.inputValue()).toBe('half a tho')
    await page.keyboard.press('Control+Enter')
    await page.locator('.notice', { hasText: /^Note on rollout .* kept$/ }).waitFor({ state: 'attached' })
    await page.close({ runBeforeUnload: true })
    await expect.poll(() => page.isClosed()).toBe(true)
    expect(questions).toHaveLength(1)
    await window.close()
  })

  test('one that is being written to has whoever leaves asked', async () => {
    const window = await openTable()
    const { page } = window
    const questions: string[] = []
    page.on('dialog', (dialog) => {
      questions.push(dialog.type())
      void dialog.dismiss()
    })
    await page.keyboard.press('j')
    await page.evaluate(() => {
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'f', bubbles: true, cancelable: true }))
      location.reload()
    })
    await expect.poll(() => questions).toEqual(['beforeunload'])
    await flagged(page, 1)
    // A mark is on screen before it is stored.
    const mayLeave = () => page.evaluate(() => dispatchEvent(new Event('beforeunload', { cancelable: true })))
    await expect.poll(mayLeave).toBe(true)
    await page.reload()
    expect(questions).toHaveLength(1)
    await window.close()
  })

  test('one whose second copy cannot be read says so, and keeps what is marked', async () => {
    const window = await tests.open()
    const { page } = window
    await page.addInitScript(
      "Object.getPrototypeOf(navigator.storageBuckets).open = () => Promise.reject(new DOMException('the bucket is damaged', 'UnknownError'))",
    )
    // As after the browser has emptied what is kept: nothing says that anything was made here.
    await page.addInitScript("indexedDB.deleteDatabase('rollout-inspector')")
    const told = page.getByText(
      /^The browser’s second copy of your flags, .* cannot be read: the browser refused \(the bucket is damaged\)\. .*export your marks and save the notebook/,
    )
    await page.reload()
    await told.waitFor()
    await window.drop([SAMPLE])
    await window.read()
    await page.keyboard.press('2')
    await page.keyboard.press('j')
    await page.keyboard.press('f')
    await flagged(page, 1)
    await window.close()
    // Who never had anything cut off is told nothing.
    const other = await tests.open()
    await other.page.getByRole('button', { name: 'Open the notebook' }).click()
    await other.page.locator('[data-card]').first().waitFor()
    expect(await other.page.getByText(/second copy/).count()).toBe(0)
    await other.close()
  })

  test.each([
    ['is missing', "Object.defineProperty(globalThis, 'indexedDB', { value: undefined })"],
    [
      'refuses',
      "IDBFactory.prototype.open = () => { throw new DOMException('The user denied permission to access the database.', 'SecurityError') }",
    ],
    [
      'breaks',
      "IDBFactory.prototype.open = () => { const request = new EventTarget(); setTimeout(() => { request.error = new DOMException('Internal error opening backing store.', 'UnknownError'); request.onerror?.({ preventDefault() {}, stopPropagation() {}, target: request, type: 'error' }) }); return request }",
    ],
  ])('one that %s is said, and marks and the notebook last until the window is closed', async (_name, script) => {
    const window = await tests.open()
    const { page } = window
    await page.addInitScript(script)
    await page.reload()
    await page.getByText(/^Flags, labels and notes cannot be kept in this window/).waitFor()
    await window.drop([SAMPLE])
    await window.read()
    await page.keyboard.press('2')
    await page.keyboard.press('j')
    await page.keyboard.press('f')
    await page.getByText(/^Marks could not be saved: .* They last until this window is closed/).waitFor()
    await flagged(page, 1)
    await page.keyboard.press('6')
    await page.getByText(/This window may not keep anything.*Save it as a file/).waitFor()
    await page.locator('[data-card="H02"]').focus()
    await page.keyboard.press('Shift+ArrowRight')
    await page.getByRole('region', { name: /^Testing, 1/ }).waitFor()
    await page.getByText('Not saved').waitFor()
    await window.close()
  })
})
