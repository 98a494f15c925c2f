import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cutOff } from './cut-off.ts'
import { describePage, type PageTests } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'
import { lastTurnGroups } from './last-turn.ts'
import { SCREENS } from './screens.ts'

async function hasRoom(tests: PageTests, part: string, viewport: { width: number; height: number }): Promise<void> {
  const window = await tests.open({ viewport, reducedMotion: 'reduce' })
  if (part !== 'start') {
    await window.drop([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
    await window.read()
  }
  const cut: Record<string, string[]> = {}
  await SCREENS[part]?.(window, async (screen) => {
    const found = await cutOff(window.page)
    if (found.length > 0) cut[screen] = found
  })
  expect(cut).toEqual({})
  expect(window.errors).toEqual([])
  await window.close()
}

describePage('a window of 1024 by 700', (tests) => {
  test.each(Object.keys(SCREENS))('has room for %s', (part) => hasRoom(tests, part, { width: 1024, height: 700 }))

  test('keeps a verdict and its sign on one line beside another run', async () => {
    const window = await tests.openWith([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')], {
      viewport: { width: 1024, height: 700 },
    })
    const { page } = window
    await page.keyboard.press('5')
    await page.getByRole('heading', { name: 'Drop a second run here' }).waitFor()
    await window.drop([join(SAMPLES, 'clean-qwen2.5.jsonl.gz')])
    await page.getByRole('heading', { name: 'What differs' }).waitFor()
    const row = page.getByRole('row').filter({ hasText: 'H02 Token masking errors' })
    const lines = await row.getByRole('cell', { name: /contradicted/ }).evaluate((cell) => {
      const range = document.createRange()
      range.selectNodeContents(cell)
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
    })
    expect(lines).toBe(1)
    await window.close()
  })

  test('begins each tab of Compare at its top, and goes back to where one was left', async () => {
    const window = await tests.openWith([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')], {
      viewport: { width: 1024, height: 700 },
    })
    const { page } = window
    await page.keyboard.press('5')
    await page.getByRole('heading', { name: 'Drop a second run here' }).waitFor()
    await window.drop([join(SAMPLES, 'clean-gsm8k.jsonl.gz')])
    await page.getByRole('heading', { name: 'What differs' }).waitFor()
    const compare = page.locator('.compare')
    const top = () => compare.evaluate((element) => element.scrollTop)
    await compare.hover()
    await page.mouse.wheel(0, 300)
    await expect.poll(top).toBe(300)
    await page.keyboard.press('c')
    await page.locator('.compare-curves .curve').first().waitFor()
    await expect.poll(top).toBe(0)
    await page.keyboard.press('m')
    await page.getByRole('heading', { name: 'What differs' }).waitFor()
    await expect.poll(top).toBe(300)
    await window.close()
  })

  test('leaves out columns that nobody chose and says so; what a person chose is all there', async () => {
    const sample = [join(SAMPLES, 'verifiers-2025-08.jsonl.gz')]
    const window = await tests.openWith(sample, { viewport: { width: 1024, height: 700 } })
    const { page } = window
    await page.keyboard.press('2')
    const heads = page.locator('.rollout-table thead th')
    const button = page.getByRole('button', { name: /^Columns…/ })
    await expect.poll(() => button.textContent()).toMatch(/^Columns… \d left out$/)
    const narrow = await heads.count()
    await page.setViewportSize({ width: 1920, height: 900 })
    await expect.poll(() => heads.count()).toBe(15)
    await expect.poll(() => button.textContent()).toBe('Columns… ')
    await page.setViewportSize({ width: 1024, height: 700 })
    await expect.poll(() => heads.count()).toBe(narrow)
    await button.click()
    await page.getByText(/^The window is too narrow for all standard columns: .* are left out/).waitFor()
    const ticks = (isLeftOut: boolean) =>
      page
        .getByRole('list', { name: 'Shown', exact: true })
        .locator(`:${isLeftOut ? 'indeterminate' : 'checked'}`)
        .count()
    await expect.poll(async () => [await ticks(true), await ticks(false)]).toEqual([15 - narrow, narrow])
    await page.getByRole('list', { name: 'Not shown' }).getByRole('checkbox').first().click()
    await page.keyboard.press('Escape')
    await expect.poll(() => heads.count()).toBe(16)
    await window.close()
  })
})

describePage('a window of 720 by 800', (tests) => {
  test('has more room for the tokens than for the one that is selected, and lays the lab in one column', async () => {
    const sample = [join(SAMPLES, 'verifiers-2025-08.jsonl.gz')]
    const window = await tests.openWith(sample, { viewport: { width: 720, height: 800 } })
    const { page } = window
    await page.keyboard.press('2')
    await page.locator('.rollout-row').first().waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.panel-verdict').waitFor()
    const height = (of: string) => page.locator(of).evaluate((element) => element.clientHeight)
    expect(await height('.tokens')).toBeGreaterThan(await height('.token-panel'))
    await page.keyboard.press('4')
    await page.getByRole('button', { name: 'Advantages and loss' }).click()
    await page.getByText('by length: does a long rollout pull more?').waitFor()
    const beyond = () => page.locator('.lab').evaluate((lab) => lab.scrollWidth - lab.clientWidth)
    expect(await beyond()).toBe(0)
    await window.close()
  })
})

describePage('a window of 1440 by 900 at twice the size', (tests) => {
  test('has room for the tokens, and nothing of a rollout stands over another part of it', async () => {
    const sample = [join(SAMPLES, 'verifiers-2025-08.jsonl.gz')]
    const window = await tests.openWith(sample, { viewport: { width: 720, height: 450 } })
    const { page } = window
    await page.keyboard.press('2')
    await page.locator('.rollout-row').first().waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.panel-verdict').waitFor()
    const parts = await page
      .locator('.rollout-top, .token-bar, .tokens, .token-panel, .token-strip, .findings')
      .evaluateAll((all) => all.map((part) => part.getBoundingClientRect().toJSON()))
    const sorted = parts.sort((a, b) => a.top - b.top)
    expect(sorted).toHaveLength(6)
    for (const [at, { top }] of sorted.entries()) {
      if (at > 0) expect(top).toBeGreaterThanOrEqual(sorted[at - 1].bottom - 1)
    }
    expect(await page.locator('.tokens').evaluate((tokens) => tokens.clientHeight)).toBeGreaterThan(120)
    const lineOf = (part: string) => page.locator(part).evaluate((element) => element.getBoundingClientRect().top)
    await expect.poll(() => page.locator('.notice').count()).toBe(0)
    expect(Math.abs((await lineOf('.status-keys')) - (await lineOf('.status-reading')))).toBeLessThan(8)
    // What lies below is reached by scrolling, and the chosen finding shows its token.
    await page.keyboard.press(']')
    await page.locator('.findings').scrollIntoViewIfNeeded()
    await expect.poll(() => page.locator('.finding').first().isVisible()).toBe(true)
    await window.close()
  })
})

describePage('the top line', (tests) => {
  test('is as wide as the window and whole at its end, whatever stands in it', async () => {
    const file = tests.folder.write('rollouts_of_a_long_name_32.jsonl', await lastTurnGroups(2, 4))
    const window = await tests.openWith([file], { viewport: { width: 1440, height: 800 } })
    const { page } = window
    const line = page.locator('.truth-line')
    await line.getByText('last turn, by the format; M03 meant').waitFor()
    const lastsOut = async () => {
      const end = await page.getByRole('button', { name: 'Find a command' }).boundingBox()
      return [
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        Math.max(0, (end?.x ?? 0) + (end?.width ?? 0) - (page.viewportSize()?.width ?? 0)),
      ]
    }
    const height = async () => Math.round((await line.boundingBox())?.height ?? 0)
    const one = await height()
    for (const width of [1024, 1100, 1151, 1180, 1240, 1280, 1320, 1366]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await lastsOut(), `${width} pixels wide`).toEqual([0, 0])
      // On one line where what can be cut need not be cut to nothing.
      if (width >= 1280) expect(await height(), `${width} pixels wide`).toBe(one)
    }
    // Beside a second run there is more to tell than one line holds.
    await page.keyboard.press('5')
    await page.getByRole('heading', { name: 'Drop a second run here' }).waitFor()
    await window.drop([join(SAMPLES, 'clean-qwen2.5.jsonl.gz')])
    await page.getByRole('heading', { name: 'What differs' }).waitFor()
    for (const width of [1151, 1280, 1366]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await lastsOut(), `${width} pixels wide`).toEqual([0, 0])
    }
    await window.close()
  })

  test('cuts no word where there is room for all of them', async () => {
    const file = tests.folder.write('rollouts_of_a_long_name_32.jsonl', await lastTurnGroups(2, 4))
    const window = await tests.openWith([file], { viewport: { width: 1920, height: 800 } })
    const cut = await window.page
      .locator('.truth-line > *')
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent))
    expect(cut).toEqual([])
    await window.close()
  })
})

describePage('numbers in a window of 1280 by 800', (tests) => {
  test('are whole in the table of rollouts where they are below 0 and have four digits behind the point', async () => {
    const file = tests.folder.write('rewards.jsonl', await lastTurnGroups(2, 4))
    const window = await tests.openWith([file], { viewport: { width: 1280, height: 800 } })
    const { page } = window
    await page.keyboard.press('2')
    const cells = page.locator('.rollout-row .rollout-cell.number')
    await cells.filter({ hasText: '−0.3607' }).first().waitFor()
    const cut = await cells.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length)
    expect(cut).toBe(0)
    await window.close()
  })

  test('stay within their column of Verdicts where they are told by tool', async () => {
    const file = tests.folder.write('tools.jsonl', await lastTurnGroups(2, 4))
    const window = await tests.openWith([file], { viewport: { width: 1440, height: 800 } })
    const { page } = window
    const table = page.locator('.tool-table')
    await table.waitFor()
    for (const width of [1024, 1080, 1100, 1180, 1280, 1366, 1440, 1920]) {
      await page.setViewportSize({ width, height: 800 })
      const over = () => table.evaluate((one) => one.scrollWidth - (one.closest('section')?.clientWidth ?? 0))
      await expect.poll(over, { message: `${width} pixels wide` }).toBeLessThanOrEqual(0)
    }
    // Where there is room each share has its bar.
    expect(await table.locator('.share-bar').first().isVisible()).toBe(true)
    await window.close()
  })
})

describePage('a table of rollouts in a window of 1024 by 768', (tests) => {
  test('has room beside it for what was found in the rollouts of a group', async () => {
    const sample = [join(SAMPLES, 'verifiers-2025-08.jsonl.gz')]
    const window = await tests.openWith(sample, { viewport: { width: 1024, height: 768 } })
    const { page } = window
    await page.keyboard.press('3')
    await page.getByRole('article', { name: /^Group/ }).waitFor()
    await page.keyboard.press('j')
    await page.locator('.sibling', { hasText: 'cut before its answer' }).first().waitFor()
    await page.locator('.sibling', { hasText: 'C04' }).first().waitFor()
    const beyond = (element: Element) => element.scrollWidth - element.clientWidth
    expect(await page.locator('.sibling-scroll').evaluate(beyond)).toBe(0)
    await window.close()
  })

  test('cuts no code of a finding, and says how many more there are', async () => {
    const sample = [join(SAMPLES, 'verifiers-2025-08.jsonl.gz')]
    const window = await tests.openWith(sample, { viewport: { width: 1024, height: 768 } })
    const { page } = window
    await page.keyboard.press('2')
    const codes = page.locator('.rollout-row .rollout-cell', { hasText: /worst: error\./ })
    await codes.first().waitFor()
    const cut = () =>
      codes.evaluateAll((cells) =>
        cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent),
      )
    await expect.poll(cut).toEqual([])
    // As text, and to who listens, all of them are there.
    expect(await codes.first().textContent()).toMatch(/L02 M15.* \+\d.*T07/)
    await window.close()
  })
})

describePage('groups in a window of 1024 by 768', (tests) => {
  test('leave the chosen group room beside their list, whose columns are whole, and its words are not made smaller', async () => {
    const sample = [join(SAMPLES, 'verifiers-2025-08.jsonl.gz')]
    const window = await tests.openWith(sample, { viewport: { width: 1024, height: 768 } })
    const { page } = window
    await page.keyboard.press('3')
    await page.locator('.group-detail .dot-name').first().waitFor()
    const status = await page.locator('.status-line').boundingBox()
    const pane = await page.locator('.group-pane').boundingBox()
    expect(Math.min((pane?.y ?? 0) + (pane?.height ?? 0), status?.y ?? 0) - (pane?.y ?? 0)).toBeGreaterThan(300)
    const heads = page.locator('.group-table thead th')
    const titles = async () => (await heads.allInnerTexts()).map((title) => title.trim().toLowerCase())
    expect(await titles()).toEqual(['what its rewards are good for', 'group', 'n', 'rewards', 'amplified', 'findings'])
    expect(await heads.evaluateAll((all) => all.filter((head) => head.scrollWidth > head.clientWidth).length)).toBe(0)
    const drawn = page.locator('.group-dots svg')
    expect(await drawn.evaluate((svg: SVGSVGElement) => svg.getScreenCTM()?.a)).toBeCloseTo(1, 1)
    // Whose row it is stays where it is while the others are scrolled to.
    const id = page.locator('.sibling-id').first()
    await id.scrollIntoViewIfNeeded()
    const before = await id.boundingBox()
    await page.locator('.sibling-scroll').evaluate((element) => element.scrollTo(500, 0))
    await page.locator('.sibling-table td').last().waitFor()
    expect((await id.boundingBox())?.x).toBe(before?.x)
    // A wider window has all of them, and what a list is sorted by is never left out.
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('button', { name: 'mean' }).click()
    await page.setViewportSize({ width: 1024, height: 768 })
    await expect.poll(titles).toContain('mean ▼')
    expect(window.errors).toEqual([])
    await window.close()
  })
})

describePage('a window of 1440 by 900', (tests) => {
  // Where lists stand beside what they list, which in a narrow window stands below.
  test.each(['groups', 'compare'])('has room for %s', (part) => hasRoom(tests, part, { width: 1440, height: 900 }))

  test('has room in the table of rollouts for how each ended, for its findings and for its labels', async () => {
    const sample = [join(SAMPLES, 'verifiers-2025-08.jsonl.gz')]
    const window = await tests.openWith(sample, { viewport: { width: 1440, height: 900 } })
    const { page } = window
    await page.keyboard.press('2')
    await page.keyboard.press('j')
    const cut = () =>
      page
        .locator('.rollout-table tbody .rollout-row')
        .locator('.rollout-cell, .label')
        .evaluateAll((cells) =>
          cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent),
        )
    await page.getByText('cut before its answer').first().waitFor()
    await page.getByText('C03 C05 L02 M15 T04 T05 T07').first().waitFor()
    await expect.poll(cut).toEqual([])
    await page.keyboard.press('t')
    await page.getByRole('combobox', { name: 'Label' }).fill('look again')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.locator('.rollout-row .label', { hasText: 'look again' }).waitFor()
    const isCut = () => page.locator('.rollout-row .label').evaluate((label) => label.scrollWidth > label.clientWidth)
    await expect.poll(isCut).toBe(false)
    await window.close()
  })

  test('has room for all columns of a group’s rollouts, findings the last of them', async () => {
    const sample = [join(SAMPLES, 'verifiers-2025-08.jsonl.gz')]
    const window = await tests.openWith(sample, { viewport: { width: 1440, height: 900 } })
    const { page } = window
    await page.keyboard.press('3')
    await page.locator('.sibling').first().waitFor()
    const table = page.locator('.sibling-scroll')
    expect(await table.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    await window.close()
  })

  test('shows the eight rollouts of a question without scrolling for the last of them', async () => {
    const sample = [join(SAMPLES, 'verifiers-2025-08.jsonl.gz')]
    const window = await tests.openWith(sample, { viewport: { width: 1440, height: 900 } })
    const { page } = window
    await page.keyboard.press('5')
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose files…' }).click(),
    ])
    await chooser.setFiles(join(SAMPLES, 'clean-qwen2.5.jsonl.gz'))
    await page.getByRole('tab', { name: /^Same questions/ }).click()
    await page.locator('.pair-rollouts li').nth(15).waitFor()
    const hidden = () =>
      page
        .locator('.pair-rollouts')
        .evaluateAll((lists) => lists.map(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight))
    expect(await hidden()).toEqual([0, 0])
    await window.close()
  })
})
