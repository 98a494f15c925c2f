import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

/** Numbers that open nothing, and why. `itself`: what stands in such an element and in nothing inside of it. */
const OPEN_NOTHING: readonly { readonly where: string; readonly itself?: true; readonly because: string }[] = [
  { where: '.advice', because: 'sentences; their numbers stand below, with what is behind them' },
  { where: 'h2, h3, thead, dt, .verdict-id, .verdict-row-id', because: 'names' },
  { where: '.measure-text', itself: true, because: 'the name of a measure, whose value opens what is behind it' },
  { where: '.measure-more', because: 'what is said of a value in words, which opens what is behind it' },
  { where: '.measure-threshold', because: 'a number that was set' },
  { where: '.ways, .missing, form', because: 'sentences on the measures beside them' },
  { where: '.faults-lead, .defect-part > p, .defect-codes, .check-title', because: 'codes, names and explanations' },
  { where: '.rate', because: 'the rate of the count beside it, which opens the rollouts' },
  { where: '.check-places, .check-note', because: 'the places in the rollouts that the count above opens' },
  { where: '.check-context', because: 'what a check states beside its count, which opens the rollouts' },
  { where: '.check-list', because: 'checks that found nothing: there is no rollout to open' },
  { where: '.part-table tbody th, .boundary-table tbody th', because: 'the number of a turn, and names' },
  { where: '.axis-label, .limit', because: 'the scale of a drawing, and limits, which were set' },
  { where: '.step-plot, .step-note', because: 'the scale of a drawing, and its ends; its points open their rollouts' },
  { where: '.step-table td', because: 'numbers of a step, which opens its rollouts at the head of the row' },
]

interface Loose {
  readonly text: string
  readonly around: string
}

/** Numbers on the screen that nothing can be opened by. */
async function looseNumbers(page: Page): Promise<Loose[]> {
  return page.locator('.verdicts').evaluate((verdicts, known) => {
    const loose: Loose[] = []
    const walker = document.createTreeWalker(verdicts, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const [text, element] = [node.textContent?.trim() ?? '', node.parentElement]
      // Nothing is behind a number of none.
      if (element === null || !/\d/.test(text) || /^0(?: %)?$/.test(text)) continue
      if (element.closest('button, [role="button"], summary, label, .visually-hidden') !== null) continue
      if (known.some(({ where, itself }) => (itself ? element.matches(where) : element.closest(where) !== null)))
        continue
      const classes = [element, element.parentElement, element.parentElement?.parentElement]
      loose.push({
        text,
        around: classes.map((each) => `${each?.tagName.toLowerCase()}.${each?.className}`).join(' < '),
      })
    }
    return loose
  }, OPEN_NOTHING)
}

async function unfoldAll(page: Page): Promise<void> {
  const folded = page.locator('.verdicts').getByRole('button', { expanded: false })
  while ((await folded.count()) > 0) await folded.first().click()
  await page.locator('.verdicts details').evaluateAll((all) => {
    for (const details of all) (details as HTMLDetailsElement).open = true
  })
  await page.locator('.verdicts form').first().waitFor()
}

describePage('each number of the verdicts', ({ openWith }) => {
  for (const sample of ['verifiers-2025-08', 'clean-gsm8k', 'verifiers-2025-07-llama']) {
    test(`opens what is behind it, in ${sample}`, async () => {
      const window = await openWith([join(SAMPLES, `${sample}.jsonl.gz`)])
      const { page } = window
      await page.getByText('Turn edges').waitFor()
      await page.locator('.bin').first().waitFor()
      await unfoldAll(page)
      expect(await looseNumbers(page)).toEqual([])
      expect(window.errors).toEqual([])
      await window.close()
    })
  }
})
