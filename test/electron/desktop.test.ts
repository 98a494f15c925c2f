import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { OpenedFiles } from '../../electron/bridge.ts'
import { formatMarks } from '../../shared/model/marks.ts'
import { addHypothesis } from '../../shared/notebook/edit.ts'
import { newNotebook } from '../../shared/notebook/new-notebook.ts'
import { notebookText } from '../../shared/notebook/notebook-file.ts'
import { chromiumMissing } from '../helpers/chromium.ts'
import { type Desktop, ROOT, standInHost } from './desktop.ts'
import { realHost } from './real-electron.ts'

for (const host of [standInHost(chromiumMissing), realHost()]) {
  const title = `desktop shell in the ${host.name}${host.missing === null ? '' : ` (${host.missing})`}`
  describe.skipIf(host.missing !== null)(title, () => {
    let folder: string
    let desktop: Desktop

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'rollout-inspector-files-'))
    })

    afterEach(async () => {
      await desktop.close()
      rmSync(folder, { recursive: true, force: true })
    })

    function file(name: string, text: string): string {
      const path = join(folder, name)
      writeFileSync(path, text)
      return path
    }

    /** Everything that reaches the page from outside from now on, as it comes. */
    async function listen(): Promise<() => Promise<OpenedFiles[]>> {
      await desktop.page.evaluate(() => {
        const arrived: OpenedFiles[] = []
        Object.assign(window, { arrived })
        window.inspector!.onOpenFiles((opened) => arrived.push(opened))
        return window.inspector!.ready()
      })
      return () => desktop.page.evaluate(() => (window as unknown as { arrived: OpenedFiles[] }).arrived)
    }

    test('a page whose process ended is loaded again, with the files that were open and the place that was shown', async () => {
      const path = join(folder, 'run.jsonl.gz')
      copyFileSync(join(ROOT, 'samples', 'clean-gsm8k.jsonl.gz'), path)
      desktop = await host.start([path])
      const { page } = desktop
      await page.getByText('read 64 rollouts').waitFor()
      await page.keyboard.press('2')
      await page.locator('.rollout-table tbody .rollout-row').first().waitFor()
      await desktop.crashPage()
      await expect.poll(() => desktop.inPage('document.body.innerText')).toContain('read 64 rollouts')
      const rows = "document.querySelectorAll('.rollout-table tbody .rollout-row').length"
      await expect.poll(() => desktop.inPage(rows)).toBeGreaterThan(10)
    })

    test('a file picked in the open dialog is readable whole and by range, and its path stays outside', async () => {
      const path = file('run.jsonl', '0123456789')
      desktop = await host.start([])
      await desktop.answerOpenDialog([path])
      const seen = await desktop.page.evaluate(async () => {
        const opened = await window.inspector!.pickFiles('files')
        const url = opened.files[0]!.url
        const part = await fetch(url, { headers: { range: 'bytes=2-4' } })
        const beyond = await fetch(url, { headers: { range: 'bytes=10-' } })
        return {
          opened,
          whole: await (await fetch(url)).text(),
          part: [part.status, part.headers.get('content-range'), await part.text()],
          beyond: beyond.status,
        }
      })
      expect(seen.opened).toEqual({
        files: [{ name: 'run.jsonl', size: 10, url: expect.stringMatching(/^\/file\/[\w-]{22}$/) }],
        problems: [],
      })
      expect(seen.whole).toBe('0123456789')
      expect(seen.part).toEqual([206, 'bytes 2-4/10', '234'])
      expect(seen.beyond).toBe(416)
      expect(JSON.stringify(seen)).not.toContain(folder)
    })

    test('a folder gives its files by their place in it, and an empty one a sentence', async () => {
      mkdirSync(join(folder, 'run', 'steps'), { recursive: true })
      mkdirSync(join(folder, 'empty'))
      writeFileSync(join(folder, 'run', 'steps', 'step_1.jsonl'), '{}\n')
      desktop = await host.start([])
      await desktop.answerOpenDialog([join(folder, 'run')])
      const full = await desktop.page.evaluate(() => window.inspector!.pickFiles('folder'))
      expect(full.files.map(({ name }) => name)).toEqual(['steps/step_1.jsonl'])
      await desktop.answerOpenDialog([join(folder, 'empty')])
      const empty = await desktop.page.evaluate(() => window.inspector!.pickFiles('folder'))
      expect(empty).toEqual({ files: [], problems: [expect.stringContaining('empty holds no files')] })
    })

    test('a cancelled dialog opens nothing', async () => {
      desktop = await host.start([])
      await desktop.answerOpenDialog(null)
      expect(await desktop.page.evaluate(() => window.inspector!.pickFiles('files'))).toEqual({
        files: [],
        problems: [],
      })
    })

    test('a second start hands its file to the first window and ends', async () => {
      const path = file('late.jsonl', '{}\n')
      desktop = await host.start([])
      const arrived = await listen()
      await desktop.startAgain([path])
      await expect
        .poll(arrived)
        .toEqual([{ files: [expect.objectContaining({ name: 'late.jsonl', size: 3 })], problems: [] }])
      expect(desktop.windowCount()).toBe(1)
    })

    test('a link that was copied goes to its place, also in a file that is opened with it', async () => {
      const path = join(folder, 'run.jsonl.gz')
      copyFileSync(join(ROOT, 'samples', 'clean-gsm8k.jsonl.gz'), path)
      desktop = await host.start([])
      const { page } = desktop
      await page.getByText('Drop').first().waitFor()
      await desktop.startAgain([path])
      await page.getByText('read 64 rollouts').waitFor()
      await page.keyboard.press('2')
      await page.locator('.rollout-table tbody .rollout-row').first().click()
      await expect.poll(() => new URL(page.url()).hash).toContain('view=rollout')
      const shown = page.url()
      const link = `rollout-inspector://app/${new URL(shown).hash}`
      await page.keyboard.press('1')
      await expect.poll(() => page.url()).not.toBe(shown)
      await desktop.startAgain([link])
      await expect.poll(() => new URL(page.url()).hash).toBe(new URL(link).hash)
      expect(desktop.windowCount()).toBe(1)
      await page.keyboard.press('1')
      await expect.poll(() => page.url()).not.toBe(shown)
      await desktop.startAgain([path, link])
      await expect.poll(() => new URL(page.url()).hash).toBe(new URL(link).hash)
    })

    test('a file that is not there is a sentence for the page, without its folder', async () => {
      desktop = await host.start([])
      const arrived = await listen()
      await desktop.startAgain([join(folder, 'gone.jsonl')])
      await expect.poll(arrived).toEqual([{ files: [], problems: ['gone.jsonl does not exist. Check the path.'] }])
    })

    test('the menu opens files', async () => {
      const path = file('menu.jsonl', '{}\n')
      desktop = await host.start([])
      const arrived = await listen()
      await desktop.answerOpenDialog([path])
      await desktop.clickMenu('open-files')
      await expect.poll(async () => (await arrived())[0]?.files[0]?.name).toBe('menu.jsonl')
    })

    test('recent files are there after a restart and open by their id', async () => {
      const path = file('again.jsonl', 'again')
      const userData = join(folder, 'user-data')
      desktop = await host.start([], userData)
      await desktop.answerOpenDialog([path])
      await desktop.page.evaluate(() => window.inspector!.pickFiles('files'))
      await desktop.close()
      desktop = await host.start([], userData)
      const seen = await desktop.page.evaluate(async () => {
        const recent = await window.inspector!.recentFiles()
        const opened = await window.inspector!.openRecent(recent[0]!.id)
        return { recent, text: await (await fetch(opened.files[0]!.url)).text() }
      })
      expect(seen.recent.map(({ name }) => name)).toEqual(['again.jsonl'])
      expect(JSON.stringify(seen.recent)).not.toContain(path)
      expect(seen.text).toBe('again')
    })

    test('a picture of the window is a PNG as large as the window', async () => {
      desktop = await host.start([])
      const { bytes, size } = await desktop.page.evaluate(async () => ({
        bytes: [...(await window.inspector!.picture())],
        size: [innerWidth, innerHeight].map((pixels) => Math.round(pixels * devicePixelRatio)),
      }))
      const png = Buffer.from(bytes)
      expect(png.subarray(1, 4).toString()).toBe('PNG')
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual(size)
    })

    /** Saves as the page does: asks where, writes in pieces, and gives the files their names. Null where it was cancelled. */
    const save = (file: string | null, files: readonly (readonly [name: string, bytes: readonly number[]])[]) =>
      desktop.page.evaluate(
        async ([file, files]) => {
          const shell = window.inspector!
          const begun = await shell.beginSaving(file)
          if (begun === null) return null
          await shell.mayWrite(
            begun.id,
            files.map(([name]) => name),
          )
          for (const [name, bytes] of files) {
            const problem = await shell.writePiece(begun.id, name, Uint8Array.from(bytes))
            if (problem !== null) return problem
          }
          return shell.endSaving(begun.id)
        },
        [file, files] as const,
      )

    test('an export is written byte by byte where the save dialog says', async () => {
      desktop = await host.start([])
      const target = join(folder, 'flagged.jsonl')
      await desktop.answerSaveDialog(target)
      const bytes = Array.from({ length: 256 }, (_, index) => index)
      expect(await save('x.jsonl', [['x.jsonl', bytes]])).toEqual({ kind: 'saved', names: ['flagged.jsonl'] })
      expect([...readFileSync(target)]).toEqual(bytes)
    })

    test('an export of several files goes to a folder, under plain names', async () => {
      desktop = await host.start([])
      await desktop.answerOpenDialog([folder])
      const files = [
        ['../../climb.jsonl', [65]],
        ['manifest.json', [66]],
      ] as const
      expect(await save(null, files)).toEqual({ kind: 'saved', names: ['__.._climb.jsonl', 'manifest.json'] })
      expect(readFileSync(join(folder, 'manifest.json'), 'utf8')).toBe('B')
    })

    test('a save that is cancelled or cannot be is told, not thrown', async () => {
      desktop = await host.start([])
      await desktop.answerSaveDialog(null)
      expect(await save('x', [['x', [1]]])).toBeNull()
      await desktop.answerSaveDialog(join(folder, 'no', 'such', 'folder.jsonl'))
      expect(await save('x', [['x', [1]]])).toContain('that folder does not exist')
    })

    const SAMPLE = join(ROOT, 'samples', 'clean-gsm8k.jsonl.gz')

    /** The line that tells what is open. */
    function opened(name: string) {
      return desktop.page.getByRole('button', { name: new RegExp(`files.*${name.replaceAll('.', '\\.')}`) })
    }

    test('a file given as an argument is open when the window is', async () => {
      desktop = await host.start([SAMPLE])
      await opened('clean-gsm8k.jsonl.gz').waitFor()
    })

    test('the button opens the dialog, and the file is read by range', async () => {
      desktop = await host.start([])
      await desktop.answerOpenDialog([SAMPLE])
      await desktop.page.getByRole('button', { name: 'Open files' }).click()
      await opened('clean-gsm8k.jsonl.gz').waitFor()
    })

    test('a dropped file is opened', async () => {
      desktop = await host.start([])
      await desktop.page.getByRole('button', { name: 'Open files' }).waitFor()
      const devtools = await desktop.page.context().newCDPSession(desktop.page)
      const data = { items: [], files: [SAMPLE], dragOperationsMask: 1 }
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
        await devtools.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data })
      }
      await opened('clean-gsm8k.jsonl.gz').waitFor()
    })

    test('the menu has the commands of the page, grey where they are not possible', async () => {
      desktop = await host.start([])
      await desktop.page.getByRole('button', { name: 'Open files' }).waitFor()
      await expect.poll(() => desktop.clickMenu('command-rollouts').then(String, String)).toMatch(/is grey/)
      await desktop.startAgain([SAMPLE])
      await opened('clean-gsm8k.jsonl.gz').waitFor()
      await desktop.clickMenu('command-rollouts')
      await desktop.page.getByRole('row').nth(1).waitFor()
      await desktop.clickMenu('command-keys')
      await desktop.page.getByRole('dialog', { name: 'Keys' }).waitFor()
      expect(desktop.pageErrors()).toEqual([])
    })

    test('the menu makes a second window, which what is opened then goes to', async () => {
      desktop = await host.start([SAMPLE])
      await opened('clean-gsm8k.jsonl.gz').waitFor()
      const arrived = await listen()
      await desktop.clickMenu('new-window')
      await expect.poll(() => desktop.windowCount()).toBe(2)
      await desktop.answerOpenDialog([file('other.jsonl', '{}\n')])
      await desktop.clickMenu('open-files')
      const recent = () => desktop.page.evaluate(() => window.inspector!.recentFiles())
      await expect
        .poll(async () => (await recent()).map(({ name }) => name), { timeout: 30_000 })
        .toContain('other.jsonl')
      expect(await arrived()).toEqual([])
      await expect.poll(() => opened('clean-gsm8k.jsonl.gz').count()).toBe(1)
    })

    test('a workspace that was saved opens again at the same place, and says what is gone of it', async () => {
      const run = join(folder, 'run.jsonl.gz')
      copyFileSync(SAMPLE, run)
      desktop = await host.start([run])
      await opened('run.jsonl.gz').waitFor()
      await desktop.page.keyboard.press('2')
      await desktop.page.getByRole('row').nth(1).waitFor()
      const target = join(folder, 'kept.rollout-workspace')
      await desktop.answerSaveDialog(target)
      await desktop.page.keyboard.press('Control+k')
      await desktop.page.keyboard.type('save workspace')
      await desktop.page.keyboard.press('Enter')
      await desktop.page.getByText('Workspace saved as kept.rollout-workspace').waitFor()
      const place = await desktop.page.evaluate(() => location.hash)
      expect(place).toContain('view=rollouts')
      await desktop.close()

      desktop = await host.start([target])
      await opened('run.jsonl.gz').waitFor()
      await expect.poll(() => desktop.page.evaluate(() => location.hash)).toBe(place)
      rmSync(run)
      await desktop.startAgain([target])
      await desktop.page.getByText(/^run\.jsonl\.gz \(in .*\) does not exist/).waitFor()
      expect(desktop.pageErrors()).toEqual([])
    })

    test('marks and a notebook that the menu opens are taken in after a question, and a run beside them is read', async () => {
      const marked = { part: 0, id: 'a', dump: 'd'.repeat(64), labels: ['odd'], notes: [] }
      const marks = formatMarks([{ ...marked, record: 'f'.repeat(64), flagged_at: '2026-11-01T00:00:00.000Z' }])
      desktop = await host.start([])
      const { page } = desktop
      await page.getByRole('button', { name: 'Open files' }).waitFor()
      await desktop.answerOpenDialog([file('from-a-colleague.json', marks), SAMPLE])
      await desktop.clickMenu('open-files')
      const question = page.getByRole('dialog', { name: 'Take in the marks of from-a-colleague.json?' })
      await question.getByText('It has 1 flag and 1 label that are not here').waitFor()
      await question.getByRole('button', { name: 'Take them in' }).click()
      await opened('clean-gsm8k.jsonl.gz').waitFor()

      await desktop.answerOpenDialog([
        file(
          'ours.json',
          notebookText(addHypothesis(newNotebook(), 'Ours', { at: '2026-11-01T00:00:00.000Z' }).notebook),
        ),
      ])
      await desktop.clickMenu('open-files')
      await page.getByRole('dialog', { name: 'Put ours.json in the place of the notebook?' }).waitFor()
      await page.keyboard.press('Escape')
      await desktop.answerOpenDialog([file('again.json', marks)])
      await desktop.clickMenu('open-files')
      await page.getByText('All marks of again.json are here already').waitFor()
      await expect.poll(() => opened('clean-gsm8k.jsonl.gz').count()).toBe(1)
      expect(desktop.pageErrors()).toEqual([])
    })

    test('a flagged rollout is exported to disk as its own bytes', async () => {
      desktop = await host.start([SAMPLE])
      await opened('clean-gsm8k.jsonl.gz').waitFor()
      await desktop.page.keyboard.press('2')
      await desktop.page.getByRole('row').nth(1).waitFor()
      await desktop.page.keyboard.press('j')
      await desktop.page.keyboard.press('f')
      await desktop.page.getByText(/^1 flagged/).waitFor()
      const target = join(folder, 'export')
      mkdirSync(target)
      await desktop.answerOpenDialog([target])
      await desktop.page.keyboard.press('e')
      await desktop.page.getByRole('button', { name: 'Export 1 rollout', exact: true }).waitFor()
      await desktop.page.keyboard.press('Enter')
      await desktop.page.getByText('1 rollout written into export').waitFor()
      expect(readdirSync(target)).toHaveLength(2)
      const lines = gunzipSync(readFileSync(SAMPLE)).toString('utf8').split('\n')
      const dump = readdirSync(target).find((name) => name.endsWith('.jsonl'))!
      expect(readFileSync(join(target, dump), 'utf8')).toBe(`${lines[0]}\n`)
      // Nowhere to go: nothing is made.
      await desktop.answerOpenDialog(null)
      await desktop.page.keyboard.press('E')
      await desktop.page.getByRole('button', { name: /^Export \d+ rollouts$/ }).click()
      await desktop.page.getByRole('dialog').waitFor({ state: 'hidden' })
      expect(await desktop.page.getByRole('progressbar', { name: /^Exporting/ }).count()).toBe(0)
      expect(readdirSync(target)).toHaveLength(2)
      // Marks go where the save dialog says.
      const saveMarks = async () => {
        await desktop.page.keyboard.press('Control+k')
        await desktop.page.keyboard.type('export marks of this dump')
        await desktop.page.keyboard.press('Enter')
      }
      await desktop.answerSaveDialog(null)
      await saveMarks()
      await desktop.answerSaveDialog(join(folder, 'mine.json'))
      await saveMarks()
      await desktop.page.getByText('Marks on 1 rollout written into mine.json').waitFor()
      expect(JSON.parse(readFileSync(join(folder, 'mine.json'), 'utf8')).rollouts).toHaveLength(1)
      expect(desktop.pageErrors()).toEqual([])
    })
  })
}
