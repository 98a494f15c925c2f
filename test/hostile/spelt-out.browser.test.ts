import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Notebook } from '../../shared/notebook/model.ts'
import { newNotebook } from '../../shared/notebook/new-notebook.ts'
import { notebookText } from '../../shared/notebook/notebook-file.ts'
import { describePage } from '../browser/describe-page.ts'
import { hostileRecords } from './dump.ts'

/** A bell, a colour of a terminal, and a turn of the direction to read in. */
const HIDDEN = 'a\u0007b\u001b[31mc\u202ed'
const SPELT = /a␇b␛\[31mc⟨RLO⟩d/

/** Texts, names and tooltips of a part of the page in which a character stands that nobody sees. */
async function unseen(part: Locator): Promise<string[]> {
  return part.evaluate((root) => {
    const HIDDEN = /[[\p{Cc}\p{Cf}]--[\n]]/v
    const found: string[] = []
    for (const element of [root, ...root.querySelectorAll('*')]) {
      for (const name of ['aria-label', 'title', 'label']) {
        const value = element.getAttribute(name)
        if (value !== null && HIDDEN.test(value))
          found.push(`${name} of ${element.localName}: ${JSON.stringify(value)}`)
      }
      for (const { nodeType, nodeValue } of element.childNodes) {
        if (nodeType === Node.TEXT_NODE && HIDDEN.test(nodeValue ?? ''))
          found.push(`${element.localName}: ${JSON.stringify(nodeValue)}`)
      }
    }
    return found
  })
}

describePage('what cannot be seen is spelt out', (tests) => {
  const { folder } = tests

  test('where fields are mapped', async () => {
    const window = await tests.open()
    const { page } = window
    const record = JSON.stringify({ [HIDDEN]: { toks: [1, 2, 3] }, who: HIDDEN })
    await window.drop([folder.write(`own ${HIDDEN}.jsonl`, `${record}\n`.repeat(3))])
    await page.getByRole('button', { name: 'Map its fields…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('region', { name: 'The first record, mapped' }).waitFor()
    expect(await dialog.getAttribute('aria-label')).toMatch(SPELT)
    expect(await unseen(dialog)).toEqual([])
    await window.close()
  })

  test('in a question, and in a notebook that is put in place', async () => {
    const window = await tests.open()
    const { page } = window
    const at = '2026-01-02T03:04:05.000Z'
    const evidence = {
      id: 'e1',
      kind: 'finding' as const,
      title: HIDDEN,
      numbers: [{ name: HIDDEN, value: HIDDEN, unit: HIDDEN }],
      from: { dump: 'abc', names: ['a.jsonl'], version: '1', report: '', settings: {} },
      key: {},
      address: '#view=verdicts',
      pinnedAt: at,
      note: '',
    }
    const experiment = (id: string, value: string) => ({
      id,
      category: 'A' as const,
      title: HIDDEN,
      parameters: [{ name: HIDDEN, value }],
      command: `train.py --model ${HIDDEN}`,
      outcome: '',
      notes: '',
      runs: [{ dump: 'abc', names: [HIDDEN], linkedAt: at }],
      tests: ['H01'],
      file: null,
    })
    const ready = newNotebook()
    const notebook: Notebook = {
      ...ready,
      hypotheses: ready.hypotheses.map((each) => ({ ...each, evidence: [evidence] })),
      experiments: [experiment('A1', HIDDEN), experiment('A2', 'another')],
    }
    await window.drop([folder.write(`notebook ${HIDDEN}.json`, notebookText(notebook))])
    const question = page.getByRole('dialog')
    await question.waitFor()
    expect(await unseen(question)).toEqual([])
    await page.getByRole('button', { name: 'Put it in place' }).click()
    await page.locator('[data-card]').first().click()
    await page.getByText(SPELT).first().waitFor()
    const show = async (fields: string) => {
      await page.evaluate((hash) => {
        location.hash = hash
      }, `view=notebook&${fields}`)
      await page.getByText(SPELT).first().waitFor()
      return unseen(page.locator('main').first())
    }
    expect(await show('notebook.hypothesis=H02')).toEqual([])
    expect(await show('notebook.page=experiments')).toEqual([])
    for (const id of ['A1', 'A2']) await page.getByRole('checkbox', { name: `Put ${id} side by side` }).check()
    expect(await show('notebook.page=experiments')).toEqual([])
    expect(await show('notebook.page=experiments&notebook.experiment=A1')).toEqual([])
    await window.close()
  })

  test('where something is pinned, and in the page of every check that states what the dump says', async () => {
    const record = await hostileRecords()
    const lines = Array.from({ length: 8 }, () => record(HIDDEN))
    const window = await tests.openWith([folder.write('ids.jsonl', `${lines.join('\n')}\n`)])
    const { page } = window
    await page.keyboard.press('i')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /^Pin to/ }).waitFor()
    expect(await unseen(dialog)).toEqual([])
    await page.keyboard.press('Escape')
    await page.keyboard.press('2')
    await page.locator('.rollout-row').first().waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.token').first().waitFor()
    await page.keyboard.press('i')
    await dialog.getByRole('button', { name: /^Pin to/ }).waitFor()
    expect(await dialog.locator('option').allInnerTexts()).toContainEqual(expect.stringMatching(SPELT))
    expect(await unseen(dialog)).toEqual([])
    await window.close()
  })
})
