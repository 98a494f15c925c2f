import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES, type Window } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')

/** As a text: a bundler would put names into it that the page does not know. Answers to a question that is held wait until they are let go. */
const HOLDING = `(() => {
  const asked = new Map()
  const held = []
  let name = null
  const Own = window.Worker
  window.Worker = class extends Own {
    postMessage(message, ...rest) {
      if (message.kind === 'call') asked.set(message.call, message.name)
      super.postMessage(message, ...rest)
    }
    addEventListener(type, listener, ...rest) {
      const hear = (event) => {
        const { kind, call } = event.data ?? {}
        if (kind === 'answer' && name !== null && asked.get(call) === name) held.push(() => listener(event))
        else listener(event)
      }
      super.addEventListener(type, type === 'message' ? hear : listener, ...rest)
    }
  }
  window.hold = (question) => { name = question }
  window.letGo = () => {
    name = null
    for (const tell of held.splice(0)) tell()
  }
  window.told = []
  new MutationObserver(() => {
    const words = document.querySelector('.under-way')?.textContent
    if (words !== undefined && !window.told.includes(words)) window.told.push(words)
  }).observe(document, { subtree: true, childList: true, characterData: true })
})()`

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
  const opened = async () => {
    window = await tests.open({}, async (page) => {
      await page.addInitScript(HOLDING)
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
    expect(await told.getByRole('button', { name: 'Stop' }).count()).toBe(wait.canBeStopped ? 1 : 0)
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

  test('is told before a picture is drawn, which holds the page up', async () => {
    const page = await opened()
    const saved = page.waitForEvent('download')
    await palette(page, 'picture')
    await saved
    expect(await page.evaluate('window.told')).toContainEqual(expect.stringContaining('Drawing what the window shows…'))
    await page.locator('.under-way').waitFor({ state: 'detached' })
  })
})
