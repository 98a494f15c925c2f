import { beforeAll, expect, test } from 'vitest'
import { qwen } from '../session/dumps.ts'
import { violations } from './axe.ts'
import { cutOff } from './cut-off.ts'
import { describePage } from './describe-page.ts'
import { steppedDump } from './rollout-dumps.ts'

describePage('one run by training step', (tests) => {
  let run = ''
  beforeAll(async () => {
    run = tests.folder.write('run.jsonl', steppedDump(await qwen(), 12, 0.02))
  })

  test('has its gap one click from its verdict and from its check, point by point with the rollouts behind', async () => {
    const window = await tests.openWith([run], { bypassCSP: true, reducedMotion: 'reduce' })
    const { page } = window
    const gap = page.getByRole('slider', { name: /^mean \|sampler − trainer\|: .* nats → .* nats, steps 1 to 12/ })
    const isFocused = () => gap.evaluate((chart) => chart === document.activeElement)
    await page.getByRole('button', { name: 'H06-lora by step' }).click()
    await expect.poll(isFocused).toBe(true)
    await gap.blur()
    await page.getByRole('button', { name: 'L08 by step' }).first().click()
    await expect.poll(isFocused).toBe(true)
    await expect.poll(() => gap.boundingBox()).toMatchObject({ width: expect.any(Number) })

    await page.keyboard.press('End')
    expect(await gap.getAttribute('aria-valuetext')).toMatch(/^step 12, 4 rollouts: 0\.2\d* nats$/)
    await page.keyboard.press('ArrowLeft')
    expect(await gap.getAttribute('aria-valuetext')).toMatch(/^step 11, 4 rollouts: /)
    expect(await violations(page)).toEqual([])
    expect(await cutOff(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByText('4 of 48 rollouts listed').waitFor()
    await expect.poll(() => page.getByRole('combobox', { name: /^Query/ }).inputValue()).toBe('step:11')

    await page.keyboard.press('1')
    const box = await gap.boundingBox()
    if (box === null) throw new Error('The chart of the gap is not drawn.')
    await gap.click({ position: { x: 1, y: box.height / 2 } })
    await expect.poll(() => page.getByRole('combobox', { name: /^Query/ }).inputValue()).toBe('step:1')
    await page.getByText('4 of 48 rollouts listed').waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('has scales with numbers, and its numbers as a table', async () => {
    const window = await tests.openWith([run], { reducedMotion: 'reduce' })
    const { page } = window
    const reward = page.locator('.step-chart').filter({ hasText: 'mean reward' })
    await expect.poll(() => reward.locator('.step-scale span').allTextContents()).toEqual(['0', '0.2', '0.4', '0.6'])
    await expect.poll(() => reward.locator('.step-steps span').allTextContents()).toEqual(['step 1', '5', '10', '12'])
    const section = page.getByRole('region', { name: 'By training step' })
    await section.getByRole('button', { name: 'The numbers, step by step' }).click()
    const rows = section.getByRole('table').getByRole('row')
    await expect.poll(() => rows.count()).toBe(13)
    const heads = await rows.first().getByRole('columnheader').allTextContents()
    expect(heads).toContain('mean KL to the reference (k3) nats')
    // Points stand below each other.
    const gaps = await section
      .locator(`tbody td:nth-child(${heads.indexOf('mean |sampler − trainer| nats') + 1})`)
      .allTextContents()
    expect(new Set(gaps.map((gap) => gap.split('.')[1]?.length))).toEqual(new Set([4]))
    await rows.nth(3).getByRole('button', { name: 'step 3' }).click()
    await page.getByText('4 of 48 rollouts listed').waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('of more steps than there is room for names and opens its points from their first to their last step', async () => {
    const record = (at: number) => ({
      id: `rollout ${at}`,
      input_ids: [151644, 77091, 198, 9707, 151645],
      loss_mask: [0, 0, 0, 1, 1],
      reward: at % 7,
      step: at + 1,
    })
    const long = tests.folder.write(
      'long.jsonl',
      Array.from({ length: 900 }, (_, at) => JSON.stringify(record(at))).join('\n'),
    )
    const window = await tests.openWith([long], { reducedMotion: 'reduce' })
    const { page } = window
    const reward = page.getByRole('slider', { name: /^mean reward: .*, steps 1 to 900/ })
    await reward.focus()
    await page.keyboard.press('End')
    expect(await reward.getAttribute('aria-valuetext')).toMatch(/^steps 898 to 900, 3 rollouts: /)
    const chart = page.locator('.step-chart').filter({ hasText: 'mean reward' })
    await expect.poll(() => chart.locator('.step-steps .end').innerText()).toBe('900')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('combobox', { name: /^Query/ }).inputValue()).toBe('step:898..900')
    await page.getByText('3 of 900 rollouts listed').waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('of one step says what is missing', async () => {
    const one = tests.folder.write('one.jsonl', steppedDump(await qwen(), 1, 0))
    const window = await tests.openWith([one])
    await window.page.getByText(/^All rollouts are of step 1: open the files of several steps/).waitFor()
    expect(await window.page.locator('.step-chart, .by-step-link').count()).toBe(0)
    await window.close()
  })
})
