import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { assistant, call, conversation, type TurnLayout, tool, user } from '../helpers/conversation.ts'
import { lines, qwen } from '../session/dumps.ts'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')
const NARROW = { width: 1024, height: 700 }

describePage('what stands beside and below each other', (tests) => {
  test('the start page stays as it is when the host tells of its sample', async () => {
    let answer = () => {}
    const answered = new Promise<void>((done) => {
      answer = done
    })
    const window = await tests.open({}, async (page) => {
      await page.route('**/session.json', async (route) => {
        await answered
        await route.continue()
      })
    })
    const { page } = window
    const places = () =>
      page.locator('.drop-target').evaluate((target) =>
        [target, ...target.querySelectorAll('button')].map((element) => {
          const { left, top, width, height } = element.getBoundingClientRect()
          return [left, top, width, height].map(Math.round)
        }),
      )
    const sample = page.getByRole('button', { name: 'Open the sample run' })
    await page.getByRole('button', { name: 'Open the notebook' }).waitFor()
    expect(await sample.count()).toBe(0)
    const before = await places()
    answer()
    await sample.waitFor()
    expect(await places()).toEqual(before)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('a fault has its numbers below those of the faults above it, whatever words stand in them', async () => {
    const window = await tests.openWith([FAILING])
    const { page } = window
    const folds = page.locator('.check-table .defect-toggle[aria-expanded="false"]')
    await folds.first().waitFor()
    while ((await folds.count()) > 0) await folds.first().click()
    expect(await page.locator('.check-table').count()).toBeGreaterThan(3)
    const places = await page.locator('.check-table tr:not(.defect-opened)').evaluateAll((rows) =>
      rows.map((row) =>
        [...row.children]
          .slice(1)
          .map((cell) => Math.round(cell.getBoundingClientRect().left))
          .join(' '),
      ),
    )
    expect([...new Set(places)]).toHaveLength(1)
    await window.close()
  })

  test('shares below each other have their points below each other', async () => {
    const window = await tests.openWith([FAILING], { viewport: { width: 1440, height: 3200 } })
    const { page } = window
    await page.locator('.part-table .share .number').first().waitFor()
    const shown = (of: string) => page.locator(of).filter({ hasText: '%' }).allInnerTexts()
    const odd = (texts: readonly string[]) =>
      texts.filter((text) => !/^(0|100|\d+\.\d|[<>] [\d.]+) %$/.test(text.trim()))
    const ofParts = await shown('.part-table .share .number')
    expect(ofParts.length).toBeGreaterThan(10)
    expect(odd(ofParts)).toEqual([])
    await page.keyboard.press('2')
    await page.getByText('q112-7').first().waitFor()
    const ofRollouts = await shown('.rollout-row .rollout-cell')
    expect(ofRollouts).toHaveLength(96)
    expect(odd(ofRollouts)).toEqual([])
    await window.close()
  })

  test('one label takes no room from the findings of the rows that have none', async () => {
    const window = await tests.openWith([FAILING])
    const { page } = window
    await page.keyboard.press('2')
    await page.locator('.mask-strip').first().waitFor()
    await page.keyboard.press('t')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('end of turn')
    await page.keyboard.press('Enter')
    await page.getByRole('option', { selected: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.rollout-row .label').waitFor()
    await page.getByText('C03 C05 L02 M15 T04 T05 T07').first().waitFor()
    await expect.poll(() => cutTexts(page.locator('.rollout-row :is(.rollout-cell, .label)'))).toEqual([])
    await window.close()
  })

  test('tables beside each other in the lab do not run into each other, however wide the window is', async () => {
    const window = await tests.openWith([FAILING])
    const { page } = window
    await page.keyboard.press('4')
    await page.getByText('Advantages and loss', { exact: true }).click()
    const tables = page.locator('.lab-tables table')
    await tables.nth(3).waitFor()
    for (const width of [1024, 1280, 1366, 1440, 1600, 1920]) {
      await page.setViewportSize({ width, height: 900 })
      const places = await tables.evaluateAll((all) => all.map((table) => table.getBoundingClientRect().toJSON()))
      const overlaps = places.flatMap((one, at) =>
        places
          .slice(at + 1)
          .filter(
            ({ left, right, top, bottom }) =>
              left < one.right && one.left < right && top < one.bottom && one.top < bottom,
          ),
      )
      expect(overlaps, `${width} pixels wide`).toEqual([])
    }
    await window.close()
  })

  test('bars of many turns stand on one line', async () => {
    const window = await tests.openWith([tests.folder.write('turns.jsonl', `${JSON.stringify(manyTurns(200))}\n`)])
    const bars = window.page.locator('.check-table .by-turn').first().locator('.by-turn-bar')
    await bars.first().waitFor()
    expect(await bars.count()).toBe(8)
    const heights = await bars.evaluateAll((all) => all.map((bar) => Math.round(bar.getBoundingClientRect().bottom)))
    expect(new Set(heights).size).toBe(1)
    await window.close()
  })

  test('the edges of turns have their tokens and the names of their rows whole in a narrow window', async () => {
    const window = await tests.openWith([FAILING], { viewport: NARROW })
    const { page } = window
    await openFirst(page)
    await page.keyboard.press('b')
    await page.locator('.zoom-edge').first().waitFor()
    await page.keyboard.press('>')
    await page.keyboard.press('>')
    await page.locator('.zoom-table th').getByText('sampler logprob').first().waitFor()
    expect(await cutTexts(page.locator('.zoom-table :is(th, .zoom-token)'))).toEqual([])
    await window.close()
  })

  test.each([
    ['verifiers-2025-08.jsonl.gz', '<|im_start|>', NARROW, 5],
    ['verifiers-2025-07-llama.jsonl.gz', '<|start_header_id|>', NARROW, 4],
    ['verifiers-2025-07-llama.jsonl.gz', '<|start_header_id|>', { width: 1440, height: 900 }, 6],
  ])('a special token beside an edge stands on one line and whole, %s %s %o', async (sample, special, viewport, around) => {
    const window = await tests.openWith([join(SAMPLES, sample)], { viewport })
    const { page } = window
    await openFirst(page)
    await page.keyboard.press('b')
    const token = page.locator('.zoom-token').filter({ hasText: special })
    await token.first().waitFor()
    expect(await token.count()).toBeGreaterThan(1)
    const lines = await token.evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().height)))
    expect(Math.max(...lines)).toBeLessThan(26)
    expect(await cutTexts(page.locator('.zoom-token.special'))).toEqual([])
    // As many tokens as there is room for at letters that are read well, and no scrolling sideways.
    const [first] = await page.locator('.zoom-table tr:first-child').all()
    expect(await first?.locator('td').count()).toBe(2 * around)
    const scroll = page.locator('.zoom-scroll').first()
    expect(await scroll.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    // The edge is what one came for: it is in sight, and in one place down the page.
    const edges = page.locator('.zoom-table tr:first-child .at-edge')
    const lefts = await edges.evaluateAll((all) => all.map((cell) => Math.round(cell.getBoundingClientRect().left)))
    expect(Math.max(...lefts) - Math.min(...lefts)).toBeLessThan(3)
    const box = await page.locator('.zoom').boundingBox()
    expect((lefts[0] as number) - (box?.x ?? 0)).toBeLessThan((box?.width ?? 0) * 0.64)
    expect(await page.locator('.zoom-table th').filter({ hasText: 'logprob' }).first().innerText()).toMatch(/nats$/)
    await window.close()
  })

  test('the outline says what its numbers are, and has its words whole in a narrow window', async () => {
    const window = await tests.openWith([FAILING], { viewport: NARROW })
    const { page } = window
    await openFirst(page)
    const outline = page.getByRole('navigation', { name: 'Turns' })
    const shown = outline.locator(':is(.outline-head, .outline-role, .outline-note)')
    await outline.getByText('48 · 100 % · no header').waitFor()
    expect(await shown.allInnerTexts()).toEqual(expect.arrayContaining(['tokens · trained', 'user · tool reply']))
    expect(await cutTexts(shown)).toEqual([])
    expect(await outline.getByTitle('48 tokens, 100 % trained, no header').count()).toBe(1)
    await window.close()
  })

  test('the outline has its words whole of a turn of many thousand tokens that has no header', async () => {
    const tokenizer = await qwen()
    const turns = [
      user('Tell me of the river.'),
      assistant(call(tokenizer, 'search', { query: 'river' })),
      tool('It is long.'),
      assistant(' river'.repeat(112_345), { header: false, end: true }),
    ]
    const editMask = (mask: number[], layout: readonly TurnLayout[]) => {
      const { contentStart, contentEnd } = layout[3] as TurnLayout
      mask.fill(0, contentStart, contentStart + Math.round((contentEnd - contentStart) / 15))
    }
    const file = tests.folder.write('long-turn.jsonl', lines([conversation(tokenizer, turns, { editMask })]))
    const window = await tests.openWith([file], { viewport: NARROW })
    await openFirst(window.page)
    const outline = window.page.getByRole('navigation', { name: 'Turns' })
    const note = outline.getByText('112,347 · 93.3 % · no header')
    await note.waitFor()
    expect(await cutTexts(note)).toEqual([])
    await window.close()
  })

  test('a criterion of success is read whole in a narrow window, and has no line breaks', async () => {
    const window = await tests.openWith([FAILING], { viewport: NARROW })
    const { page } = window
    await page.keyboard.press('6')
    await page.locator('[data-card]').first().waitFor()
    await page.keyboard.press('p')
    const criterion = page.getByRole('textbox', { name: 'Criterion 1' })
    await criterion.waitFor()
    expect(await cutTexts(page.locator('.criteria :is(input, textarea)'))).toEqual([])
    await criterion.fill('The reward rises\nand stays')
    await criterion.press('Enter')
    await page.getByText(/^Saved /).waitFor()
    expect(await criterion.inputValue()).toBe('The reward rises and stays')
    await window.close()
  })

  test('where the system sets all colours, the bands of a chart have theirs in its key', async () => {
    const window = await tests.openWith([FAILING], { forcedColors: 'active' })
    const { page } = window
    await openFirst(page)
    await page.keyboard.press('>')
    const bands = page.locator('.chart-band')
    await bands.first().waitFor()
    const fills = await bands.evaluateAll((all) => all.map((band) => getComputedStyle(band).backgroundColor))
    expect(new Set(fills).size).toBe(2)
    await window.close()
  })
})

async function openFirst(page: Page): Promise<void> {
  await page.keyboard.press('2')
  await page.locator('.mask-strip').first().waitFor()
  await page.keyboard.press('Enter')
  await page.locator('.token.trained').first().waitFor()
}

/** The texts of these that are larger than what shows them. */
function cutTexts(elements: Locator): Promise<string[]> {
  return elements.evaluateAll((all) =>
    all
      .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1)
      .map((one) => (one as HTMLInputElement).value ?? one.textContent ?? ''),
  )
}

/** A rollout of which every second assistant turn of the later half is masked. */
function manyTurns(turns: number): object {
  const ids: number[] = []
  const mask: number[] = []
  const add = (trained: boolean, ...tokens: number[]) => {
    ids.push(...tokens)
    mask.push(...tokens.map(() => (trained ? 1 : 0)))
  }
  for (let turn = 0; turn < turns; turn++) {
    const isTrained = turn < turns / 2 || turn % 2 === 0
    add(false, 151644, 872, 198, 3838, 374, 220, 17, 30, 151645, 198, 151644, 77091, 198)
    add(isTrained, 2132, 374, 220, 17, 13, 151645)
    if (turn < turns - 1) add(false, 198)
  }
  return { id: 'long', model: 'Qwen/Qwen2.5-7B-Instruct', reward: 1, input_ids: ids, loss_mask: mask }
}
