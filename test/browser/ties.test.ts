import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'

/** What verl writes, with the columns of TRL beside it. */
const either = (row: number) => ({
  ...{ input: `Who founded town ${row}?`, output: 'Ester did.', score: row % 2, step: 3 },
  ...{ prompt: `Who founded town ${row}?`, completion: 'Ester did.', advantage: row % 2 ? 0.5 : -0.5 },
})

describePage('a file that two trainers may have written', (tests) => {
  const { folder } = tests

  test('is asked about, read as the one that is named, and asked about again', async () => {
    const window = await tests.open()
    const { page } = window
    const text = Array.from({ length: 8 }, (_, row) => `${JSON.stringify(either(row))}\n`).join('')
    await window.drop([folder.write('step_3.jsonl', text)])
    await window.read()
    await page.getByRole('button', { name: /^format.*looked at.*trl/ }).click()
    const question = page.getByRole('group', { name: /Which trainer wrote it/ })
    await expect.poll(() => question.getByRole('button', { name: 'trl', pressed: true }).count()).toBe(1)
    await question.getByRole('button', { name: 'verl' }).click()
    const named = page.getByRole('button', { name: /^format verl/ })
    await named.waitFor()
    await window.read()
    await named.click()
    await page.getByText('named by the person').waitFor()
    await page.getByRole('button', { name: 'Ask again which trainer wrote it' }).click()
    await page.getByRole('button', { name: /^format .*trl/ }).waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })
})
