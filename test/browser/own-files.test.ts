import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { violations } from './axe.ts'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')

describePage('files that the page itself wrote', ({ folder, open, openWith }) => {
  test('marks are offered as marks, beside a run and where they are here already', async () => {
    const first = await openWith([FAILING])
    await first.page.keyboard.press('2')
    await first.page.locator('.rollout-row').first().waitFor()
    await first.page.keyboard.press('j')
    await first.page.keyboard.press('f')
    await first.page.getByRole('button', { name: '1 flagged', exact: true }).waitFor()
    await first.page.keyboard.press('Control+k')
    await first.page.getByRole('combobox', { name: 'Command' }).fill('export marks of all')
    const download = first.page.waitForEvent('download')
    await first.page.keyboard.press('Enter')
    const file = folder.write('from-a-colleague.json', readFileSync(await (await download).path()))
    await first.close()

    const window = await open()
    const { page } = window
    await window.drop([file, FAILING])
    const dialog = page.getByRole('dialog', { name: 'Take in the marks of from-a-colleague.json?' })
    await dialog.getByText('It has 1 flag that is not here, on 1 rollout; no run is open.').waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await window.read()
    await page.getByRole('button', { name: '0 flagged', exact: true }).waitFor()

    for (const height of [300, 850]) {
      await window.drop([file], height)
      await dialog.getByText('1 of them is in what is open.').waitFor()
      await dialog.getByRole('button', { name: 'Leave all as it is' }).click()
    }
    await window.drop([file])
    await dialog.getByRole('button', { name: 'Take them in' }).click()
    await page.getByRole('button', { name: '1 flagged', exact: true }).waitFor()
    await window.drop([file])
    await page.getByText('All marks of from-a-colleague.json are here already').waitFor()
    await expect.poll(() => page.getByText('96').count()).toBeGreaterThan(0)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('a workspace says where it can be opened, whatever it is called', async () => {
    const window = await open()
    const text = '{"format": "rollout-inspector.workspace/1", "files": [{"path": "/a", "name": "a"}], "address": ""}'
    await window.drop([folder.write('renamed.json', text)])
    await window.page.getByText('Open it in the desktop app', { exact: false }).waitFor()
    await window.close()
  })

  test('who looks for a workspace in the palette is told where it can be saved, and given a link', async () => {
    const window = await openWith([FAILING], { permissions: ['clipboard-read', 'clipboard-write'] })
    const { page } = window
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Command' }).fill('workspace')
    await page.getByRole('option', { name: /^Save workspace: only in the desktop app/ }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toContain('#')
    expect(window.errors).toEqual([])
    await window.close()
  })
})
