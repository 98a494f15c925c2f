import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { writeBenchDump } from '../bench/dump.ts'
import { describePage } from './describe-page.ts'
import { HOLDING } from './hold-answers.ts'

describePage('a run that is hashed once it is judged', (tests) => {
  test('says in the list of files that its SHA-256 is still to come, and shows it when it is there', async () => {
    const path = tests.folder.write('large.jsonl', '')
    writeBenchDump(path, 9 << 20)
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
    const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex')
    await dialog.getByText(sha256).waitFor()
    expect(await dialog.getByText('still to come').count()).toBe(0)
    expect(window.errors).toEqual([])
    await window.close()
  })
})
