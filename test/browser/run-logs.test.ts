import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES, type Window } from './inspector-page.ts'

/** As transformers' Trainer writes it. */
const TRAINER_STATE = JSON.stringify({
  global_step: 20,
  log_history: Array.from({ length: 20 }, (_, k) => ({
    step: k + 1,
    epoch: k / 10,
    loss: 0.1,
    reward: 0.5 + k / 100,
    reward_std: 0.2,
    kl: k / 100,
  })),
})

describePage('logs of a run', (tests) => {
  const { folder } = tests
  let window: Window

  beforeEach(async () => {
    window = await tests.open()
  })
  afterEach(async () => {
    expect(window.errors).toEqual([])
    await window.close()
  })

  const series = (name: string) => window.page.getByRole('slider', { name })

  test('stand beside its rollouts', async () => {
    const { page } = window
    await window.drop([join(SAMPLES, 'verifiers-2025-08.jsonl.gz'), folder.write('trainer_state.json', TRAINER_STATE)])
    await window.read()
    await page.getByRole('heading', { name: 'What the run logged' }).waitFor()
    await series('reward: 0.5 → 0.69, steps 1 to 20').waitFor()
    await series('kl: 0 → 0.19, steps 1 to 20').waitFor()
    await page.getByText('96 of 96 rollouts listed').waitFor()
    await page.getByRole('button', { name: /^files/ }).click()
    await page.getByRole('dialog').getByRole('heading', { name: 'trainer_state.json' }).waitFor()
  })

  test('can be opened alone', async () => {
    const { page } = window
    await window.drop([folder.write('trainer_state.json', TRAINER_STATE)])
    await series('reward: 0.5 → 0.69, steps 1 to 20').waitFor()
    await page.getByRole('button', { name: 'files trainer_state.json' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.keyboard.press('2')
    await page.getByText('0 of 0 rollouts listed').waitFor()
  })

  test('spell out what would turn the text beside it', async () => {
    const { page } = window
    const hostile = 'extra/\u202egnp.exe'
    const step = (at: number) => ({ step: at, 'train/\u202ereward': at / 10, [hostile]: at })
    const log = { global_step: 3, log_history: [step(1), step(2), step(3)] }
    await window.drop([folder.write('trainer_state.json', JSON.stringify(log))])
    await page.getByRole('heading', { name: 'What the run logged' }).waitFor()
    await page.getByText(/more series/).click()
    await page.getByText('extra/⟨RLO⟩gnp.exe').waitFor()
    expect(await page.locator('main').innerText()).not.toContain('\u202e')
  })
})
