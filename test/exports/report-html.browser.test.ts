import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestFolder } from '../browser/inspector-page.ts'
import { commandLine } from '../cli/command-line.ts'
import { chromiumMissing, launchChromium } from '../helpers/chromium.ts'
import { assistant, conversation, tool, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { HOSTILE } from './report-fixture.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const ALIVE =
  '<img src=x onerror="document.title=\'alive\'"><script>document.title="alive"</script><style>*{display:none}</style>'

describe.skipIf(chromiumMissing !== null)(
  `the HTML report in a browser${chromiumMissing === null ? '' : ` (${chromiumMissing})`}`,
  () => {
    let browser: Browser
    const folder = new TestFolder()
    let address = ''

    beforeAll(async () => {
      browser = await launchChromium()
      const tokenizer = await testTokenizer('qwen2.5')
      const rows = Array.from({ length: 4 }, (_, i) => {
        const turns = [
          user(`${i} ${ALIVE}`),
          assistant('I look.'),
          tool(`${HOSTILE} ${ALIVE} \u202edlrow\u2069`, { train: { content: true } }),
          assistant('Seen.'),
        ]
        const { record } = conversation(tokenizer, turns, { id: `${ALIVE}${i}`, group: 'g', groupSize: 4, reward: 1 })
        return JSON.stringify(record)
      })
      folder.write('rows.jsonl', `${rows.join('\n')}\n`)
      const ran = await commandLine(['inspect', 'rows.jsonl', '--format', 'html', '--out', 'report.html'], {
        directory: folder.path,
      })
      expect(ran.code).toBe(1)
      address = pathToFileURL(join(folder.path, 'report.html')).href
    })
    afterAll(async () => {
      await browser.close()
      folder.remove()
    })

    async function open(options: Parameters<Browser['newPage']>[0] = {}): Promise<{ page: Page; errors: string[] }> {
      const page = await browser.newPage(options)
      const errors: string[] = []
      page.on('console', (message) => errors.push(message.text()))
      page.on('pageerror', (error) => errors.push(error.message))
      page.on('request', (request) => void (request.url() !== address && errors.push(`asked for ${request.url()}`)))
      await page.goto(address)
      return { page, errors }
    }

    test('shows tokens with their ids and states, and nothing of the dump comes alive', async () => {
      const { page, errors } = await open()
      expect(await page.title()).toBe('Rollout Inspector: rows.jsonl')
      expect(await page.locator('img, script, main style').count()).toBe(0)
      const card = page.getByRole('region', { name: /^M01/ })
      const token = card.locator('mark .t i').filter({ hasText: '<' }).first()
      await token.waitFor()
      expect(await token.getAttribute('title')).toMatch(/^\d+$/)
      // The style is the page's own, and the policy let it through.
      expect(await token.evaluate((node) => getComputedStyle(node).borderBottomWidth)).toBe('2px')
      expect(await card.innerText()).toContain('‹U+202E›')
      await card.getByText('3 more findings of M01').click()
      expect(await card.locator('article').nth(3).isVisible()).toBe(true)
      expect(errors).toEqual([])
      await page.close()
    })

    test.each(['light', 'dark'] as const)('breaks no rule of axe-core, %s', async (colorScheme) => {
      // axe-core is put into the page by evaluation, which the page's own policy refuses.
      const context = await browser.newContext({ colorScheme, bypassCSP: true })
      const page = await context.newPage()
      await page.goto(address)
      await page.evaluate(() => {
        for (const each of document.querySelectorAll('details')) each.open = true
      })
      await page.evaluate(axe)
      const violations = await page.evaluate(
        'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + " at " + nodes[0].html))',
      )
      expect(violations).toEqual([])
      await context.close()
    })

    test('on paper the folded verdicts are open, in dark ink', async () => {
      const { page } = await open({ colorScheme: 'dark' })
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
      const folded = page.locator('details.card:not([open])').first()
      const shown = await folded
        .locator('p')
        .first()
        .evaluate((node) => node.checkVisibility({ contentVisibilityAuto: true }))
      expect(shown).toBe(true)
      const ink = await page.locator('main').evaluate((node) => getComputedStyle(node).color)
      expect(ink).toBe('rgb(28, 31, 36)')
      await page.close()
    })
  },
)
