import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { FLAT, withRewards } from './flat-rewards.ts'
import { SAMPLES } from './inspector-page.ts'

const NEMO_RL = new URL('../fixtures/formats/nemo-rl/2025-11/train_data_step1.jsonl', import.meta.url)

describePage('the groups of a run', (page) => {
  const flat = () => page.folder.write('flat.jsonl', FLAT)

  test('show means below 0 whole', async () => {
    const rollout = (index: number) => ({
      id: `r${index}`,
      group_id: `g${index >> 1}`,
      input_ids: [151644, 77091, 198, 9707, 151645],
      loss_mask: [0, 0, 0, 1, 1],
      reward: -10.125 - index / 8,
    })
    const dump = [0, 1, 2, 3].map((index) => JSON.stringify(rollout(index))).join('\n')
    const window = await page.openWith([page.folder.write('below.jsonl', dump)])
    const { page: view } = window
    await view.keyboard.press('3')
    const mean = view.getByRole('gridcell', { name: '−10.188' })
    await mean.waitFor()
    expect(await mean.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    await window.close()
  })

  test('draw no scale for a number that stands alone, and their threshold crosses no word', async () => {
    const rollout = (id: string, reward: number, group: string) => ({
      id,
      group_id: group,
      input_ids: [151644, 77091, 198, 9707, 151645],
      loss_mask: [0, 0, 0, 1, 1],
      reward,
      rewards: { format: reward },
    })
    const rollouts = [rollout('a', 0.25, 'alone'), rollout('b', 0, 'pair'), rollout('c', 1, 'pair')]
    const alone = await page.openWith([page.folder.write('alone.jsonl', JSON.stringify(rollouts[0]))])
    await alone.page.keyboard.press('3')
    const dots = (of: typeof alone) => of.page.locator('.group-dots')
    await dots(alone).locator('.reward-dot').first().waitFor()
    expect(await dots(alone).locator('.reward-axis').count()).toBe(0)
    expect(await dots(alone).locator('.axis-label').allTextContents()).toEqual(['0.25', '0.25'])
    // Beside the dot, and no further from it than a label stands from its axis.
    const [dot, label] = await Promise.all(
      ['.reward-dot', '.axis-label'].map((part) => dots(alone).locator(part).first().boundingBox()),
    )
    expect((label?.x ?? 0) - (dot?.x ?? 0) - (dot?.width ?? 0)).toBeLessThan(12)
    expect(await dots(alone).locator('figcaption').innerText()).toBe('')
    await alone.close()

    const both = await page.openWith([
      page.folder.write('both.jsonl', rollouts.map((r) => JSON.stringify(r)).join('\n')),
    ])
    await both.page.keyboard.press('3')
    await dots(both).locator('.reward-axis').first().waitFor({ state: 'attached' })
    const over = both.page.locator('.kind-bound').evaluate((bound) => {
      const { left, top, height } = bound.getBoundingClientRect()
      return document.elementsFromPoint(left + 1, top + height / 2)[0]?.className
    })
    expect(await over).toMatch(/^kind-part/)
    await both.close()
  })

  test('tell why reward did not move, and every number lists its groups and opens their rollouts', async () => {
    const window = await page.openWith([flat()])
    const { page: view } = window
    await view.keyboard.press('3')
    // The verdicts, before anything is clicked.
    const verdict = (id: string) => view.locator('.verdict-row').filter({ hasText: id })
    await expect
      .poll(() => verdict('H05').innerText())
      .toMatch(
        /supported[\s\S]*75 % share of complete groups without contrast \(A01\), or whose rewards differ by noise alone/,
      )
    await expect.poll(() => verdict('H01').innerText()).toMatch(/inconclusive|supported/)
    await view.getByText('H01 noise floor 0.05').waitFor()
    const conclusion = await view.locator('.group-conclusion p').innerText()
    expect(conclusion).toBe(
      '7 of 12 complete groups teach nothing, since all rewards in a group are the same; 2 teach noise: rewards differ by less than the noise floor, 0.05. 3 tell rollouts apart. The scheme in use (group std) multiplies differences of rewards by 1.87 in the median group and by 275 at most.',
    )
    await view.getByText('What the words mean').click()
    await view.getByText('how many times a difference of rewards is multiplied', { exact: false }).waitFor()
    await view.getByText('What the words mean').click()
    await view.getByText('H05 is supported from 50 % dead or noise on (the line)').waitFor()
    await expect.poll(() => view.getByRole('img', { name: 'dead 58.3 %, noise 16.7 %, contrast 25 %' }).count()).toBe(1)

    const rows = view.getByRole('grid', { name: 'Groups' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(12)
    await view.getByRole('button', { name: 'std 0, dead: 7 groups' }).click()
    await view.getByRole('button', { name: 'Save these 7 as a table…' }).waitFor()
    await expect.poll(() => rows.count()).toBe(7)
    await view
      .getByText(/^All 8 rewards are [01]: every advantage is 0, and [\d,]+ trained tokens teach nothing\.$/)
      .waitFor()
    await expect.poll(() => view.getByRole('button', { name: 'A01' }).count()).toBeGreaterThan(0)

    await view.getByRole('button', { name: 'Clear' }).click()
    await view.getByRole('button', { name: /^noise 2$/ }).click()
    await view
      .getByText(
        /^Rewards differ by 0\.01, which is below the noise floor \(std 0\.003536 < 0\.05\); the scheme in use blows that up ×275\.$/,
      )
      .waitFor()
    // What is stored stands beside what each scheme gives, and the one that fits is marked.
    const table = view.getByRole('table').filter({ hasText: 'stored' })
    await expect.poll(() => table.getByRole('columnheader', { name: /^group std.*in use · ✓ fits$/ }).count()).toBe(1)
    await expect.poll(() => table.getByRole('columnheader', { name: /^centred.*off by/ }).count()).toBe(1)
    const cells = await table.getByRole('row').nth(4).getByRole('cell').allInnerTexts()
    expect(cells.slice(1, 4)).toEqual(['0.61', cells[3], cells[2]])

    await table.getByRole('button', { name: /-3$/ }).first().click()
    await view.getByRole('heading', { name: /-3$/ }).or(view.locator('.rollout')).first().waitFor()
    expect(new URL(view.url()).hash).toContain('view=rollout')
    expect(window.errors).toEqual([])
    await window.close()
  })

  test.each([
    [1024, 700],
    [1440, 900],
  ])('show rows at once in a window of %i × %i, each column says what it is, and no heading is cut', async (width, height) => {
    const window = await page.openWith([flat()], { viewport: { width, height } })
    const { page: view } = window
    await view.keyboard.press('3')
    const rows = view.getByRole('grid', { name: 'Groups' }).locator('tbody tr')
    await rows.first().waitFor()
    const heads = view.getByRole('grid', { name: 'Groups' }).getByRole('columnheader')
    expect(await heads.evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).length)).toBe(
      0,
    )
    const [amplified, ...others] = await heads.filter({ hasText: 'amplified' }).all()
    expect(others).toEqual([])
    expect(await amplified?.getAttribute('title')).toContain('advantages are divided by a std')
    const foot = (await view.locator('.status-line').boundingBox())?.y ?? 0
    const last = await rows.nth(4).boundingBox()
    expect((last?.y ?? foot) + (last?.height ?? 0)).toBeLessThanOrEqual(foot)
    // What was folded for them is a click away, and the other way round.
    const figures = view.getByText('Spread of rewards, kinds of groups, training steps')
    const histogram = view.getByRole('group', { name: 'Std of rewards within groups' })
    await expect.poll(() => histogram.isVisible()).toBe(height === 900)
    await figures.click()
    await histogram.waitFor({ state: height === 900 ? 'hidden' : 'visible' })
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('are in sight also when what decides a verdict was unfolded elsewhere', async () => {
    const window = await page.openWith([flat()], { viewport: { width: 1024, height: 768 } })
    const { page: view } = window
    await view.getByRole('button', { name: 'H01: all measures and what would change it' }).click()
    await view.getByText('mean reward std within groups').filter({ visible: true }).waitFor()
    await view.keyboard.press('3')
    const row = view.getByRole('grid', { name: 'Groups' }).locator('tbody tr').first()
    await row.waitFor()
    const { y = 0 } = (await row.boundingBox()) ?? {}
    expect(y).toBeLessThan(700)
    await window.close()
  })

  test('have equal rewards above each other, as no spread of them', async () => {
    const window = await page.openWith([flat()])
    const { page: view } = window
    await view.keyboard.press('3')
    await view.getByText(/^All 8 rewards are/).waitFor()
    const dots = view.locator('.group-dots g').first().locator('circle')
    const places = await dots.evaluateAll((all) =>
      all.map((dot) => [Number(dot.getAttribute('cx')), Number(dot.getAttribute('cy'))] as const),
    )
    expect(new Set(places.map(([x]) => x)).size).toBe(1)
    // Each can be seen, and none lies in the row below.
    expect(new Set(places.map(([, y]) => y)).size).toBe(8)
    expect(Math.max(...places.map(([, y]) => y)) - Math.min(...places.map(([, y]) => y))).toBeLessThanOrEqual(16)
    await window.close()
  })

  test('have their least reward beside its name, not on it, also below 0', async () => {
    const dump = withRewards((group, rollout) => (rollout < 4 ? -0.3644 : group / 12))
    const window = await page.openWith([page.folder.write('negative.jsonl', dump)], {
      viewport: { width: 1024, height: 768 },
    })
    const { page: view } = window
    await view.keyboard.press('3')
    const number = view.locator('.group-dots .axis-label', { hasText: '−0.3644' }).first()
    await number.waitFor()
    const name = await view.locator('.group-dots .dot-name').first().boundingBox()
    expect((await number.boundingBox())?.x).toBeGreaterThan((name?.x ?? 0) + (name?.width ?? 0))
    await window.close()
  })

  test('are walked through by key, and the address leads back to the same group', async () => {
    const window = await page.openWith([flat()])
    const { page: view } = window
    await view.keyboard.press('3')
    const title = view.locator('.group-title h2')
    await title.waitFor()
    const first = await title.innerText()
    await view.keyboard.press('j')
    await view.waitForFunction((before) => document.querySelector('.group-title h2')?.textContent !== before, first)
    const second = await title.innerText()
    await view.keyboard.press('k')
    await view.waitForFunction((before) => document.querySelector('.group-title h2')?.textContent !== before, second)
    await expect.poll(() => title.innerText()).toBe(first)
    await view.keyboard.press('k')
    await view.getByText('This is the first group of the list').waitFor()
    await view.keyboard.press('j')
    await view.keyboard.press('J')
    await view.locator('.sibling[aria-current]').filter({ hasText: /-1/ }).waitFor()
    const hash = new URL(view.url()).hash
    expect(hash).toMatch(/view=groups&groups\.group=1&groups\.rollout=\d+/)
    await view.keyboard.press('Enter')
    await view.locator('.rollout').waitFor()
    await view.evaluate((wanted) => {
      location.hash = wanted
    }, hash)
    await view.locator('.sibling[aria-current]').filter({ hasText: /-1/ }).waitFor()
    await expect.poll(() => title.innerText()).toBe(second)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('are exported as tables, with the rollouts of one of them', async () => {
    const window = await page.openWith([flat()])
    const { page: view } = window
    await view.keyboard.press('3')
    await view.getByRole('button', { name: /^noise 2$/ }).click()
    const saved = async (name: string, then?: string) => {
      const download = view.waitForEvent('download')
      await view.getByRole('button', { name, exact: true }).click()
      if (then !== undefined) await view.getByRole('button', { name: then, exact: true }).click()
      const file = await download
      return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') }
    }
    const groups = await saved('Save these 2 as a table…', 'Save as CSV')
    expect(groups.name).toBe('groups.csv')
    expect(groups.text.trim().split('\n')).toHaveLength(3)
    await view.locator('.sibling').first().waitFor()
    const siblings = await saved('Table…', 'Save as CSV')
    expect(siblings.name).toBe('group.csv')
    expect(siblings.text.trim().split('\n')).toHaveLength(9)
    await view.getByRole('button', { name: 'Export…', exact: true }).click()
    const records = await saved('Export 8 rollouts')
    expect(records.text.trim().split('\n')).toHaveLength(8)
    await view.keyboard.press('Escape')
    await view.getByRole('button', { name: 'Export…', exact: true }).click()
    // How many rollouts the listed groups have is asked for, and said before they are exported.
    const listed = view.getByRole('dialog').locator('label', { hasText: 'All 2 groups of the list' })
    await expect.poll(() => listed.innerText()).toMatch(/16$/)
    await listed.click()
    await view.getByRole('button', { name: 'Export 16 rollouts', exact: true }).waitFor()
    await view.keyboard.press('Escape')
    await view.getByRole('button', { name: 'In the table' }).click()
    await view.getByText('8 of 96 rollouts listed').waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('with any text and any reward are drawn, and nothing of them is read as markup or turns the line round', async () => {
    const said = (text: string) => [
      { role: 'user', content: `\u202eabc ${text}` },
      { role: 'assistant', content: text },
    ]
    const rows = [0, 1, 2, 3].flatMap((at) => [
      { id: 'x'.repeat(400), group_id: `<b id="markup">${'g'.repeat(300)}`, reward: at % 2, messages: said(`${at}`) },
      {
        id: `s${at}`,
        group_id: '=1+1',
        reward: 1e300 * (at + 1),
        input_ids: [151644, 77091, 198, 40 + at, 151645],
        loss_mask: [0, 0, 0, 1, 1],
      },
    ])
    const window = await page.openWith([
      page.folder.write('odd.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join('')),
    ])
    const { page: view } = window
    await view.keyboard.press('3')
    await view.locator('.group-question').filter({ hasText: '⟨RLO⟩abc 0' }).waitFor()
    expect(await view.locator('#markup').count()).toBe(0)
    await view.keyboard.press('d')
    await view.getByText(/their messages are compared word by word\.$/).waitFor()
    // The heading does not speak of tokens where words are compared.
    await view.getByRole('heading', { name: 'Side by side', exact: true }).waitFor()
    await view.keyboard.press('j')
    await view.getByRole('heading', { name: 'Group =1+1' }).waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('have like decimals in each column, and the bar of the chosen rollout touches no name', async () => {
    const { page: view, close } = await page.openWith([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
    await view.keyboard.press('3')
    const rows = view.locator('.sibling')
    await rows.first().waitFor()
    const cells = await rows.evaluateAll((all) =>
      all.map((row) => [...row.querySelectorAll('td.number')].slice(0, 2).map((cell) => cell.textContent ?? '')),
    )
    for (const column of [0, 1]) {
      const decimals = cells.map((row) => row[column]?.split('.')[1]?.length)
      expect([column, ...new Set(decimals)]).toEqual([column, 4])
    }
    const means = await view.locator('.group-row td.number:nth-child(6)').allTextContents()
    expect(new Set(means.map((mean) => mean.split('.')[1]?.length))).toEqual(new Set([3]))
    const gap = await rows.first().evaluate((row) => {
      const name = row.querySelector('.sibling-id') as HTMLElement
      return name.getBoundingClientRect().left - row.getBoundingClientRect().left
    })
    expect(gap).toBeGreaterThan(6)
    await close()
  })

  test('of which none is complete have no spread that is drawn, and no axis for one', async () => {
    const singles = withRewards((group) => group % 2)
      .split('\n')
      .filter((_, at) => at % 8 === 0)
      .join('\n')
    const window = await page.openWith([page.folder.write('singles.jsonl', `${singles}\n`)])
    const view = window.page
    await view.keyboard.press('3')
    await view.getByText('No group can be judged').first().waitFor()
    await view.getByText('No group is complete: there is no std to draw.').waitFor()
    expect(await view.getByRole('group', { name: 'Std of rewards within groups' }).count()).toBe(0)
    await window.close()
  })

  test('that are not there are asked for', async () => {
    const text = FLAT.replaceAll(/"group_id": ?"[^"]*", ?/g, '')
    const window = await page.openWith([page.folder.write('no-groups.jsonl', text)])
    await window.page.keyboard.press('3')
    const { page: view } = window
    await view.getByText(/^None of 96 rollouts says which prompt it was sampled for/).waitFor()
    // Nothing says that the rollouts of one prompt stand together here.
    expect(await view.getByRole('textbox', { name: 'Rollouts of one prompt' }).count()).toBe(0)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('that stand in order, as their format writes them, are counted off by the size that a person gives', async () => {
    const [line = ''] = readFileSync(NEMO_RL, 'utf8').split('\n')
    const rows = Array.from({ length: 8 }, (_, idx) => ({ ...JSON.parse(line), idx, rewards: [idx % 2] }))
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
    const window = await page.openWith([page.folder.write('train_data_step1.jsonl', text)])
    const { page: view } = window
    await view.keyboard.press('3')
    const nothing = view.getByText(/^None of 8 rollouts says which prompt it was sampled for/)
    await nothing.waitFor()
    const size = view.getByRole('textbox', { name: 'Rollouts of one prompt' })
    const read = view.getByRole('button', { name: 'Read in groups of that size' })
    await size.fill('1')
    await view.getByText('A group is a whole number of rollouts, 2 or more.').waitFor()
    expect(await read.isDisabled()).toBe(true)
    await size.fill('4')
    await read.click()
    await view.getByText('2 complete of 2 groups').waitFor()
    await expect.poll(() => view.getByRole('grid', { name: 'Groups' }).locator('tbody tr').count()).toBe(2)
    await view.getByRole('button', { name: 'Leave it to the dump' }).click()
    await nothing.waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })
})
