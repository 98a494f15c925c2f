import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { SAMPLES, VIEW_SIGNS, type Window } from './inspector-page.ts'

/** Is told of a screen once it is drawn. */
export type Look = (screen: string) => Promise<void>

const SINGLE_TURN = join(SAMPLES, 'clean-gsm8k.jsonl.gz')
const OTHER_RUN = join(SAMPLES, 'clean-qwen2.5.jsonl.gz')

/** Walks through every screen, dialog and fold of the page, part by part. Each part begins with the failing sample open, `start` with nothing. */
export const SCREENS: Readonly<Record<string, (window: Window, look: Look) => Promise<void>>> = {
  start: async (_, look) => {
    await look('start')
  },
  verdicts: async ({ page }, look) => {
    await go(page, 1)
    await page.getByText('Turn edges').waitFor()
    await look('verdicts')
    const folded = page.locator('.verdicts').getByRole('button', { expanded: false })
    while ((await folded.count()) > 0) await folded.first().click()
    for (const fold of await page.locator('.verdicts summary').all()) await fold.click()
    await page.locator('.verdicts').evaluate((scroller) => scroller.scrollTo(0, 0))
    await look('verdicts unfolded')
    await dialog(page, look, 'check', () => page.getByRole('button', { name: 'T05', exact: true }).first().click())
    for (const entry of ['files', 'format', 'tokenizer', 'policy', 'limits', 'without'])
      await dialog(page, look, `truth line, ${entry}`, () =>
        page
          .getByRole('button', { name: new RegExp(`^${entry}`) })
          .first()
          .click(),
      )
    await dialog(page, look, 'dataset', () => page.getByRole('button', { name: 'Choose the dataset…' }).click())
    await dialog(page, look, 'save a table', () => page.getByRole('button', { name: 'Save the turn edges…' }).click())
    await dialog(page, look, 'second run', () => page.keyboard.press('='))
    await dialog(page, look, 'palette', () => page.keyboard.press('Control+k'))
    await dialog(page, look, 'keys', () => page.keyboard.press('?'))
    await dialog(page, look, 'pin', () => page.keyboard.press('i'))
  },
  rollouts: async ({ page }, look) => {
    await go(page, 2)
    for (const key of ['j', 'f']) await page.keyboard.press(key)
    await look('rollouts')
    for (const [name, key] of [
      ['columns', 'c'],
      ['views', 'v'],
      ['label', 't'],
      ['note', 'N'],
      ['export', 'e'],
    ] as const)
      await dialog(page, look, name, () => page.keyboard.press(key))
    await page.keyboard.press('/')
    await page.keyboard.type('t')
    await page.locator('.completion-offers > button').first().waitFor()
    await look('completions')
    await page.keyboard.type('okens > 300 and ')
    await page.locator('.completion-problem').waitFor()
    await look('a query that cannot be read')
    await page.getByRole('combobox', { name: /^Query/ }).fill('tokens > 300')
    await page.keyboard.press('Enter')
    await page.locator('.query-answer').getByText('rollouts').first().waitFor()
    await page.keyboard.press('Escape')
    await look('a query')
    await page.keyboard.press('g')
    await look('rollouts by group')
  },
  rollout: async ({ page }, look) => {
    await openFirst(page)
    await look('rollout')
    await page.locator('.token').nth(20).click()
    await page.locator('.panel-verdict').waitFor()
    await look('a token')
    await page.keyboard.press('o')
    const overlays = page.getByRole('listbox', { name: 'Colour tokens by' })
    await overlays.waitFor()
    await look('the list of overlays')
    await page.keyboard.press('Escape')
    const first = await page.evaluate('location.hash')
    for (let at = 1; at < 20; at++) {
      await page.keyboard.press('>')
      await page.locator('.overlay-legend, .token').first().waitFor()
      await look(`overlay ${at}`)
      if ((await page.evaluate('location.hash')) === first) break
    }
    await page.keyboard.press('g')
    await page.locator('.grid-cell').first().waitFor()
    await look('grid')
    await page.keyboard.press('>')
    await look('grid with an overlay')
    await page.keyboard.press('<')
    await page.keyboard.press('g')
    for (const [name, key] of [
      ['re-render', 'r'],
      ['re-tokenise', 'R'],
    ] as const) {
      await page.keyboard.press(key)
      await page.locator('.compare-summary, .compare-ids > .nothing').waitFor()
      await look(name)
    }
    await page.keyboard.press('b')
    await page.locator('.zoom-edge').first().waitFor()
    await look('boundary zoom')
    await page.keyboard.press('m')
    await page.locator('.messages').waitFor()
    await look('messages')
    for (const tab of ['Tools', 'Documents']) {
      await page.getByRole('tab', { name: tab }).click()
      await look(tab.toLowerCase())
    }
    await page.keyboard.press('w')
    await page.locator('.raw-record').waitFor()
    await look('record')
  },
  groups: async ({ page }, look) => {
    await go(page, 3)
    await page.locator('.group-detail').waitFor()
    await look('groups')
    for (const fold of await page.locator('.groups summary:visible').all()) await fold.click()
    await look('what the words of groups mean')
    for (const fold of await page.locator('.groups summary:visible').all()) await fold.click()
    await page.getByRole('heading', { name: 'Rollouts and their advantages' }).scrollIntoViewIfNeeded()
    await look('a group')
    await page.getByRole('button', { name: /^all \d+ schemes$/ }).click()
    await look('all schemes of a group')
    await page.keyboard.press('d')
    const beside = page.getByRole('region', { name: 'Both rollouts side by side' })
    await beside.waitFor()
    await beside.scrollIntoViewIfNeeded()
    await look('two siblings')
  },
  lab: async ({ page }, look) => {
    await go(page, 4)
    await page.locator('.lab-cost').waitFor()
    await look('limits')
    await page.locator('.lab-cost').scrollIntoViewIfNeeded()
    await look('what limits cost')
    for (const [panel, sign] of [
      ['advantages and loss', 'Largest advantage'],
      ['policy', 'Policy'],
      ['repaired masks', 'masked whole'],
    ] as const) {
      await page.keyboard.press('l')
      await page.locator('.lab').getByText(sign).first().waitFor()
      await settled(page)
      await look(panel)
      await toEnd(page.locator('.lab'))
      await look(`${panel}, its end`)
    }
    await dialog(page, look, 'save what is tried', () =>
      page.getByRole('button', { name: 'Save…', exact: true }).click(),
    )
  },
  compare: async (window, look) => {
    const { page } = window
    await page.keyboard.press('5')
    await page.getByRole('heading', { name: 'Drop a second run here' }).waitFor()
    await look('compare without a second run')
    await window.drop([SINGLE_TURN])
    await page.getByRole('heading', { name: 'What differs' }).waitFor()
    await walkThroughComparison(page, look, 'another kind of run')
    await page.keyboard.press('1')
    await page.getByText('Judged beside a second run').waitFor()
    await look('verdicts beside a second run')
    await dialog(page, look, 'the second run', () => page.getByRole('button', { name: /^second run/ }).click())
    await page.keyboard.press('5')
    await window.drop([OTHER_RUN])
    await page.getByText('clean-qwen2.5.jsonl.gz').first().waitFor()
    await page.getByRole('heading', { name: 'What differs' }).waitFor()
    await walkThroughComparison(page, look, 'the same questions')
  },
  notebook: async ({ page }, look) => {
    await go(page, 6)
    await look('board')
    for (const [name, key] of [
      ['roadmap', 'r'],
      ['experiments', 'x'],
      ['problem', 'p'],
      ['files of the notebook', 'F'],
    ] as const) {
      await page.keyboard.press(key)
      await settled(page)
      await look(name)
    }
    await page.keyboard.press('b')
    await page.locator('[data-card]').first().click()
    await page.locator('.note-page').waitFor()
    await look('a hypothesis')
    await toEnd(page.locator('.notebook-body'))
    await look('a hypothesis, its end')
    await page.keyboard.press('Escape')
    await page.keyboard.press('N')
    await page.getByRole('heading', { name: 'New experiment' }).waitFor()
    await look('a new experiment')
    await page.getByRole('button', { name: /^A LoRA/ }).click()
    await page.getByRole('heading', { name: /^A1 / }).waitFor()
    await page.keyboard.press('Escape')
    await look('an experiment')
    await page.keyboard.press('Escape')
    await look('experiments with one')
  },
}

async function walkThroughComparison(page: Page, look: Look, what: string): Promise<void> {
  await look(`compare, ${what}`)
  for (const fold of await page.locator('.compare summary:visible').all()) await fold.click()
  await look(`compare, ${what}, unfolded`)
  for (const [name, key, sign] of [
    ['distributions', 'c', '.compare-curves .curve'],
    ['questions', 'q', '.pairs-view, .nothing'],
    ['any two', 'b', '.compare-any'],
  ] as const) {
    await page.keyboard.press(key)
    await page.locator(sign).first().waitFor()
    await settled(page)
    await look(`compare, ${what}, ${name}`)
  }
  await page.keyboard.press('m')
}

async function go(page: Page, view: keyof typeof VIEW_SIGNS): Promise<void> {
  await page.keyboard.press(String(view))
  await page.locator(VIEW_SIGNS[view]).first().waitFor()
}

async function openFirst(page: Page): Promise<void> {
  await go(page, 2)
  await page.keyboard.press('Enter')
  await page.locator('.token.trained').first().waitFor()
}

/** Opens a dialog, looks at it and closes it again. */
async function dialog(page: Page, look: Look, name: string, open: () => Promise<unknown>): Promise<void> {
  await open()
  await page.getByRole('dialog').waitFor()
  await look(name)
  while ((await page.getByRole('dialog').count()) > 0) await page.keyboard.press('Escape')
}

/** Waits until nothing says that it is being looked up. */
async function settled(page: Page): Promise<void> {
  await page.locator('.view progress').first().waitFor({ state: 'detached' })
}

async function toEnd(scroller: Locator): Promise<void> {
  await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight))
}
