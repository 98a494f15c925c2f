import { createHash } from 'node:crypto'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Manifest } from '../../shared/exports/manifest.ts'
import { NOT_HASHED } from '../../shared/model/not-hashed.ts'
import { writeBenchDump } from '../bench/dump.ts'
import { describePage, type PageTests } from './describe-page.ts'
import { HOLDING } from './hold-answers.ts'
import { openWindow, SAMPLES, servePage } from './inspector-page.ts'

/** More than is hashed while it is read. */
const LARGE = 9 << 20

function sha256Of(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

/** A window with a large run that is judged, whose hash is not begun before `letGo`. */
async function judged(tests: PageTests, name: string) {
  const path = tests.folder.write(name, '')
  writeBenchDump(path, LARGE)
  let letGo = () => {}
  const released = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const server = await servePage({ part: '/hash-worker-', until: released })
  const window = await openWindow(tests.browser, server)
  const { page } = window
  const manifests: Promise<Manifest>[] = []
  const saved: string[] = []
  page.on('download', (download) => {
    saved.push(download.suggestedFilename())
    if (download.suggestedFilename() !== 'manifest.json') return
    manifests.push(download.path().then((at) => JSON.parse(readFileSync(at, 'utf8'))))
  })
  await window.drop([path])
  await window.read()
  const close = async () => {
    expect(window.errors).toEqual([])
    await window.close()
    await server.close()
  }
  return { window, page, path, letGo, saved, manifest: async () => (await manifests[0]) as Manifest, close }
}

/** Exports the first rollout as it is stored, and waits until the export waits for the hash. */
async function exportFirst(page: Page): Promise<void> {
  await page.keyboard.press('2')
  await page.locator('.rollout-row').first().waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('f')
  await page.keyboard.press('e')
  await page
    .getByRole('dialog', { name: 'Export rollouts' })
    .getByRole('button', { name: /^Export 1 rollout/ })
    .click()
  await page.getByText('exporting 1 rollout, waiting for the SHA-256 of its files', { exact: true }).waitFor()
}

describePage('a run that is hashed once it is judged', (tests) => {
  test('says in the list of files that its SHA-256 is still to come, and shows it when it is there', async () => {
    const path = tests.folder.write('large.jsonl', '')
    writeBenchDump(path, LARGE)
    const window = await tests.open({}, async (page) => {
      await page.addInitScript(HOLDING)
    })
    const { page } = window
    await page.evaluate(`window.hold('hashedSources')`)
    await window.drop([path])
    await window.read()
    await page.getByRole('button', { name: 'files large.jsonl' }).click()
    const dialog = page.getByRole('dialog', { name: 'Files and their format' })
    await dialog.getByText('still to come: the file is being hashed').waitFor()
    expect(await dialog.locator('code.hash').count()).toBe(0)
    await page.evaluate('window.letGo()')
    await dialog.getByText(sha256Of(path)).waitFor()
    expect(await dialog.getByText('still to come').count()).toBe(0)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('is exported with its SHA-256, which the bottom line says is waited for', async () => {
    const { page, path, letGo, saved, manifest, close } = await judged(tests, 'waits.jsonl')
    await exportFirst(page)
    expect(saved).toEqual([])
    letGo()
    await page.getByText(/^1 rollout exported/).waitFor()
    expect(await page.getByText('waiting for the SHA-256').count()).toBe(0)
    await expect.poll(() => saved).toEqual(['waits.selected.jsonl', 'manifest.json'])
    expect((await manifest()).sources).toMatchObject([{ name: 'waits.jsonl', sha256: sha256Of(path) }])
    await close()
  })

  test('whose export is stopped over that leaves nothing behind', async () => {
    const { page, letGo, saved, close } = await judged(tests, 'stopped.jsonl')
    await exportFirst(page)
    await page.getByRole('button', { name: 'Stop export' }).click()
    await page.getByText('The export was stopped; nothing was saved').waitFor()
    expect(await page.getByText('waiting for the SHA-256').count()).toBe(0)
    letGo()
    await page.getByRole('button', { name: 'files stopped.jsonl' }).click()
    await page.getByRole('dialog').locator('code.hash').waitFor()
    expect(saved).toEqual([])
    await close()
  })

  test('is exported whole where another one is opened meanwhile', async () => {
    const { window, page, path, letGo, saved, manifest, close } = await judged(tests, 'first.jsonl')
    await exportFirst(page)
    await window.drop([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
    await page.getByText('read 96 rollouts').waitFor()
    await page.getByText('exporting 1 rollout, waiting for the SHA-256 of its files', { exact: true }).waitFor()
    letGo()
    await page.getByText(/^1 rollout exported/).waitFor()
    await expect.poll(() => saved).toEqual(['first.selected.jsonl', 'manifest.json'])
    expect((await manifest()).sources).toMatchObject([{ name: 'first.jsonl', sha256: sha256Of(path) }])
    // The list of files is that of the other.
    await page.getByRole('button', { name: 'files verifiers-2025-08.jsonl.gz' }).click()
    const hashes = page.getByRole('dialog', { name: 'Files and their format' }).locator('code.hash')
    expect(await hashes.allTextContents()).toEqual([sha256Of(join(SAMPLES, 'verifiers-2025-08.jsonl.gz'))])
    await close()
  })

  test('is exported whole where it is closed meanwhile', async () => {
    const { page, path, letGo, saved, manifest, close } = await judged(tests, 'closed.jsonl')
    await exportFirst(page)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('close these')
    await page.getByRole('dialog').getByText('Close these files').click()
    await page.getByRole('button', { name: /^Open( files)?…$/ }).waitFor()
    letGo()
    await expect.poll(() => saved).toEqual(['closed.selected.jsonl', 'manifest.json'])
    expect((await manifest()).sources).toMatchObject([{ name: 'closed.jsonl', sha256: sha256Of(path) }])
    await close()
  })

  test('of which a file changed before says in the manifest why it has none', async () => {
    const { page, path, letGo, manifest, close } = await judged(tests, 'changed.jsonl')
    await exportFirst(page)
    appendFileSync(path, '\n')
    letGo()
    await page.getByText(/^1 rollout exported/).waitFor()
    expect((await manifest()).sources).toMatchObject([
      {
        name: 'changed.jsonl',
        sha256: null,
        not_hashed: NOT_HASHED,
      },
    ])
    await close()
  })
})
