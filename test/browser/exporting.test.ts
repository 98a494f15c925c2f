import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, unzipSync } from 'fflate'
import type { Download, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { violations } from './axe.ts'
import { describePage } from './describe-page.ts'
import { HOLDING } from './hold-answers.ts'
import { SAMPLES } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

/** Keeps what the page downloads. */
function downloadsOf(page: Page) {
  const all: Download[] = []
  page.on('download', (download) => all.push(download))
  return {
    names: () => all.map((download) => download.suggestedFilename()),
    read: async (at: number) => readFileSync(await (all[at] as Download).path()),
  }
}

/** Stands in for the system's dialog alone: the folder is a real one of the browser's own storage. */
const GIVE_A_FOLDER = `
  window.showDirectoryPicker = async () =>
    (await navigator.storage.getDirectory()).getDirectoryHandle('exports', { create: true })
  window.filesThere = async () => {
    const folder = await window.showDirectoryPicker()
    const files = {}
    for await (const [name, handle] of folder.entries()) files[name] = await (await handle.getFile()).text()
    return files
  }`

describePage('the report', (tests) => {
  test('is found in the palette and saved as a page and as Markdown', async () => {
    const window = await tests.openWith([FAILING])
    const { page } = window
    const downloads = downloadsOf(page)
    for (const [at, title] of ['Save the report as a page (HTML)', 'Save the report as Markdown'].entries()) {
      await page.keyboard.press('Control+k')
      await page.keyboard.type('save report')
      await page.getByRole('dialog').getByText(title).click()
      await expect.poll(() => downloads.names().length).toBe(at + 1)
    }
    expect(downloads.names()).toEqual(['report.html', 'report.md'])
    expect(textOf(await downloads.read(0))).toContain('default-src')
    expect(textOf(await downloads.read(1))).toMatch(/^# Rollout Inspector report\n/)
    expect(window.errors).toEqual([])
    await window.close()
  })
})

describePage('the dialog for exports', (tests) => {
  test('counts a flag that the key before it left, and while it is open one that another window leaves', async () => {
    const window = await tests.open()
    const { page } = window
    await page.getByRole('button', { name: /sample/ }).click()
    await window.read()
    await page.keyboard.press('2')
    await page.locator('.rollout-row').first().waitFor()
    await page.keyboard.press('j')
    // The second key is the very next task of the page: storage has not answered the first.
    await page.evaluate(`(async () => {
      for (const key of ['f', 'e']) {
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
        await new Promise((done) => setTimeout(done))
      }
    })()`)
    const dialog = page.getByRole('dialog', { name: 'Export rollouts' })
    const flagged = dialog.getByRole('radio', { name: /^Flagged rollouts/ })
    await dialog.getByText('Flagged rollouts 1', { exact: true }).waitFor()
    expect(await flagged.isChecked()).toBe(true)
    await dialog.getByRole('button', { name: 'Export 1 rollout', exact: true }).waitFor()

    const other = await page.context().newPage()
    await other.goto(tests.server.url)
    await other.getByRole('button', { name: /sample/ }).click()
    await other.getByText(/^read [\d,]+ rollouts?$/).waitFor()
    await other.keyboard.press('2')
    await other.locator('.rollout-row').first().waitFor()
    for (const key of ['j', 'j', 'f']) await other.keyboard.press(key)
    await dialog.getByText('Flagged rollouts 2', { exact: true }).waitFor()
    expect(await flagged.isChecked()).toBe(true)
    await dialog.getByRole('button', { name: 'Export 2 rollouts', exact: true }).waitFor()
    await other.close()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('writes what was chosen by key alone, remembers it, and nothing in it is told by colour or pointer only', async () => {
    const window = await tests.openWith([FAILING])
    const { page } = window
    const downloads = downloadsOf(page)
    await page.keyboard.press('2')
    await page.locator('.rollout-row').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('e')
    const dialog = page.getByRole('dialog', { name: 'Export rollouts' })
    await dialog.waitFor()
    expect(await dialog.getByRole('radio', { name: /^Flagged rollouts/ }).isDisabled()).toBe(true)
    await expect.poll(() => dialog.getByRole('radio', { name: /^As stored/ }).isChecked()).toBe(true)
    expect(await violations(page)).toEqual([])
    // All rollouts is chosen where none is flagged; the selected one stands above it.
    await page.keyboard.press('ArrowUp')
    await dialog.getByRole('button', { name: 'Export 1 rollout', exact: true }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await dialog.getByRole('button', { name: 'Export 1 rollout, masks repaired' }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(downloads.names).toEqual(['verifiers-2025-08-rollouts.zip'])
    const files = unzipSync(await downloads.read(0))
    expect(Object.keys(files)).toEqual(['verifiers-2025-08.native.jsonl', 'manifest.json'])
    expect(JSON.parse(textOf(files['manifest.json'] as Uint8Array))).toMatchObject({ as: 'native', why: 'selected' })
    expect(textOf(files['manifest.json'] as Uint8Array)).toContain('"repaired"')

    await page.reload()
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    await page.keyboard.press('E')
    await dialog.getByRole('button', { name: 'Export 96 rollouts, masks repaired' }).waitFor()
    await expect.poll(() => dialog.getByRole('radio', { name: /^Native JSONL/ }).isChecked()).toBe(true)
    await expect.poll(() => dialog.getByRole('radio', { name: /ZIP/ }).isChecked()).toBe(true)
    await dialog.getByRole('radio', { name: /^CSV tables/ }).check()
    expect(await dialog.getByRole('checkbox').isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('a table of the verdicts is saved by key as what was chosen the last time', async () => {
    const window = await tests.openWith([FAILING])
    const { page } = window
    const downloads = downloadsOf(page)
    await page.getByRole('button', { name: 'Save the turn edges…' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Save the turn edges' })
    await dialog.getByRole('radio', { name: /^CSV/ }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('ArrowDown')
    await dialog.getByRole('button', { name: 'Save as JSON' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('The turn edges exported as turn-edges.json').waitFor()
    await page.getByRole('button', { name: 'Save where the loss falls…' }).click()
    await page.getByRole('button', { name: 'Save as JSON' }).click()
    await page.getByText('Where the loss falls exported as loss.json').waitFor()
    expect(downloads.names()).toEqual(['turn-edges.json', 'loss.json'])
    const [edges, loss] = [JSON.parse(textOf(await downloads.read(0))), JSON.parse(textOf(await downloads.read(1)))]
    expect(edges[0]).toEqual({ edge: 'assistant>tool', edges: 203, header: 1, end: 1, newline: 0, mask: 1 })
    expect(loss).toContainEqual({
      by: 'part',
      name: 'tool_call',
      tokens: 4874,
      tokens_without_mask: 0,
      trained: 3218,
      trained_share: 3218 / 4874,
    })
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('writes into a folder, and replaces nothing there unasked', async () => {
    const window = await tests.open()
    const { page } = window
    await page.evaluate(GIVE_A_FOLDER)
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    const filesThere = () => page.evaluate<Record<string, string>>('window.filesThere()')
    const exportAll = async () => {
      await page.keyboard.press('E')
      await page.getByRole('radio', { name: /^A folder/ }).check()
      await page.keyboard.press('Enter')
    }
    await exportAll()
    await page.getByText('96 rollouts written into exports').waitFor()
    const first = await filesThere()
    const stored = textOf(gunzipSync(readFileSync(FAILING)))
    expect(Object.keys(first).sort()).toEqual(['manifest.json', 'verifiers-2025-08.selected.jsonl'])
    expect(first['verifiers-2025-08.selected.jsonl']).toBe(stored)
    await page.keyboard.press('/')
    await page.keyboard.type('reward>0.8')
    await page.keyboard.press('Enter')
    await page.getByText('34 of 96 rollouts listed').waitFor()
    await exportAll()
    const question = page.getByRole('dialog', { name: 'Replace 2 files in exports?' })
    // Whoever presses Enter without reading changes nothing.
    const leave = question.getByRole('button', { name: 'Leave all as it is' })
    await leave.waitFor()
    await expect.poll(() => leave.evaluate((button) => button === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await question.waitFor({ state: 'hidden' })
    expect(await filesThere()).toEqual(first)
    // Who closes the page over an export is asked, and may stay.
    await exportAll()
    await leave.waitFor()
    const asked = page.waitForEvent('dialog')
    await page.close({ runBeforeUnload: true })
    const leaving = await asked
    expect(leaving.type()).toBe('beforeunload')
    await leaving.dismiss()
    await leave.click()
    await question.waitFor({ state: 'hidden' })
    await exportAll()
    await question.getByRole('button', { name: 'Replace' }).click()
    await page.getByText('34 rollouts written into exports').waitFor()
    const second = await filesThere()
    expect(second['verifiers-2025-08.selected.jsonl']?.trimEnd().split('\n')).toHaveLength(34)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('a folder that cannot be written to, or has no room, is named with what is left of the export, which is nothing', async () => {
    const window = await tests.openWith([FAILING])
    const { page } = window
    await page.keyboard.press('2')
    await page.locator('.rollout-row').first().waitFor()
    const exportInto = async (failing: string) => {
      await page.evaluate(`${GIVE_A_FOLDER}
        window.give ??= window.showDirectoryPicker
        window.showDirectoryPicker = async () => { ${failing} }`)
      await page.keyboard.press('E')
      await page.getByRole('radio', { name: /^A folder/ }).check()
      await page.keyboard.press('Enter')
    }
    const fails = (name: string) => `throw new DOMException('as the browser has it.', '${name}')`
    await exportInto(fails('NotAllowedError'))
    await page
      .getByText(
        'Nothing was written into the folder: the browser may not write there (as the browser has it). Choose another place, or export as downloads.',
      )
      .waitFor()
    await exportInto(`
      const folder = await window.give()
      const own = folder.getFileHandle.bind(folder)
      folder.getFileHandle = async (...all) => {
        const file = await own(...all)
        const open = file.createWritable.bind(file)
        file.createWritable = async () => Object.assign(await open(), { write: async () => { ${fails('QuotaExceededError')} } })
        return file
      }
      return folder`)
    await page.getByText(/^Nothing was written into exports: there is no room left/).waitFor()
    await page.evaluate('window.showDirectoryPicker = window.give')
    expect(await page.evaluate('window.filesThere()')).toEqual({})
    // Who closes the browser's dialog knows that.
    await page.evaluate("document.querySelectorAll('.problems button').forEach((button) => button.click())")
    await exportInto(fails('AbortError'))
    await page.getByRole('dialog', { name: 'Export rollouts' }).waitFor({ state: 'detached' })
    expect(await page.getByText(/^Nothing was written/).count()).toBe(0)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('an export that is stopped leaves nothing, while the table goes on answering', async () => {
    const window = await tests.open({}, async (page) => {
      await page.addInitScript(HOLDING)
    })
    const { page } = window
    await page.evaluate(GIVE_A_FOLDER)
    const record = (at: number) => ({
      id: `r${at}`,
      input_ids: Array.from({ length: 400 }, (_, i) => i + at),
      reward: at % 7,
    })
    const all = Array.from({ length: 5000 }, (_, at) => `${JSON.stringify(record(at))}\n`).join('')
    await window.drop([tests.folder.write('many.jsonl', all)])
    await window.read()
    await page.keyboard.press('2')
    // However fast the export is, it does not end before it is looked at.
    await page.evaluate(`window.hold('export')`)
    await page.keyboard.press('E')
    await page.getByRole('radio', { name: /^Native JSONL/ }).check()
    await page.getByRole('radio', { name: /^A folder/ }).check()
    await page.keyboard.press('Enter')
    await page.getByRole('progressbar', { name: 'Exporting 5,000 rollouts' }).waitFor()
    await page.getByText(/^exporting 5,000 rollouts, [\d,]+ read again$/).waitFor()
    await page.getByRole('button', { name: 'Stop export' }).click()
    await page.getByText('The export was stopped; nothing was saved').waitFor()
    expect(await page.getByRole('progressbar', { name: /^Exporting/ }).count()).toBe(0)
    expect(await page.evaluate('window.filesThere()')).toEqual({})
    await page.keyboard.press('E')
    await page.getByRole('radio', { name: /^A folder/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('progressbar', { name: 'Exporting 5,000 rollouts' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('reward>=6')
    await page.keyboard.press('Enter')
    await page.getByText('714 of 5,000 rollouts listed').waitFor()
    await page.evaluate('window.letGo()')
    await page.getByRole('progressbar', { name: /^Exporting/ }).waitFor({ state: 'hidden' })
    expect(Object.keys(await page.evaluate<object>('window.filesThere()')).sort()).toEqual([
      'manifest.json',
      'many.native.jsonl',
    ])
    expect(window.errors).toEqual([])
    await window.close()
  })
})
