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
    // What a person asks for in words is answered, and the chip takes it away again.
    await page.getByRole('combobox', { name: /query/i }).fill('finding:M03')
    await expect.poll(() => chip.isDisabled()).toBe(false)
    await chip.click()
    await expect.poll(() => page.locator('.rollout-row').count()).toBe(8)
    expect(window.errors).toEqual([])
    await window.close()
  })
})
