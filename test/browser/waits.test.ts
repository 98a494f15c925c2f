import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { HOLDING, LEFT_PARTLY_JUDGED } from './hold-answers.ts'
import { SAMPLES, type Window } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')

async function palette(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.type(words)
  await page.getByRole('option', { selected: true }).getByText(words).waitFor()
  await page.keyboard.press('Enter')
}

interface Wait {
  /** What the engine is asked. */
  readonly held: string
  readonly words: string
  readonly canBeStopped: boolean
  before?(page: Page): Promise<unknown>
  begin(page: Page): Promise<unknown>
}

const WAITS: Readonly<Record<string, Wait>> = {
  'the table that is sorted': {
    held: 'search',
    words: 'Putting the rollouts in order…',
    canBeStopped: true,
    before: (page) => page.keyboard.press('2'),
    begin: (page) =>
      page
        .getByRole('columnheader', { name: /tokens/ })
        .getByRole('button')
        .click(),
  },
  'all rollouts that are flagged': {
    held: 'recordsOf',
    words: 'Looking up 96 rollouts…',
    canBeStopped: false,
    async before(page) {
      await page.keyboard.press('2')
      await page.getByText('96 of 96 rollouts listed').waitFor()
    },
    begin: (page) => page.keyboard.press('F'),
  },
  'another group that is opened': {
    held: 'group',
    words: 'Reading the group…',
    canBeStopped: true,
    before: (page) => page.keyboard.press('3').then(() => page.getByRole('article', { name: /^Group/ }).waitFor()),
    begin: (page) => page.getByRole('grid', { name: 'Groups' }).locator('tbody tr').nth(1).click(),
  },
  'two rollouts that are laid side by side': {
    held: 'alignment',
    words: 'Laying them side by side…',
    canBeStopped: true,
    before: (page) => page.keyboard.press('3').then(() => page.getByRole('article', { name: /^Group/ }).waitFor()),
    begin: (page) =>
      page
        .getByRole('button', { name: /^Lay .* beside the chosen rollout/ })
        .nth(1)
        .click(),
  },
  'a rollout that is opened': {
    held: 'trajectory',
    words: 'Opening the rollout…',
    canBeStopped: true,
    async before(page) {
      await page.keyboard.press('2')
      await page.getByText('96 of 96 rollouts listed').waitFor()
    },
    begin: (page) => page.keyboard.press('Enter'),
  },
  'the run that is followed': {
    held: 'follow',
    words: 'Looking at the files, to follow them…',
    canBeStopped: false,
    begin: (page) => palette(page, 'Follow this run'),
  },
  'a limit that is tried beside the last answer': {
    held: 'tryLimits',
    words: 'Looking where everything stands…',
    canBeStopped: true,
    async before(page) {
      await page.keyboard.press('4')
      await page.locator('.lab-result:not(.stale) .lab-cost').waitFor()
    },
    begin: (page) => page.getByRole('button', { name: 'No limits' }).click(),
  },
}

describePage('what takes a while and has no place of its own', (tests) => {
  let window: Window
  const opened = async (before = '') => {
    window = await tests.open({}, async (page) => {
      await page.addInitScript(HOLDING)
      await page.addInitScript(before)
    })
    await window.drop([FAILING])
    await window.read()
    return window.page
  }
  afterEach(async () => {
    expect(window.errors).toEqual([])
    await window.close()
  })

  test.each(Object.entries(WAITS))('is told while one waits for %s', async (_, { held, words, ...wait }) => {
    const page = await opened()
    await wait.before?.(page)
    await page.evaluate(`window.hold('${held}')`)
    await wait.begin(page)
    const told = page.getByRole('status').filter({ hasText: words })
    await told.waitFor()
    const stop = told.getByRole('button', { name: 'Stop' })
    if (wait.canBeStopped) await stop.waitFor()
    else expect(await stop.count()).toBe(0)
    await page.evaluate('window.letGo()')
    await told.waitFor({ state: 'detached' })
  })

  test('can be stopped: rows that stay in their order are said to be in it', async () => {
    const page = await opened()
    await page.keyboard.press('2')
    await page.getByText('96 of 96 rollouts listed').waitFor()
    await page.evaluate(`window.hold('search')`)
    await page
      .getByRole('columnheader', { name: /tokens/ })
      .getByRole('button')
      .click()
    const told = page.getByRole('status').filter({ hasText: 'Putting the rollouts in order…' })
    const head = page.getByRole('columnheader', { name: /tokens/ })
    expect(await head.getAttribute('aria-sort')).toBe('descending')
    await told.getByRole('button', { name: 'Stop' }).click()
    await page.locator('.notice', { hasText: 'stay in the order that they were in' }).waitFor({ state: 'attached' })
    expect(await head.getAttribute('aria-sort')).not.toBe('descending')
    await told.waitFor({ state: 'detached' })
    await page.evaluate('window.letGo()')
    await page.getByText('96 of 96 rollouts listed').waitFor()
  })

  test('is told beside what else is under way, and each can be stopped', async () => {
    const page = await opened()
    await page.keyboard.press('2')
    await page.getByText('96 of 96 rollouts listed').waitFor()
    await page.evaluate(`window.hold('search', 'recordsOf')`)
    await page.keyboard.press('F')
    const told = (words: string) => page.getByRole('status').filter({ hasText: words })
    await told('Looking up 96 rollouts…').waitFor()
    await page
      .getByRole('columnheader', { name: /tokens/ })
      .getByRole('button')
      .click()
    await told('Putting the rollouts in order…').waitFor()
    await told('Looking up 96 rollouts…').waitFor()
    await told('Putting the rollouts in order…').getByRole('button', { name: 'Stop' }).click()
    await told('Putting the rollouts in order…').waitFor({ state: 'detached' })
    await told('Looking up 96 rollouts…').waitFor()
    await page.evaluate('window.letGo()')
    await told('Looking up 96 rollouts…').waitFor({ state: 'detached' })
  })

  test('can be stopped and taken up again: a group that is read', async () => {
    const page = await opened()
    await page.keyboard.press('3')
    const rows = page.getByRole('grid', { name: 'Groups' }).locator('tbody tr')
    const group = page.getByRole('article', { name: /^Group/ })
    const before = await group.getAttribute('aria-label')
    await page.evaluate(`window.hold('group')`)
    await rows.nth(1).click()
    await page
      .getByRole('status')
      .filter({ hasText: 'Reading the group…' })
      .getByRole('button', { name: 'Stop' })
      .click()
    await page.getByText('Reading the group: stopped.').waitFor()
    expect(await group.count()).toBe(0)
    await page.evaluate('window.letGo()')
    await page.getByRole('button', { name: 'Go on' }).click()
    // Until it is there, the one before it is shown again.
    await expect.poll(() => group.getAttribute('aria-label')).not.toBe(before)
  })

  test('can be stopped and taken up again: a rollout that is opened', async () => {
    const page = await opened()
    await page.keyboard.press('2')
    await page.getByText('96 of 96 rollouts listed').waitFor()
    await page.evaluate(`window.hold('trajectory')`)
    await page.keyboard.press('Enter')
    await page
      .getByRole('status')
      .filter({ hasText: 'Opening the rollout…' })
      .getByRole('button', { name: 'Stop' })
      .click()
    await page.getByText('Opening the rollout: stopped.').waitFor()
    await page.evaluate('window.letGo()')
    expect(await page.locator('.tokens .token').count()).toBe(0)
    // The next one is another one, which nobody stopped.
    await page.keyboard.press('n')
    await page.locator('.tokens .token').first().waitFor()
    await page.keyboard.press('p')
    await page.getByText('Opening the rollout: stopped.').waitFor()
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.locator('.tokens .token').first().waitFor()
  })

  test('leaves what was read where the judging of a run that is no longer followed is stopped', async () => {
    const page = await opened()
    await page.getByRole('button', { name: 'Follow', exact: true }).click()
    await page.getByText('following, 96 rollouts so far').waitFor()
    // Verdicts are drawn while the files are read; these are of all that is there.
    await page.locator('.verdicts').getByText('of 96 rollouts)').first().waitFor()
    await page.evaluate(`window.hold('report')`)
    await page.getByRole('button', { name: 'Follow', exact: true }).click()
    await page.getByText('judging 96 rollouts').waitFor()
    await page.locator('.status-reading').getByRole('button', { name: 'Stop' }).click()
    await page.getByText('read 96 rollouts', { exact: true }).waitFor()
    await page.locator('.verdict-row').first().waitFor()
    // The engine had drawn all of them by then.
    expect(await page.getByText('Judging was stopped').count()).toBe(0)
    await page.evaluate('window.letGo()')
    await page.keyboard.press('2')
    await page.getByText('96 of 96 rollouts listed').waitFor()
  })

  test.each([
    [
      'an export',
      async (page: Page) => {
        const saved = page.waitForEvent('download')
        await page.keyboard.press('e')
        await page.getByRole('radio', { name: /^Native JSONL/ }).check()
        await page.keyboard.press('Enter')
        await saved
      },
    ],
    [
      'another policy that is tried',
      async (page: Page) => {
        await page.keyboard.press('4')
        await page.locator('.lab-head').getByRole('button', { name: 'Policy' }).click()
        await page.getByRole('radio', { name: /^SFT/i }).check()
      },
    ],
  ])('has the verdicts on everything that were drawn for %s after judging was stopped', async (_, begin) => {
    const page = await opened(LEFT_PARTLY_JUDGED)
    await page.getByRole('button', { name: 'Follow', exact: true }).click()
    await page.getByText('following, 96 rollouts so far').waitFor()
    await page.locator('.verdicts').getByText('of 96 rollouts)').first().waitFor()
    await page.evaluate(`window.hold('report')`)
    await page.getByRole('button', { name: 'Follow', exact: true }).click()
    await page.getByText('judging 96 rollouts').waitFor()
    await page.locator('.status-reading').getByRole('button', { name: 'Stop' }).click()
    const partly = page.locator('.status-reading', { hasText: 'not judged to the end' })
    await partly.waitFor()
    await page.evaluate('window.letGo()')
    await begin(page)
    await partly.waitFor({ state: 'detached' })
    await page.keyboard.press('1')
    await page.locator('.verdict-row').first().waitFor()
    expect(await page.getByText('Judging was stopped').count()).toBe(0)
  })

  test('is no run without token ids: until the first rollout is read the header tells of nothing that is missing', async () => {
    const page = await opened()
    const header = page.locator('.truth-line')
    expect(await header.innerText()).toMatch(/without/)
    await page.evaluate(`window.hold('progress')`)
    await page.getByRole('button', { name: 'Follow', exact: true }).click()
    await page.getByText('following, 0 rollouts so far').waitFor()
    expect(await header.innerText()).toMatch(/rollouts\s*none yet/)
    expect(await header.innerText()).toMatch(/limits\s*not known yet/)
    expect(await header.innerText()).not.toMatch(/without/)
    const [, shown, all] = /(\d+) of (\d+) rollouts listed/.exec(await page.locator('.status-line').innerText()) ?? []
    expect(Number(shown)).toBeLessThanOrEqual(Number(all))
    await page.evaluate('window.letGo()')
    await page.getByText('following, 96 rollouts so far').waitFor()
    await header.getByText('without').waitFor()
    expect(await header.innerText()).toMatch(/rollouts\s*96/)
  })

  test('is told where the code of a dialog is still to come', async () => {
    const page = await opened()
    let letGo = () => {}
    const released = new Promise<void>((done) => {
      letGo = done
    })
    await page.route('**/assets/table-dialog*', async (route) => {
      await released
      await route.continue()
    })
    await page.getByRole('button', { name: 'Save the turn edges…' }).click()
    const told = page.getByRole('status').filter({ hasText: 'One moment…' })
    await told.waitFor()
    letGo()
    await page.getByRole('dialog').waitFor()
    await told.waitFor({ state: 'detached' })
  })

  test('can be stopped while a picture is drawn, which leaves the page as it was', async () => {
    const page = await opened()
    await page.keyboard.press('2')
    await page.getByText('96 of 96 rollouts listed').waitFor()
    await page.locator('.table-scroller, [role=grid]').first().focus()
    const focused = await page.evaluate('document.activeElement.className')
    let downloads = 0
    page.on('download', () => downloads++)
    await palette(page, 'picture')
    const told = page.getByRole('status').filter({ hasText: 'Drawing what the window shows…' })
    await told.getByRole('button', { name: 'Stop' }).click()
    await page.locator('.notice', { hasText: 'Stopped: no picture was saved' }).waitFor({ state: 'attached' })
    await told.waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.className')).toBe(focused)
    await page.keyboard.press('j')
    await page.getByRole('row', { selected: true }).waitFor()
    expect(downloads).toBe(0)
  })

  test('is told before a picture is drawn', async () => {
    const page = await opened()
    const saved = page.waitForEvent('download')
    await palette(page, 'picture')
    await saved
    expect(await page.evaluate('window.told')).toContainEqual(expect.stringContaining('Drawing what the window shows…'))
    await page.locator('.under-way').waitFor({ state: 'detached' })
  })
})
