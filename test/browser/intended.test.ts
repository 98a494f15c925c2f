import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { lastTurnGroups } from './last-turn.ts'

describePage('a dump whose format says that only the last turn is trained', (tests) => {
  test('offers what the policy intends as no error, and not as a filter that finds nothing', async () => {
    const file = tests.folder.write('last-turn.jsonl', await lastTurnGroups(2, 4))
    const window = await tests.openWith([file])
    const { page } = window
    await page.keyboard.press('2')
    const chip = page.getByRole('group', { name: 'Filters' }).getByRole('button', { name: 'M03' })
    await chip.waitFor()
    expect(await chip.innerText()).toBe('○ M03 8 intended')
    expect(await chip.getAttribute('class')).toBe('chip intended')
    expect(await chip.isDisabled()).toBe(true)
    // What a person asks for in words can be taken away by it.
    await page.getByRole('combobox', { name: 'Query' }).fill('finding:M03')
    await expect.poll(() => chip.isDisabled()).toBe(false)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('says the same of an edge beside its tokens, above all such edges and in the table of verdicts', async () => {
    const file = tests.folder.write('ends-with-replies.jsonl', await lastTurnGroups(2, 4, true))
    const window = await tests.openWith([file])
    const { page } = window
    const maskOf = (edge: string) =>
      page.locator('.boundary-table tbody tr').filter({ hasText: edge }).locator('td').last()
    await maskOf('assistant').first().waitFor()
    expect(await maskOf('end').innerText()).toBe('✗ 0 %')
    expect(await page.locator('.boundary-table .share-bad').count()).toBe(2)
    await page.keyboard.press('2')
    await page.locator('.mask-strip').first().waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.token.trained').first().waitFor()
    await page.keyboard.press('b')
    const edges = page.locator('.zoom-edge')
    await expect.poll(() => edges.count()).toBe(4)
    const told = await edges.evaluateAll((all) =>
      all.map((edge) => [
        edge.querySelector('.zoom-share.bad')?.textContent ?? null,
        edge.querySelectorAll('td.wrong').length > 0,
      ]),
    )
    const wrong = '✗ mask not as expected: 8 of 8'
    expect(told).toEqual([
      [null, false],
      [null, false],
      [wrong, true],
      [wrong, true],
    ])
    await window.close()
  })
})
