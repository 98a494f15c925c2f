import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES, type Window } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')
/** The same questions, put as they should be. */
const CLEAN = join(SAMPLES, 'clean-qwen2.5.jsonl.gz')
const SINGLE_TURN = join(SAMPLES, 'clean-gsm8k.jsonl.gz')
/** A height at which what is dropped is a second run. */
const LOW = 820

describePage('a second run', (tests) => {
  const { folder } = tests
  let window: Window

  beforeEach(async () => {
    window = await tests.open()
    await window.drop([FAILING])
    await window.read()
  })
  afterEach(async () => {
    expect(window.errors).toEqual([])
    await window.close()
  })

  const line = (id: string) => window.page.locator('.verdict-row').filter({ hasText: id })
  const second = (name: string) => window.page.getByRole('button', { name: `second run ${name}`, exact: true })

  test('is chosen, decides what one run cannot, and is taken away again', async () => {
    const { page } = window
    expect(await line('H08').count()).toBe(0)
    await page.getByText(/^What this dump cannot decide/).click()
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'choose one' }).first().click()
    await page.getByRole('button', { name: 'Choose files…' }).click()
    await (await choosing).setFiles([CLEAN])
    await second('clean-qwen2.5.jsonl.gz').waitFor()
    await line('H08').waitFor()
    await expect
      .poll(() => line('H08').innerText())
      .toMatch(/supported\s+high[\s\S]*100 % share of paired questions whose tools differ/)
    await page.getByText('Judged beside a second run, clean-qwen2.5.jsonl.gz.').waitFor()
    // All else is of the open run.
    await page.getByText('96 of 96 rollouts listed').waitFor()

    await second('clean-qwen2.5.jsonl.gz').click()
    await expect.poll(() => page.getByRole('dialog').innerText()).toMatch(/\d+ rollouts, tokenizer qwen2\.5/)
    await page.getByRole('button', { name: 'Take it away' }).click()
    await line('H08').waitFor({ state: 'detached' })
    expect(await second('clean-qwen2.5.jsonl.gz').count()).toBe(0)
    await page.getByRole('button', { name: 'Compare…' }).waitFor()
  })

  test('is what is dropped on the lower part, is read again under other settings, and goes when another dump is opened', async () => {
    const { page } = window
    await window.drop([SINGLE_TURN], LOW)
    await second('clean-gsm8k.jsonl.gz').waitFor()
    await page.getByText('Judged beside a second run').waitFor()
    await page.getByRole('button', { name: /^files verifiers-2025-08/ }).waitFor()
    const alone = /in the run of several turns, and none in the single-turn run/
    // What its own turns show leads; the lines of both runs stand behind it.
    await line('H07').getByRole('button', { name: /^H07/ }).click()
    await line('H07').getByText(alone).first().waitFor()

    await page.getByRole('button', { name: /^policy/ }).click()
    await page.getByRole('button', { name: /every assistant turn/ }).click()
    await page.getByRole('button', { name: /^policy sft/ }).waitFor()
    await page.getByText('Judged beside a second run').waitFor()
    await line('H07').getByText(alone).first().waitFor()

    await window.drop([CLEAN, SINGLE_TURN])
    await page.getByRole('button', { name: /^files 2 · / }).waitFor()
    await window.read()
    expect(await page.getByRole('button', { name: /^second run/ }).count()).toBe(0)
  })

  test('that holds no rollouts is answered with a sentence; what was there before stays', async () => {
    const { page } = window
    await window.drop([folder.write('notes.jsonl', 'not a dump\n')], LOW)
    await page.getByText(/^No rollout of the second run could be read.*notes\.jsonl is text/).waitFor()
    expect(await page.getByRole('button', { name: /^second run/ }).count()).toBe(0)
    await window.drop([CLEAN], LOW)
    await line('H08').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await window.drop([folder.write('tokenizer.json', '{}')], LOW)
    await page.getByText('There are no rollouts among these files.').waitFor()
    await window.drop([folder.write('notes.jsonl', 'not a dump\n')], LOW)
    await page.getByText(/^No rollout of the second run could be read/).waitFor()
    await second('clean-qwen2.5.jsonl.gz').waitFor()
    await line('H08').waitFor()
  })
})
