import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Locator } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { FLAT } from './flat-rewards.ts'
import { SAMPLES, type Window } from './inspector-page.ts'

/** Ids that differ at their ends alone, as those of trainers that make them of a path do. */
const LONG = `${'environments/retrieval/multi-hop/training/'.repeat(3)}question-`

/** In each group one rollout is a copy of another, and one trains nothing. */
function copied(content: string): string {
  const records = content
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; reward: number; advantage: number; loss_mask: number[] })
  return records
    .map((record, at) => {
      const other = records[at - 1]
      if (at % 8 === 3 && other !== undefined)
        return { ...other, id: record.id, reward: record.reward, advantage: record.advantage }
      return at % 8 === 5 ? { ...record, loss_mask: record.loss_mask.map(() => 0) } : record
    })
    .map((record) => `${JSON.stringify(record)}\n`)
    .join('')
}

/** Ids and groups that begin and end as those of real runs do, and a row of more tokens than fit in the narrowest column. */
function asInRealRuns(content: string): string {
  const records = content
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; group_id: string; input_ids: number[]; loss_mask: number[] })
  return records
    .map((record, at) => {
      const more = at === 0 ? 123_456 : 0
      return {
        ...record,
        id: `${record.id}-rep000-3f2a9c44-77b1-4c0e-9d51-aa`,
        group_id: `${record.group_id}-000-0f9e8d7c-6b5a-4321`,
        input_ids: [...record.input_ids, ...new Array<number>(more).fill(11)],
        loss_mask: [...record.loss_mask, ...new Array<number>(more).fill(0)],
      }
    })
    .map((record) => `${JSON.stringify(record)}\n`)
    .join('')
}

describePage('long names, and much in one cell', (tests) => {
  let window: Window
  const opened = async (content: string) => {
    const file = tests.folder.write('long.jsonl', content)
    window = await tests.openWith([file], { viewport: { width: 1024, height: 700 } })
    return window.page
  }
  afterEach(async () => {
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('are told apart in both lists, and no number is cut', async () => {
    const file = tests.folder.write('real.jsonl', asInRealRuns(FLAT))
    window = await tests.openWith([file], { viewport: { width: 1440, height: 700 } })
    const { page } = window
    const beginnings = (rows: string) =>
      page
        .locator(`${rows} .long-id-beginning`)
        .evaluateAll((all) => Math.min(...all.map(({ clientWidth }) => clientWidth)))
    await page.keyboard.press('2')
    await page.locator('.rollout-row').nth(2).waitFor()
    await page.getByText(/^12\d,\d{3}$/).waitFor()
    // A letter of these is some eight pixels wide.
    await expect.poll(() => beginnings('.rollout-row')).toBeGreaterThan(60)
    const cut = await page
      .locator('.rollout-row .rollout-cell.number')
      .evaluateAll((cells) =>
        cells.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent),
      )
    expect(cut).toEqual([])
    await page.keyboard.press('3')
    await page.locator('.group-row .long-id-beginning').first().waitFor()
    await expect.poll(() => beginnings('.group-row')).toBeGreaterThan(60)
  })

  test('of groups end in sight, above the group and among the facts of a rollout', async () => {
    const page = await opened(FLAT.replaceAll(/"group_id":"/g, `"group_id":"${LONG}`))
    await page.keyboard.press('3')
    const heading = page.locator('.group-title h2')
    await heading.waitFor()
    expect(await endsInSight(heading.locator('.long-id-end'), heading)).toBe(true)
    await page.keyboard.press('2')
    await page.locator('.rollout-row').first().waitFor()
    await page.keyboard.press('Enter')
    const fact = page.locator('.rollout-fact-id')
    await fact.waitFor()
    expect(await endsInSight(fact.locator('.long-id-end'), fact)).toBe(true)
  })

  test('findings of a group are whole codes, and how many more there are', async () => {
    const page = await opened(copied(FLAT))
    await page.keyboard.press('3')
    await page.locator('.group-row .group-mark').first().waitFor()
    const cut = await page
      .locator('.group-row .group-cell')
      .evaluateAll((cells) =>
        cells.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent),
      )
    expect(cut).toEqual([])
  })

  test('rows of a group that are marked end in sight, too', async () => {
    const page = await opened(copied(gunzipSync(readFileSync(join(SAMPLES, 'clean-qwen2.5.jsonl.gz'))).toString()))
    await page.keyboard.press('3')
    const rows = page.locator('.sibling-scroll')
    await rows.locator('.group-mark').first().waitFor()
    expect(await rows.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  })

  test('the list of keys has columns of like heights', async () => {
    const page = await opened(FLAT)
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    const gap = await page.locator('.cheat-sheet').evaluate((sheet) => {
      const sections = [...sheet.querySelectorAll('section')].map((section) => section.getBoundingClientRect())
      // Room below a section, to the next one that stands under it or to the end.
      const end = sheet.getBoundingClientRect().bottom
      return Math.max(
        ...sections.map(({ left, bottom }) => {
          const below = sections.filter((other) => other.left === left && other.top >= bottom).map(({ top }) => top)
          return Math.min(end, ...below) - bottom
        }),
      )
    })
    expect(gap).toBeLessThan(170)
  })
})

function endsInSight(end: Locator, within: Locator): Promise<boolean> {
  return Promise.all(
    [end, within].map((each) => each.evaluate((element) => element.getBoundingClientRect().right)),
  ).then(([right, edge]) => (right as number) <= (edge as number) + 1 && (right as number) < 1024)
}
