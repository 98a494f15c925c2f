import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES, type Window } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')

describePage('what stands behind numbers', (tests) => {
  let window: Window

  beforeEach(async () => {
    window = await tests.open()
  })
  afterEach(async () => {
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('every number opens the rollouts behind it, and says which they are', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    const listed = (text: string) => page.getByText(text, { exact: true }).waitFor()
    await page.getByRole('button', { name: /^V10 / }).click()
    await page.getByRole('button', { name: '7 of 79 rollouts' }).first().click()
    await listed('7 of 96 rollouts listed')

    // A measure that no check names opens what its filter finds; the chip takes the filter away again.
    await page.keyboard.press('1')
    const truncation = page.getByRole('article', { name: /^H04/ })
    const share = truncation.locator('.measure.large').getByRole('button')
    const near = Math.round((Number.parseFloat(await share.innerText()) / 100) * 96)
    expect(near).toBeGreaterThan(0)
    await share.click()
    await listed(`${near} of 96 rollouts listed`)
    await page.getByRole('list', { name: 'Terms of the query' }).getByRole('button').click()
    await listed('96 of 96 rollouts listed')
    await page.keyboard.press('1')
    await truncation.getByText('more measures').click()
    for (const [measure, chip] of [
      [/that lost text/, 'lost:any'],
      [/supporting documents/, 'lost:documents'],
    ] as const) {
      await truncation.locator('.measure').filter({ hasText: measure }).locator('.measure-value').first().click()
      await page.getByRole('button', { name: chip, exact: false }).waitFor()
      // What was opened is open when a person comes back.
      await page.keyboard.press('1')
    }

    // The table of turn edges.
    const edge = page.getByRole('row', { name: /^assistant to tool/ })
    await edge.locator('.share-bad').last().click()
    await listed('96 of 96 rollouts listed')
    const chips = page.getByRole('group', { name: 'Filters' })
    expect(await chips.getByRole('button', { name: /T04/ }).getAttribute('aria-pressed')).toBe('true')
  })

  test('a code opens the page of its check, and a verdict says what would change it', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    await page.getByRole('button', { name: /^V2 V3/ }).click()
    const opener = page.getByRole('button', { name: 'T05', exact: true })
    await opener.click()
    const dialog = page.getByRole('dialog', { name: /^T05 Assistant header is missing/ })
    await dialog.getByRole('heading', { name: 'Usual fix' }).waitFor()
    await expect.poll(() => dialog.innerText()).toMatch(/Needs\s+ids, tokenizer/)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true)

    const line = page.locator('.verdict-row').filter({ hasText: 'H07' })
    const ways = line.getByText(/^contradicted if/)
    expect(await ways.isVisible()).toBe(false)
    await line.getByRole('button', { name: /^H07/ }).click()
    await ways.waitFor()
    await page.getByText(/^What this dump cannot decide/).click()
    await page
      .getByText(/^in the field logprobs\.reference of each record/)
      .first()
      .waitFor()
  })

  test('a threshold is set where its check is read, the view says so, and goes back to the default', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    const share = page.getByRole('article', { name: /^H04/ }).locator('.measure.large')
    await expect.poll(() => share.innerText()).toContain('within 10 tokens of a limit')
    await page.getByRole('button', { name: /^V10 / }).click()
    await page.getByRole('button', { name: 'C03', exact: true }).click()
    const field = page.getByRole('textbox', { name: 'near-limit-tokens' })
    const judge = page.getByRole('button', { name: /^Judge with/ })
    expect(await judge.isDisabled()).toBe(true)
    await field.fill('ten')
    await page.getByRole('alert').getByText('near-limit-tokens has to be a number.').waitFor()
    await field.fill('2.5')
    await page
      .getByRole('alert')
      .getByText(/near-limit-tokens cannot be 2\.5: a whole number/)
      .waitFor()
    expect(await judge.isDisabled()).toBe(true)
    await field.fill('20')
    await judge.click()
    await page.getByText('Judged with thresholds that were set: near-limit-tokens 20 (default 10)').waitFor()
    await expect.poll(() => share.innerText()).toContain('within 20 tokens of a limit')
    await page.getByRole('button', { name: 'back to the defaults' }).click()
    await expect.poll(() => share.innerText()).toContain('within 10 tokens of a limit')
    expect(await page.getByText('Judged with thresholds').count()).toBe(0)
  })

  test('each bar of the lengths opens its rollouts by key, and the link to them holds', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    const bar = page.locator('.bin').last()
    const label = (await bar.getAttribute('aria-label')) as string
    expect(label).toMatch(/^[\d,]+–[\d,]+ tokens: \d+ rollouts?$/)
    const [range, inBin] = label.split(': ')
    await bar.press('Enter')
    await page.getByText(`${inBin?.split(' ')[0]} of 96 rollouts listed`).waitFor()
    const term = `tokens:${(range as string)
      .replace(/ tokens$/, '')
      .replace(/,/g, '')
      .replace('–', '..')}`
    await page.getByRole('button', { name: term }).waitFor()
    const address = page.url()
    expect(address).toContain('q=tokens')
    await page.reload()
    await page.getByText('The link points into verifiers-2025-08.jsonl.gz, which was open here before').waitFor()
    await window.drop([FAILING])
    await page.getByRole('button', { name: term }).waitFor()
    expect(page.url()).toBe(address)

    await page.keyboard.press('1')
    await page.getByRole('button', { name: 'assistant turn' }).click()
    await page.locator('.bin').first().press(' ')
    await page.getByRole('button', { name: /^turn_tokens/ }).waitFor()
  })
})
