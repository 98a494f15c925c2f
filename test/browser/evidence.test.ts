import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { violations } from './axe.ts'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

/** Pins the first piece whose title begins so, to what is proposed or to this hypothesis. */
async function pinFirst(page: Page, title: string, hypothesis?: string): Promise<void> {
  await page.keyboard.press('i')
  const what = page.getByRole('combobox', { name: 'What' })
  const option = what.locator('option', { hasText: new RegExp(`^${title}`) }).first()
  await what.selectOption((await option.getAttribute('value')) as string)
  if (hypothesis !== undefined) await page.getByRole('combobox', { name: 'Hypothesis' }).selectOption(hypothesis)
  await page.getByRole('button', { name: /^Pin to / }).press('Enter')
  await page.getByText(/^Pinned to /).waitFor({ state: 'attached' })
}

async function openPage(page: Page, hypothesis: string): Promise<void> {
  await page.keyboard.press('6')
  await page.keyboard.press('b')
  await page.locator(`[data-card="${hypothesis}"]`).click()
  await page.getByRole('heading', { name: 'Evidence' }).waitFor()
}

describePage('evidence', (tests) => {
  test('is pinned by one key, leads back to the token, and is looked up again under other settings', async () => {
    const window = await tests.open()
    const { page } = window
    await window.drop([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
    await window.read()
    await pinFirst(page, 'H02 supported: share of the tokens the model wrote')
    await page.keyboard.press('2')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('.token-text, [data-token]').first().waitFor()
    await pinFirst(page, 'Tokens \\d+ to')
    await openPage(page, 'H02')
    const evidence = page.locator('.evidence-list > li')
    await expect.poll(() => evidence.count()).toBe(2)
    await expect.poll(() => page.getByText('Unchanged in the open run.').count()).toBe(2)
    const other = await page.context().newPage()
    await other.goto(`${tests.server.url}#view=notebook&notebook.hypothesis=H02`)
    await expect.poll(() => other.locator('.evidence-list > li').count()).toBe(2)
    // The run is not open in that window: there is nothing to look it up in.
    expect(await other.getByText(/in the open run\.$/).count()).toBe(0)
    await page.getByRole('combobox', { name: 'Status' }).selectOption('validated')
    await page.getByRole('button', { name: 'Set to validated' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as HTML' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('H02.html')
    const handedOut = readFileSync(await download.path(), 'utf8')
    expect(handedOut).toContain('Status: validated')
    expect(handedOut).toContain('H02 supported: share of the tokens the model wrote')
    await evidence.nth(1).getByRole('link', { name: 'Go there' }).click()
    await expect.poll(() => page.url()).toMatch(/view=rollout&.*tokens=\d+-\d+/)
    await page.getByRole('button', { name: /^policy/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: /last/i }).first().click()
    await page.locator('.truth-line', { hasText: /last/i }).waitFor()
    await page.keyboard.press('Escape')
    await window.read()
    await openPage(page, 'H02')
    await evidence.nth(0).getByText('Gone from the open run', { exact: false }).waitFor()
    await evidence.nth(1).getByText('Unchanged in the open run.').waitFor()
    await evidence
      .first()
      .getByText(/policy rl → last-turn/)
      .waitFor()
    // A person's status stays what it was set to.
    await expect.poll(() => page.getByRole('combobox', { name: 'Status' }).inputValue()).toBe('validated')
    // On the page of a hypothesis its own first measure is proposed for it: the key and Enter pin it.
    await page.keyboard.press('i')
    await page.locator('button:focus', { hasText: 'Pin to H02' }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => evidence.count()).toBe(3)
    await page.keyboard.press('i')
    await page.locator('button:focus', { hasText: 'Pin to H02' }).waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('of two runs hangs on one hypothesis', async () => {
    const window = await tests.open()
    const { page } = window
    for (const name of ['verifiers-2025-08.jsonl.gz', 'verifiers-2025-07-llama.jsonl.gz']) {
      await window.drop([join(SAMPLES, name)])
      await page.locator('.truth-line', { hasText: name }).waitFor()
      await window.read()
      await page.keyboard.press('1')
      await pinFirst(page, 'H07', 'H07')
    }
    await openPage(page, 'H07')
    const evidence = page.locator('.evidence-list > li')
    await expect.poll(() => evidence.count()).toBe(2)
    await evidence.nth(0).getByText('Open that run again to go there.').waitFor()
    await evidence.nth(1).getByText('Unchanged in the open run.').waitFor()
    await expect.poll(() => evidence.nth(0).innerText()).toContain('verifiers-2025-08.jsonl.gz')
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('the roadmap proposes the next test, and what an open dump decides before that', async () => {
    const window = await tests.open()
    const { page } = window
    await page.getByRole('button', { name: 'Open the notebook' }).click()
    await page.keyboard.press('r')
    const proposed = page.getByRole('region', { name: /^What next/ })
    await proposed.getByText('First test: A simple task').waitFor()
    await proposed.getByText('Proposed from the notebook alone', { exact: false }).waitFor()
    await window.drop([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
    await window.read()
    await page.keyboard.press('6')
    await proposed.getByText('The open dump decides it now', { exact: false }).waitFor()
    await proposed.getByText('set the status yourself', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'H06-lora LoRA weight synchronization' }).click()
    await page.getByText('The open dump cannot decide it. It lacks:').waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('comes from a group, every panel of the lab, a chart and a check as well', async () => {
    const window = await tests.open({ bypassCSP: true })
    const { page } = window
    await window.drop([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
    await window.read()
    await pinFirst(page, '[A-Z]\\d\\d .*: \\d+ of \\d+ rollouts', 'H07')
    await page.keyboard.press('3')
    await page.locator('.group-row').first().waitFor()
    await page.getByRole('table').first().waitFor()
    await pinFirst(page, 'Group ', 'H07')
    await page.keyboard.press('4')
    await page.getByRole('region', { name: 'What the limits in force cost' }).waitFor()
    await pinFirst(page, 'What if ', 'H07')
    await page.keyboard.press('l')
    await page.getByText('Largest advantage').waitFor()
    await pinFirst(page, 'What if scaling recorded', 'H07')
    await page.keyboard.press('h')
    await page.keyboard.press('h')
    await page.getByText(/masks? would change|Nothing would change/).waitFor()
    await pinFirst(page, 'What if masks were repaired', 'H07')
    await page.keyboard.press('h')
    await page.getByRole('radio', { name: /^sft/ }).check()
    await pinFirst(page, 'What if policy sft', 'H07')
    await pinFirst(page, 'Lengths of 96 whole rollouts', 'H07')
    await page.keyboard.press('i')
    await page.getByRole('combobox', { name: 'What' }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await openPage(page, 'H07')
    const evidence = page.locator('.evidence-list > li')
    await expect.poll(() => evidence.count()).toBe(7)
    await expect.poll(() => page.getByText('Unchanged in the open run.').count()).toBe(7)
    await evidence.nth(1).getByRole('link', { name: 'Go there' }).click()
    await expect.poll(() => page.url()).toContain('view=groups')
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('of two runs is what stands beside each other, for as long as both are open', async () => {
    const window = await tests.openWith([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
    const { page } = window
    await window.drop([join(SAMPLES, 'clean-qwen2.5.jsonl.gz')], 820)
    await page.keyboard.press('5')
    await page.getByRole('table').first().waitFor()
    await pinFirst(page, 'H02 Token masking errors', 'H08')
    await openPage(page, 'H08')
    await page.getByText('Unchanged in the open run.').waitFor()
    await page.locator('.evidence-list').getByText('supported here, contradicted in clean-qwen2.5.jsonl.gz').waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })
})
