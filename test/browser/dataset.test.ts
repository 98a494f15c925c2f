import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { assistant, conversation, user } from '../helpers/conversation.ts'
import { lines, qwen } from '../session/dumps.ts'
import { describePage } from './describe-page.ts'

const COUNT = 30
/** Lengths without an order: every one of 0 to 29 once. */
const sizeOf = (i: number) => (i * 7) % COUNT
const question = (i: number) => `Question ${i}: which river is it? ${'The rivers are long. '.repeat(sizeOf(i))}`
const all = Array.from({ length: COUNT }, (_, i) => i)

describePage('the dataset of a run', (tests) => {
  const { folder } = tests

  async function choose(page: Page, file: string): Promise<void> {
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('dialog').getByRole('button', { name: 'Choose files…' }).click()
    await (await choosing).setFiles(file)
  }

  test('is chosen where it is lacking, named, kept under other settings, and taken away', async () => {
    const tokenizer = await qwen()
    const dump = all
      .filter((i) => sizeOf(i) < 22)
      .map((i) => conversation(tokenizer, [user(question(i)), assistant(`It is river ${i}.`)], { messages: true }))
    const prompts = folder.write(
      'prompts.jsonl',
      all.map((i) => `${JSON.stringify({ question: question(i) })}\n`).join(''),
    )
    const window = await tests.open()
    const { page } = window
    const named = page.getByRole('button', { name: /^dataset prompts\.jsonl/ })
    const fault = page.getByRole('row', { name: /C11 The longest prompts of the dataset have no rollout/ })
    const lacking = page.getByRole('button', { name: 'Choose the dataset…' })
    await window.drop([folder.write('step_1.jsonl', lines(dump))])
    await window.read()
    await page.locator('summary', { hasText: /checks not checkable/ }).click()
    await lacking.click()
    await choose(page, prompts)
    await fault.waitFor()
    await named.waitFor()

    await page.getByRole('button', { name: /^policy/ }).click()
    await page.getByRole('button', { name: /^sft/ }).click()
    await page.getByText('Read again under the new settings').waitFor()
    await fault.waitFor()

    await named.click()
    await page.getByText(/^C11 failed/).waitFor()
    await page.getByRole('button', { name: 'Take it away' }).click()
    await fault.waitFor({ state: 'detached' })
    expect(await named.count()).toBe(0)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('that is none is said to be of no use, and the run stays open', async () => {
    const tokenizer = await qwen()
    const dump = all.map((i) => conversation(tokenizer, [user(question(i)), assistant('Yes.')], { messages: true }))
    const window = await tests.open()
    const { page } = window
    await window.drop([folder.write('step_1.jsonl', lines(dump))])
    await window.read()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('dataset')
    await page.keyboard.press('Enter')
    await choose(page, folder.write('weights.bin', '\u0000\u0001\u0002'))
    await page
      .getByRole('alert')
      .getByText(/the dataset could not be read: weights\.bin/)
      .waitFor()
    await window.read()
    expect(await page.getByRole('button', { name: /^dataset/ }).count()).toBe(0)
    expect(window.errors).toEqual([])
    await window.close()
  })
})
