import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { assistant, conversation, user } from '../helpers/conversation.ts'
import { qwen } from '../session/dumps.ts'
import { describePage } from './describe-page.ts'
import type { Window } from './inspector-page.ts'

/** Records as no trainer writes them. */
function ownRecords(tokenizer: Tokenizer, count: number, more: object = {}): string {
  return Array.from({ length: count }, (_, i) => {
    const { input_ids, loss_mask } = conversation(tokenizer, [
      user(`Which river is number ${i}?`),
      assistant('It is <b>this</b>.'),
    ]).record
    const record = {
      ep: { toks: input_ids, train_flags: loss_mask },
      problem_id: `p${i >> 1}`,
      outcome: i % 2,
      ...more,
    }
    return `${JSON.stringify(record)}\n`
  }).join('')
}

describePage('a dump of no known format', (tests) => {
  const { folder } = tests
  let tokenizer: Tokenizer
  let window: Window

  beforeAll(async () => {
    tokenizer = await qwen()
  })
  beforeEach(async () => {
    window = await tests.open()
  })
  afterEach(async () => {
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('is asked for no field that nothing in its records fits, and has no heading over none', async () => {
    const { page } = window
    const talk = [
      { role: 'user', content: 'Which river?' },
      { role: 'assistant', content: 'This one.' },
    ]
    const rows = [0, 1].map((outcome) => `${JSON.stringify({ talk, problem_id: 'p', outcome })}\n`)
    await window.drop([folder.write('texts.jsonl', rows.join(''))])
    await page.getByRole('button', { name: 'Map its fields…' }).click()
    await page.getByRole('group', { name: 'Outcome' }).waitFor()
    expect(await page.locator('.mapping-fields legend').allInnerTexts()).toEqual(['Conversation', 'Outcome'])
    const empty = await page
      .locator('.mapping-fields > *')
      .evaluateAll((all) => all.filter((one) => one.querySelector('select') === null).length)
    expect(empty).toBe(0)
  })

  test('is mapped, seen on its first record, opened, and offered as before for the next one', async () => {
    const { page } = window
    const field = (name: string) => page.getByRole('dialog').getByRole('combobox', { name, exact: true })
    const shown = page.getByRole('region', { name: 'The first record, mapped' })
    await window.drop([folder.write('own.jsonl', ownRecords(tokenizer, 6))])
    await page.getByRole('button', { name: 'Map its fields…' }).click()
    await shown.getByText('qwen2.5').waitFor()
    await expect.poll(() => field('input_ids').inputValue()).toBe('ep.toks')
    // The one list of flags beside the ids, whatever it is called.
    await expect.poll(() => field('loss_mask').inputValue()).toBe('ep.train_flags')
    await field('loss_mask').selectOption('')
    await shown.getByText('no mask').waitFor()

    // Nothing in the names tells what was rewarded, and a person knows.
    await expect.poll(() => field('reward').inputValue()).toBe('')
    await field('reward').selectOption('outcome')
    await field('loss_mask').selectOption('ep.train_flags')
    await shown.getByText('where training begins').or(shown.locator('.mapped-token.trained').first()).waitFor()
    await expect.poll(() => shown.innerText()).toMatch(/reward\s+0/)
    expect((await shown.locator('.mapped-token.trained').allInnerTexts()).join('')).toContain('<b>this</b>')
    await page.getByRole('button', { name: 'Open with this mapping' }).click()
    await page.getByText('read 6 rollouts').waitFor()
    await page.getByRole('button', { name: /^files/ }).click()
    await page.getByRole('button', { name: 'Change the mapping…' }).click()
    await shown.getByText('qwen2.5').waitFor()
    await expect.poll(() => field('reward').inputValue()).toBe('outcome')
    await field('step').selectOption('outcome')
    await page.getByRole('button', { name: 'Open with this mapping' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('read 6 rollouts').waitFor()

    await window.drop([folder.write('next.jsonl', ownRecords(tokenizer, 4))])
    await page.getByRole('button', { name: 'Map its fields…' }).click()
    await page.getByText('Records of this shape were mapped before').waitFor()
    await expect.poll(() => field('step').inputValue()).toBe('outcome')
    await page.getByRole('button', { name: 'Take the proposal instead' }).click()
    await expect.poll(() => field('reward').inputValue()).toBe('')
    await page.keyboard.press('Escape')
    // What was open stays open until the next one is.
    await page.getByText('read 6 rollouts').waitFor()

    // What was refused is not said of what is open.
    await page.getByRole('button', { name: 'Map its fields…' }).click()
    await page.getByRole('button', { name: 'Open with this mapping' }).click()
    await page.getByText('read 4 rollouts').waitFor()
    expect(await page.getByText('no known format').count()).toBe(0)
  })

  test('opens with nothing but what can be read, and says why not', async () => {
    const { page } = window
    await window.drop([folder.write('config.json', '{"a": 1, "name": "run"}')])
    await page.getByRole('button', { name: 'Map its fields…' }).click()
    await page.getByText('Nothing among its fields looks like token ids').waitFor()
    const open = page.getByRole('button', { name: 'Open with this mapping' })
    expect(await open.isDisabled()).toBe(true)
    await page.getByRole('dialog').getByRole('combobox', { name: 'reward', exact: true }).selectOption('a')
    await page.getByText(/neither token ids \(input_ids\) nor messages/).waitFor()
    expect(await open.isDisabled()).toBe(true)
  })
})
