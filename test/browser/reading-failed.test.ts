import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')

/** As a text: a bundler would put names into it that the page does not know. The engine fails to answer what it found. */
const NO_REPORT = `(() => {
  const asked = new Map()
  const Own = window.Worker
  window.Worker = class extends Own {
    postMessage(message, ...rest) {
      if (message.kind === 'call') asked.set(message.call, message.name)
      super.postMessage(message, ...rest)
    }
    addEventListener(type, listener, ...rest) {
      const hear = ({ data }) => {
        const isReport = data.kind === 'answer' && asked.get(data.call) === 'report' && window.isBroken !== false
        listener({ data: isReport ? { kind: 'failed', call: data.call, message: 'M01 threw at record 3.' } : data })
      }
      super.addEventListener(type, type === 'message' ? hear : listener, ...rest)
    }
  }
})()`

describePage('a dump that could not be judged', (tests) => {
  test('is said to have failed, and not to lack what nobody looked for', async () => {
    const window = await tests.open({}, async (page) => void (await page.addInitScript(NO_REPORT)))
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    await page.getByRole('heading', { name: 'Reading failed' }).waitFor()
    const verdicts = await page.locator('.verdicts').innerText()
    expect(verdicts).toContain('M01 threw at record 3.')
    expect(verdicts).not.toMatch(/no token ids|nothing is known to be right|cannot decide/)
    expect(await page.locator('.truth-line').innerText()).not.toMatch(/without/)
    // Opened once more, it is judged as any other.
    await page.evaluate('window.isBroken = false')
    await window.drop([FAILING])
    await page.locator('.verdict-row').first().waitFor()
    expect(await page.getByRole('heading', { name: 'Reading failed' }).count()).toBe(0)
    expect(await page.locator('.truth-line').innerText()).toMatch(/without/)
    await window.close()
  })
})
