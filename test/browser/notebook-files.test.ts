import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { fixtureFiles } from '../notebook/fixture-folder.ts'
import { describePage } from './describe-page.ts'
import { cardsIn, openedNotebook } from './notebook-page.ts'

const FOLDER = fileURLToPath(new URL('../notebook/fixtures/search-debug', import.meta.url))

describePage('files of the notebook', (tests) => {
  const files = tests.folder
  const openNotebook = () => openedNotebook(tests)

  test('a folder that is dropped goes in, and out with nothing but what was changed', async () => {
    const window = await openNotebook()
    const { page } = window
    await window.drop([FOLDER])
    await page.getByText('Nothing has changed since', { exact: false }).waitFor()
    await page.getByText('The README calls H01 pending', { exact: false }).waitFor()
    await page.keyboard.press('b')
    await page.locator('[data-card="H06-lora"]').click()
    await page.getByRole('combobox', { name: 'Status' }).selectOption('validated')
    await page.getByLabel('Why (kept in the history)').fill('all parameters learn')
    await page.keyboard.press('Enter')
    await page.getByText(/^History: 1 change/).click()
    await page.getByText('because all parameters learn').waitFor()
    await page.keyboard.press('Shift+F')
    await page.getByText('2 pages changed since', { exact: false }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the whole folder (zip)' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('search-debug.zip')
    await download.saveAs(join(files.path, 'search-debug.zip'))
    const pages = unzipSync(new Uint8Array(readFileSync(await download.path())))
    const originals = new Map(fixtureFiles().map(({ path, bytes }) => [path, bytes]))
    const changed = Object.keys(pages).filter((path) => !Buffer.from(pages[path]!).equals(originals.get(path)!))
    expect(changed.sort()).toEqual(['README.md', 'hypotheses/h06-lora-weight-sync.md'])
    expect(Buffer.from(pages['README.md']!).toString()).toContain('| H06: LoRA Weight Sync | HIGH | ✅ Validated | - |')
    expect(Object.keys(pages)).toHaveLength(originals.size - 1)
    expect(window.errors).toEqual([])
    await window.close()

    const other = await openNotebook()
    await other.drop([join(files.path, 'search-debug.zip')])
    await other.page.getByText(/^\d+ pages of search-debug read into the notebook$/).waitFor()
    expect(await other.page.getByRole('alert').count()).toBe(0)
    expect(other.errors).toEqual([])
    await other.close()
  })

  test('writes what changed into a folder, and nothing over what others wrote there', async () => {
    const window = await openNotebook()
    const { page } = window
    await window.drop([FOLDER])
    await page.getByText('Nothing has changed since', { exact: false }).waitFor()
    // The picker is the browser's own dialog, which no test can answer; the folder it gives is a real one, of the page's own disk.
    const pages = fixtureFiles().map(({ path, bytes }) => ({ path, bytes: [...bytes] }))
    await page.evaluate(async (all) => {
      const root = await navigator.storage.getDirectory()
      for (const { path, bytes } of all) {
        const parts = path.split('/')
        let folder = root
        for (const part of parts.slice(0, -1)) folder = await folder.getDirectoryHandle(part, { create: true })
        const file = await folder.getFileHandle(parts.at(-1) as string, { create: true })
        const stream = await file.createWritable()
        await stream.write(Uint8Array.from(bytes))
        await stream.close()
      }
      Object.assign(globalThis, { showDirectoryPicker: () => navigator.storage.getDirectory() })
    }, pages)
    const read = (path: string) =>
      page.evaluate(async (name) => {
        const [folder = '', file = ''] = name.split('/')
        const directory = await (await navigator.storage.getDirectory()).getDirectoryHandle(folder)
        return (await (await directory.getFileHandle(file)).getFile()).text()
      }, path)
    const set = async (status: string) => {
      await page.keyboard.press('b')
      await page.locator('[data-card="H03"]').click()
      await page.getByRole('combobox', { name: 'Status' }).selectOption(status)
      await page.getByRole('button', { name: /^Set to/ }).click()
      await page.getByRole('button', { name: 'Files', exact: true }).click()
      await page.getByRole('button', { name: 'Write into a folder…' }).click()
    }
    await set('validated')
    await page.getByText('Nothing has changed since', { exact: false }).waitFor()
    expect(await read('hypotheses/h03-kl-divergence.md')).toContain('## Current Status: ✅ VALIDATED - beta 0 calms')
    await page.evaluate(async () => {
      const root = await navigator.storage.getDirectory()
      const stream = await (await root.getFileHandle('README.md')).createWritable()
      await stream.write('somebody else')
      await stream.close()
    })
    await set('invalidated')
    await page.getByText(/^README\.md was changed in .* since it was read/).waitFor()
    expect(await read('hypotheses/h03-kl-divergence.md')).toContain('VALIDATED - beta')
    expect(await read('hypotheses/h03-kl-divergence.md')).not.toContain('INVALIDATED')
    await window.close()
  })

  test('is one file, and back', async () => {
    const window = await openNotebook()
    const { page } = window
    await page.locator('[data-card="H03"]').focus()
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Shift+F')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the notebook' }).click(),
    ])
    const file = files.write('notebook.json', readFileSync(await download.path()))
    await window.close()
    const fresh = await openNotebook()
    await fresh.drop([file])
    const leave = fresh.page.getByRole('button', { name: 'Leave all as it is' })
    const here = fresh.page.getByText('The notebook here has', { exact: false })
    await leave.waitFor()
    // Nobody has written anything here yet.
    expect(await here.count()).toBe(0)
    await leave.click()
    expect(await cardsIn(fresh.page, 'Testing')).toEqual([])
    await fresh.drop([file])
    await fresh.page.getByRole('button', { name: 'Put it in place' }).click()
    await expect.poll(() => cardsIn(fresh.page, 'Testing')).toEqual(['H03'])
    await fresh.page.keyboard.press('Control+z')
    await expect.poll(() => cardsIn(fresh.page, 'Testing')).toEqual([])
    await fresh.page.keyboard.press('Control+y')
    await expect.poll(() => cardsIn(fresh.page, 'Testing')).toEqual(['H03'])
    await fresh.page.locator('[data-card="H04"]').focus()
    await fresh.page.keyboard.press('Shift+ArrowRight')
    await fresh.drop([file])
    await here.waitFor()
    await fresh.page.getByRole('button', { name: 'Put it in place' }).click()
    await expect.poll(() => cardsIn(fresh.page, 'Testing')).toEqual(['H03'])
    await fresh.drop([file])
    await fresh.page.getByText('notebook.json is what the notebook has already').waitFor()
    await fresh.drop([files.write('other.json', '{"schema": "rollout-inspector.notebook/1", "problem": 3}')])
    await fresh.page.getByText('other.json cannot be read:', { exact: false }).waitFor()
    expect(await cardsIn(fresh.page, 'Testing')).toEqual(['H03'])
    await fresh.close()
  })
})
