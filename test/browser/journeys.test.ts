import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Download, Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { conversation, type RecordOptions, SEARCH_TOOL } from '../helpers/conversation.ts'
import { lines, qwen, turnsOf } from '../session/dumps.ts'
import { describePage } from './describe-page.ts'
import { FLAT } from './flat-rewards.ts'
import { SAMPLES } from './inspector-page.ts'

/** Two-hop questions with a retrieval tool, laid out wrong; word problems of one turn, laid out right. */
const MANY_TURNS = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')
const ONE_TURN = join(SAMPLES, 'clean-gsm8k.jsonl.gz')

/** Goes there by Tab alone, and fails where Tab does not lead there. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  const isThere = () => target.evaluate((element) => element === document.activeElement)
  for (let tabs = 0; tabs < 400; tabs++) {
    if (await isThere()) return
    await page.keyboard.press('Tab')
  }
  throw new Error('Tab does not lead there.')
}

async function enter(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}

/** In full where it matters most, else in a line. */
const verdictOf = (page: Page, id: string) =>
  page.locator('.verdicts :is(article, .verdict-row)').filter({ hasText: new RegExp(`^\\W*${id}`) })

const hash = (page: Page) => new URL(page.url()).hash

describePage('a journey by keyboard', (tests) => {
  test('from the fault of untrained ends to the rollouts that have it, exported', async () => {
    const tokenizer = await qwen()
    const untrained: RecordOptions = {
      editMask(mask, layout) {
        for (const { role, endToken } of layout) if (role === 'assistant') mask[endToken] = 0
      },
    }
    const rollouts = Array.from({ length: 12 }, (_, k) =>
      conversation(tokenizer, turnsOf(tokenizer, k), { id: `r${k}`, messages: true, ...(k < 9 ? untrained : {}) }),
    )
    const window = await tests.openWith([tests.folder.write('ends.jsonl', lines(rollouts))])
    const { page } = window
    const advice = page.getByRole('region', { name: 'What to do first' })
    await expect
      .poll(() => advice.innerText())
      .toContain('Mend M10 first: end-of-turn token is not trained (9 of 12 rollouts)')
    const fault = page.getByRole('row').filter({ hasText: 'M10' }).first()
    await enter(page, fault.getByRole('button', { name: /^9/ }).first())
    await page.getByText('9 of 12 rollouts listed', { exact: true }).waitFor()
    const downloads: Download[] = []
    page.on('download', (download) => downloads.push(download))
    await page.keyboard.press('E')
    await page.getByRole('button', { name: 'Export 9 rollouts', exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => downloads.length).toBeGreaterThanOrEqual(2)
    const file = downloads.find((download) => download.suggestedFilename().endsWith('.jsonl')) as Download
    const written = readFileSync(await file.path(), 'utf8')
    expect(written).toBe(lines(rollouts.slice(0, 9)))
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('from a reward that did not move to the groups without contrast, and a rollout of one', async () => {
    const window = await tests.openWith([tests.folder.write('flat.jsonl', FLAT)])
    const { page } = window
    const verdict = verdictOf(page, 'H05')
    await expect
      .poll(() => verdict.innerText())
      .toMatch(/supported[\s\S]*75 %[\s\S]*share of complete groups without contrast/)
    const h01 = verdictOf(page, 'H01')
    await expect.poll(() => h01.innerText()).toMatch(/inconclusive/)
    await enter(page, verdict.getByRole('button', { name: '75 %' }).first())
    const rows = page.getByRole('grid', { name: 'Groups' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(9)
    await page.getByText(/every advantage is 0, and [\d,]+ trained tokens teach nothing/).waitFor()
    const first = await page.locator('.group-detail').innerText()
    await page.keyboard.press('j')
    await expect.poll(() => page.locator('.group-detail').innerText()).not.toBe(first)
    await page.keyboard.press('Enter')
    await expect.poll(() => hash(page)).toContain('view=rollout')
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('from truncation to what the limit of 4,096 tokens cost, what a wider one keeps, and the text that is lost', async () => {
    const window = await tests.openWith([tests.folder.write('limit.jsonl', await cutAt(4096))])
    const { page } = window
    const verdict = page.getByRole('article', { name: /^H04/ })
    await expect.poll(() => verdict.innerText()).toMatch(/supported/)
    await page.keyboard.press('4')
    const field = page.getByRole('spinbutton', { name: /^sequence length/ })
    await expect.poll(() => field.inputValue()).toBe('4096')
    await tabTo(page, field)
    await page.keyboard.press('Control+a')
    await page.keyboard.type('8192')
    await page.getByText('keep the answers of 6 of the 6 rollouts').waitFor()
    const cut = page.getByRole('row', { name: /^answers never reached/ })
    await enter(page, cut.getByRole('button').first())
    await page.getByText('6 of 12 rollouts listed', { exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.token').first().waitFor()
    await page.keyboard.press('End')
    await page.locator('.lost-line').first().waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('from a rendering that breaks to the turn that breaks it', async () => {
    const window = await tests.openWith([MANY_TURNS])
    const { page } = window
    const cause = page.getByRole('button', { name: /^V2 V3 Assistant header and newline missing from turn 2 on/ })
    await enter(page, cause)
    const header = page.getByRole('row', { name: /T05 Assistant header is missing/ })
    await enter(page, header.getByRole('button', { name: 'Show one' }))
    await page.getByRole('complementary', { name: /^Token \d+$/ }).waitFor()
    // What is rendered from the messages beside what was recorded: the first header that is missing is that of turn 4.
    await page.keyboard.press('r')
    // At the difference that lies nearest to the token that was looked at, not at the first.
    const top = () =>
      page.locator('.difference').evaluateAll((all) => {
        const from = all[0]?.closest('.differences')?.getBoundingClientRect().top ?? 0
        return all.find((each) => each.getBoundingClientRect().bottom > from + 20)?.textContent
      })
    await expect.poll(top).toMatch(/^turn header/)
    await page
      .getByText(/^6 differences: 816 of 817 recorded tokens are the same\./)
      .first()
      .waitFor()
    await enter(page, page.getByRole('button', { name: /^turn header/ }).first())
    await page.getByText('turn 4 assistant').first().waitFor()
    // And at the edge before it, with how often that is so in the dump.
    await page.keyboard.press('b')
    const edge = page.locator('.zoom-edge').filter({ hasText: '3 → 4' })
    await expect.poll(() => edge.innerText()).toContain('header missing: 186 of 186')
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('from a run of several turns beside one of a single turn to what only the first has', async () => {
    const window = await tests.openWith([MANY_TURNS])
    const { page } = window
    await page.keyboard.press('=')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      enter(page, dialog.getByRole('button', { name: /^Choose/ }).first()),
    ])
    await chooser.setFiles(ONE_TURN)
    await page.keyboard.press('1')
    await page.getByText('Judged beside a second run').waitFor()
    const verdict = verdictOf(page, 'H07')
    await expect
      .poll(() => verdict.innerText())
      .toMatch(/supported[\s\S]*rate from assistant turn 2 on, and none in turn 1/)
    await page.keyboard.press('5')
    await page.getByRole('heading', { name: 'What differs' }).waitFor()
    const said = page.locator('.compare')
    await expect
      .poll(() => said.innerText())
      .toMatch(/H07 is supported \(high confidence\): the fault comes with the second turn/)
    await expect.poll(() => said.innerText()).toMatch(/a limit cut 31\.3 % of the rollouts and 0 %/)
    const missing = page.getByRole('row').filter({ hasText: 'T05' }).first()
    await enter(page, missing.getByRole('button').first())
    await page.getByText('96 of 96 rollouts listed', { exact: true }).waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })
})

/** Twelve rollouts of search, half of them longer than a limit and cut there; the messages still hold the whole text. */
async function cutAt(limit: number): Promise<string> {
  const tokenizer = await qwen()
  const rollouts = Array.from({ length: 12 }, (_, k) => {
    const text = `Document ${k}: the river Arn rises in the hills of Teal. `.repeat(k % 2 === 0 ? 12 : 400)
    const turns = turnsOf(tokenizer, k, { tool: { text } })
    const options: RecordOptions = {
      id: `r${k}`,
      group: `q${k >> 2}`,
      reward: k % 2 === 0 ? 1 : 0,
      tools: [SEARCH_TOOL],
      messages: true,
      limits: { max_seq_len: limit },
    }
    const { length } = conversation(tokenizer, turns, options).record.input_ids
    if (length <= limit) return conversation(tokenizer, turns, { ...options, finishReason: 'stop' })
    return conversation(tokenizer, turns, {
      ...options,
      cutRight: length - limit,
      finishReason: 'length',
      isTruncated: true,
    })
  })
  return lines(rollouts)
}
