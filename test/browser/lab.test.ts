import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Download, Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { cleanRollout, lines, qwen } from '../session/dumps.ts'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')
const MASKS = join(SAMPLES, 'verifiers-2025-07.jsonl.gz')

const row = (page: Page, name: string) => page.getByRole('row', { name })

describePage('the lab', (tests) => {
  test('what did the limit cost, and what would another one: by keyboard, kept in the address', async () => {
    const window = await tests.openWith([FAILING])
    const { page } = window
    await page.keyboard.press('4')
    const lab = page.locator('.lab')
    await lab.getByText('sequence length 1,024 (metadata)').waitFor()
    await lab.getByText('tokens of text that the messages hold').waitFor()
    // The lab begins with the limits in force; what they cut is missing from the dump already, and can be opened.
    await lab
      .getByText('31.3 % of the rollouts were cut before the dump was written; what is tried cuts 0 %.')
      .waitFor()
    await expect.poll(() => page.getByRole('spinbutton', { name: /^sequence length/ }).inputValue()).toBe('1024')
    await expect.poll(() => lab.getByLabel('holds for').inputValue()).toBe('turn')
    await row(page, 'rollouts cut').getByRole('button').waitFor()

    const field = page.getByRole('spinbutton', { name: /^sequence length/ })
    await field.focus()
    // A wider one: what the messages hold of the rows that were cut, and of which of them nothing tells.
    await lab.getByText('keep the answers of 0 of the 30 rollouts').waitFor()
    await field.fill('1280')
    await lab.getByText('keep the answers of 23 of the 30 rollouts').waitFor()
    await lab.getByText('Of 7 it cannot be told').waitFor()
    await field.fill('700')
    await expect.poll(() => page.evaluate('location.hash')).toContain('lab.sequence=700')
    await page.getByText('tried 700').waitFor()
    await expect.poll(() => row(page, 'rollouts cut').textContent()).toMatch(/rollouts cut30968496/)
    await expect.poll(() => row(page, 'supporting documents cut').textContent()).toMatch(/follows2188[1-9]/)

    // One step of the slider by its own key is another limit.
    const slider = page.getByRole('slider', { name: 'sequence length, in tokens' })
    await slider.focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => page.evaluate('location.hash')).not.toContain('lab.sequence=700&')
    await page.getByRole('button', { name: 'Set to those in force' }).click()
    await expect.poll(() => page.getByRole('spinbutton', { name: /^sequence length/ }).inputValue()).toBe('1024')
    await page.getByRole('button', { name: 'No limits' }).click()
    await expect.poll(() => page.evaluate('location.hash')).toContain('lab.sequence=none')
    await page.getByRole('button', { name: 'As recorded' }).click()
    await expect.poll(() => page.evaluate('location.hash')).not.toContain('lab.sequence')
    await expect.poll(() => row(page, 'answers never reached').textContent()).toMatch(/never reached.*1796/)
    await row(page, 'answers cut').getByRole('button').click()
    await expect.poll(() => page.evaluate('location.hash')).toContain('cut-call')
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('where no mask can be repaired it is said that masks lack, and no tokenizer is offered for turns that are known', async () => {
    const tokenizer = await qwen()
    const rollouts = [1, 2].map((seed) => cleanRollout(tokenizer, seed, { mask: 'none' }))
    const window = await tests.openWith([tests.folder.write('unmasked.jsonl', lines(rollouts))])
    const { page } = window
    await page.keyboard.press('4')
    await page.getByRole('button', { name: 'Repaired masks' }).click()
    const panel = page.getByRole('region', { name: 'Repaired masks' })
    await panel.getByText('There is no mask to repair in this dump: none is recorded.').waitFor()
    await expect.poll(() => panel.textContent()).toContain('one number for each token under loss_mask')
    expect(await panel.textContent()).not.toContain('tokenizer')
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('of texts alone each panel says how a run would come to hold token ids', async () => {
    const rows = [0, 1].map((at) => ({
      messages: [{ role: 'user', content: `Who is ${at}?` }],
      reward: at,
      group_id: 'g',
    }))
    const text = rows.map((each) => `${JSON.stringify(each)}\n`).join('')
    const window = await tests.openWith([tests.folder.write('texts.jsonl', text)])
    const { page } = window
    await page.keyboard.press('4')
    const lab = page.locator('.lab')
    for (const [panel, so] of [
      ['Limits', 'so a limit in tokens cuts nothing that can be seen.'],
      ['Advantages and loss', 'so which tokens a loss would fall on is not known.'],
      ['Repaired masks', 'so there is no mask to repair.'],
    ] as const) {
      await lab.getByRole('button', { name: panel, exact: true }).click()
      const said = lab.locator('p', { hasText: so })
      await said.waitFor()
      expect(await said.innerText()).toContain('have the trainer write one number for each token under input_ids.')
      expect(await said.locator('code').innerText()).toBe('input_ids')
      expect(await lab.getByText('From 0 of 2').count()).toBe(0)
      if (panel === 'Limits') expect(await said.innerText()).toContain('Or have the texts rendered')
    }
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('a number is typed, taken or taken back by keyboard, and commands are found from there', async () => {
    const window = await tests.openWith([FAILING])
    const { page } = window
    await page.keyboard.press('4')
    const field = page.getByRole('spinbutton', { name: /^sequence length/ })
    await expect.poll(() => field.inputValue()).toBe('1024')
    const isLeft = () => field.evaluate((input) => input !== input.ownerDocument.activeElement)
    await field.focus()
    await field.fill('700')
    await expect.poll(() => page.evaluate('location.hash')).toContain('lab.sequence=700')
    await page.keyboard.press('Escape')
    expect(await isLeft()).toBe(true)
    await expect.poll(() => field.inputValue()).toBe('1024')

    await field.focus()
    await field.fill('800')
    await page.keyboard.press('Enter')
    expect(await isLeft()).toBe(true)
    await expect.poll(() => field.inputValue()).toBe('800')
    await field.focus()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /command/i }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.keyboard.press('3')
    await page.locator('.groups').waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('what is tried in a panel is a table', async () => {
    const window = await tests.openWith([FAILING])
    const { page } = window
    await page.keyboard.press('4')
    await page.getByRole('spinbutton', { name: /^sequence length/ }).fill('700')
    await page.getByText('tried 700').waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save…', exact: true }).click()
    await page.getByRole('button', { name: 'Save as CSV' }).click()
    const file = await download
    expect(file.suggestedFilename()).toBe('lab-limits.csv')
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split(/\r?\n/)
    expect(lines[0]).toBe('kind,name,value,unit,at')
    expect(lines.filter((line) => line.startsWith('tried,') && line.includes(',700,'))).toHaveLength(1)
    expect(lines).toContain('comes to,rollouts cut,84,,')
    expect(lines).toContain('cut in the dump,rollouts cut,30,,')
    expect(lines.filter((line) => line.startsWith('curve of max_seq_len,rollouts cut,')).length).toBeGreaterThan(40)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('another loss moves the pull, and says what was recorded', async () => {
    const window = await tests.openWith([FAILING])
    const { page } = window
    await page.keyboard.press('4')
    await page.keyboard.press('l')
    await page.getByText('Largest advantage').waitFor()
    const headline = page.locator('.lab-headline')
    const recorded = await headline.textContent()
    await page.getByRole('radio', { name: 'by the std of the group' }).check()
    await headline.getByText('(recorded', { exact: false }).first().waitFor()
    await expect.poll(() => headline.textContent()).not.toBe(recorded)
    await page.getByRole('radio', { name: /^dapo/ }).check()
    await expect.poll(() => page.evaluate('location.hash')).toContain('lab.loss=dapo')
    const most = page.getByRole('table', { name: 'rollouts that pull most' })
    await most.getByRole('button').first().click()
    await page.locator('.rollout').waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('a policy is tried beside the open run, and adopted', async () => {
    const window = await tests.openWith([MASKS])
    const { page } = window
    await page.keyboard.press('4')
    await page.locator('.lab-head').getByRole('button', { name: 'Policy' }).click()
    await page.getByText('This is what the report is judged by now.').waitFor()
    await page.getByRole('checkbox', { name: /^M08/ }).check()
    const table = page.locator('.lab-result table')
    await table.getByText('M08').waitFor()
    await page.getByRole('button', { name: 'Adopt it' }).click()
    await window.read()
    await page.getByText('This is what the report is judged by now.').waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('tokens of which the repaired mask differs are opened under it, and the export stands whole beside at 1024', async () => {
    const window = await tests.openWith([MASKS], { viewport: { width: 1024, height: 700 } })
    const { page } = window
    await page.keyboard.press('4')
    await page.getByRole('button', { name: 'Repaired masks' }).click()
    const edge = await page
      .getByRole('button', { name: 'Export the 64 rollouts whose mask changes, repaired…' })
      .evaluate((button) => button.getBoundingClientRect().right)
    expect(edge).toBeLessThanOrEqual(1024)
    await page.locator('.lab-runs').getByRole('button', { name: '567–569', exact: true }).click()
    await page.getByRole('button', { name: /^coloured by repaired mask/ }).waitFor()
    const told = page.getByText('1 is trained, 0 is masked; 9 tokens differ from the stored mask')
    // Beside the legend or over the chart, wherever there is room.
    await told.filter({ visible: true }).waitFor()
    const header = page.locator('.token.by-0').filter({ hasText: /^assistant$/ })
    await expect.poll(() => header.count()).toBeGreaterThan(0)
    // What differs has a line of its own, which needs no colour; what is masked as it was has none.
    const lineOf = (token: Locator) =>
      token.evaluate((element) => {
        const { borderTopStyle, borderTopWidth, content } = getComputedStyle(element, '::after')
        return content === 'none' ? '' : `${borderTopWidth} ${borderTopStyle}`
      })
    const marked = page.locator('.token[data-token="568"]')
    expect(await lineOf(marked)).toBe('3px dotted')
    expect(await lineOf(page.locator('.token[data-token="566"]'))).toBe('')
    await page.locator('.legend').getByText('differs', { exact: true }).waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('repaired masks are looked at and exported', async () => {
    const window = await tests.openWith([MASKS])
    const { page } = window
    const downloads: Download[] = []
    page.on('download', (download) => downloads.push(download))
    await page.keyboard.press('4')
    await page.getByRole('button', { name: 'Repaired masks' }).click()
    await page.getByText('64 of 64', { exact: true }).waitFor()
    await expect.poll(() => row(page, 'turn headers').first().textContent()).toMatch(/turn headers–[1-9]/)
    await page.locator('.lab-strips .mask-strip').nth(1).waitFor()
    // Drawn, as no letter of a font is: one that few fonts have was a box of its own.
    const becomes = page.locator('.lab-runs tbody tr').first().locator('td').nth(2)
    expect(await becomes.textContent()).toBe('masked')
    expect(await becomes.locator('.lab-becomes').evaluate((mark) => mark.getBoundingClientRect().height)).toBe(4)
    await page.getByRole('button', { name: 'Next rollout that changes' }).click()
    await expect.poll(() => page.evaluate('location.hash')).toContain('lab.rollout=1')
    await page.getByRole('button', { name: 'Export the 64 rollouts whose mask changes, repaired…' }).click()
    await page.getByRole('button', { name: 'Export 64 rollouts, masks repaired' }).click()
    await expect.poll(() => downloads.length).toBe(2)
    const manifest = downloads.find((download) => /^manifest\.json$/.test(download.suggestedFilename())) as Download
    expect(readFileSync(await manifest.path(), 'utf8')).toMatch(/"repaired": [1-9]/)
    expect(window.errors).toEqual([])
    await window.close()
  })
})
