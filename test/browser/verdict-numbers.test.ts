import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { violations } from './axe.ts'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

describePage('the numbers of where the loss falls', ({ openWith }) => {
  test('open the rollouts that they were counted in', async () => {
    const window = await openWith([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
    const { page } = window
    const opens = async (table: string, row: string, query: string, rollouts: string): Promise<void> => {
      await page.keyboard.press('1')
      const cells = page.locator('.part-table').filter({ hasText: table }).getByRole('row')
      await cells.filter({ hasText: row }).locator('td.number').getByRole('button').first().click()
      await expect.poll(() => listed(page)).toEqual([query, `${rollouts} of 96 rollouts listed`])
    }
    // Every rollout has tool replies and none of them is trained; in some, the fourth turn is there and not trained at all.
    await opens('part of the conversation', 'tool replies', 'part:tool', '96')
    await opens('part of the conversation', 'assistant text', 'state:trained part:assistant', '73')
    // The ends of tool replies have no failing check that would open them; all of them are masked.
    await opens('part of the conversation', 'end of tool turns', 'part:end role:tool', '96')
    await opens('assistant turn', '148', 'assistant_turns>=4', '6')
    await opens('tokens a call', 'retrieve', 'part:tool_call "retrieve"', '96')
    await page.keyboard.press('1')
    await page.locator('.totals-legend').getByRole('button', { name: '1,933' }).click()
    await expect.poll(() => listed(page)).toEqual(['lost:any', '30 of 96 rollouts listed'])
    // No share of what the model wrote is 100 %, though every mask but those of whole rows is right.
    await page.keyboard.press('1')
    const whole = page.locator('p', { hasText: 'masked whole' })
    await expect.poll(() => whole.innerText()).toContain('23 of 96 rollouts are masked whole')
    await whole.getByRole('button').click()
    await expect.poll(() => listed(page)).toEqual(['finding:M04', '23 of 96 rollouts listed'])
    await page.keyboard.press('1')
    expect(await violations(page)).toEqual([])
    expect(window.errors).toEqual([])
    await window.close()
  })
})

describePage('a line of a verdict', ({ openWith }) => {
  test('opens and closes at its question as at its arrow', async () => {
    const window = await openWith([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
    const row = window.page.locator('.verdict-row').first()
    const question = row.locator('.verdict-row-title')
    for (const isOpen of ['true', 'false']) {
      await question.click()
      await expect.poll(() => row.getByRole('button', { expanded: isOpen === 'true' }).count()).toBe(1)
    }
    await window.close()
  })
})

describePage('the bars of defects by turn', ({ openWith }) => {
  test('are as high as their numbers', async () => {
    const window = await openWith([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
    const { page } = window
    const drawn = await page.locator('.by-turn').evaluateAll((figures) =>
      figures.map((figure) => ({
        told: [...figure.querySelectorAll('.by-turn-bar')].map((bar) =>
          Number((bar.getAttribute('aria-label') ?? '').replace(/^turn \d+: /, '').replaceAll(',', '')),
        ),
        heights: [...figure.querySelectorAll('.by-turn-bar')].map(
          (bar) => bar.querySelector('.by-turn-fill')?.getBoundingClientRect().height ?? 0,
        ),
      })),
    )
    const uneven = drawn.filter(({ told }) => new Set(told.filter((number) => number > 0)).size > 1)
    expect(uneven.length).toBeGreaterThan(0)
    for (const { told, heights } of drawn) {
      const [most, highest] = [Math.max(...told), Math.max(...heights)]
      for (const [at, number] of told.entries()) {
        expect(Math.abs((heights[at] as number) - (highest * number) / most)).toBeLessThan(1)
      }
    }
    await window.close()
  })
})

/** The query of the table, and how many rollouts fit it. */
async function listed(page: Page): Promise<string[]> {
  const count = page.locator('.status-line').getByText(/ of 96 rollouts listed$/)
  return [await page.getByRole('combobox').first().inputValue(), await count.innerText()]
}

describePage('the pattern of a fault', ({ folder, openWith }) => {
  test('that came in on the way names the steps that have it', async () => {
    // From step 12 on the questions are trained.
    const rollouts = Array.from({ length: 48 }, (_, at) => ({
      id: `q${at}`,
      step: at >> 1,
      input_ids: [151644, 872, 198, 9707 + at, 151645, 198, 151644, 77091, 198, 13048, 151645],
      loss_mask: [0, 0, 0, ...(at < 24 ? [0, 0] : [1, 1]), 0, 0, 0, 0, 1, 1],
    }))
    const lines = rollouts.map((rollout) => `${JSON.stringify(rollout)}\n`)
    const window = await openWith([folder.write('changed-on-the-way.jsonl', lines.join(''))])
    const faults = window.page.getByRole('row').filter({ hasText: '24 of 48 rollouts' })
    await faults.first().getByText('in steps 12–23', { exact: true }).waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })
})
