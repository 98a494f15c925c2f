import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { openWindow, serveSlowly } from './inspector-page.ts'

const ROLLOUTS = 1200

/** Some 12 MB of rollouts of 1,500 tokens each. */
function manyRollouts(): Uint8Array<ArrayBuffer> {
  const lines = Array.from({ length: ROLLOUTS }, (_, rollout) => {
    const text = Array.from({ length: 1500 }, (_, k) => 1000 + ((rollout * 31 + k * 7919) % 40_000))
    const ids = [151644, 77091, 198, ...text, 151645, 198]
    return JSON.stringify({ id: `r${rollout}`, input_ids: ids, loss_mask: ids.map((_, k) => (k > 2 ? 1 : 0)) })
  })
  return new TextEncoder().encode(lines.join('\n'))
}

describePage('while a file is read', (tests) => {
  test('the first rollouts can be opened before the last has arrived', async () => {
    const content = manyRollouts()
    const slow = await serveSlowly('slow.jsonl', content, Math.floor(content.length / 2))
    const window = await openWindow(tests.browser, slow.server)
    const { page } = window
    const soFar = page.getByText(/^reading, [\d,]+ rollouts so far/)
    await soFar.filter({ hasNotText: 'reading, 0' }).waitFor()
    await page.getByRole('button', { name: 'Rollouts', exact: false }).first().click()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('.token.selected').waitFor()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('r1')
    // All of this while half of the file has not arrived.
    await expect.poll(() => soFar.count()).toBe(1)
    const read = Number((await soFar.innerText()).match(/([\d,]+) rollouts/)?.[1]?.replace(',', ''))
    expect(read).toBeLessThan(ROLLOUTS)
    slow.release()
    await page.getByText(`read ${ROLLOUTS.toLocaleString('en-US')} rollouts`).waitFor()
    // What was on screen stays there.
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('r1')
    expect(window.errors).toEqual([])
    await window.close()
    await slow.server.close()
  })

  test('reading can be stopped', async () => {
    const content = manyRollouts()
    const slow = await serveSlowly('slow.jsonl', content, Math.floor(content.length / 2))
    const window = await openWindow(tests.browser, slow.server)
    // The page may be there before its engine is.
    const engine = window.page.workers()[0] ?? (await window.page.waitForEvent('worker'))
    const ended = new Promise((done) => engine.once('close', done))
    await window.page.getByRole('button', { name: 'Stop and close' }).click()
    // Whatever it is decoding, nothing of it goes on.
    await ended
    await window.page.getByText('Drop rollout files or a run’s folder here').waitFor()
    expect(await window.page.getByRole('alert').count()).toBe(0)
    expect(window.errors).toEqual([])
    await window.close()
    slow.release()
    await slow.server.close()
  })
})
