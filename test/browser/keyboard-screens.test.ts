import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'
import { SCREENS } from './screens.ts'

/** What Tab passes over, and which keys do it. `oneOf`: arrows go through these, and Tab leads to one of them. */
const OTHER_KEYS: readonly { readonly where: string; readonly oneOf?: true; readonly because: string }[] = [
  { where: '.verdict-row-title', because: 'its arrow beside it does the same' },
  { where: '.overlay-away', because: 'Escape does the same' },
  { where: '.outline-turn', oneOf: true, because: 'arrows go from turn to turn' },
  { where: '.card', oneOf: true, because: 'arrows go from card to card' },
]

/** Roles whose parts arrows go through. */
const WALKED = ['tablist', 'grid', 'listbox', 'radiogroup'].map((role) => `[role="${role}"]`).join()

const CONTROLS =
  'button, a[href], input, select, textarea, summary, [role="button"], [role="link"], [role="checkbox"], [role="slider"]'

describePage('every control of every screen, dialog and fold', (tests) => {
  test.each(Object.keys(SCREENS))('of %s is reached by key', async (part) => {
    const window = await tests.open({ reducedMotion: 'reduce' })
    if (part !== 'start') {
      await window.drop([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
      await window.read()
    }
    const beyond: Record<string, string[]> = {}
    await SCREENS[part]?.(window, async (screen) => {
      const found = await window.page.evaluate(
        ({ controls, walked, otherKeys }) => {
          const shown = [...document.querySelectorAll<HTMLElement>(controls)].filter((each) => each.checkVisibility())
          const isPassed = (each: HTMLElement) => each.tabIndex < 0 && !each.matches(':disabled')
          const byOthers = otherKeys
            .filter(({ where, oneOf }) => !oneOf || shown.some((each) => each.matches(where) && each.tabIndex >= 0))
            .map(({ where }) => where)
          return shown
            .filter((each) => isPassed(each) && each.closest(walked) === null)
            .filter((each) => !byOthers.some((where) => each.matches(where)))
            .map((each) => `${each.tagName.toLowerCase()}.${each.className}: ${each.textContent}`)
        },
        { controls: CONTROLS, walked: WALKED, otherKeys: OTHER_KEYS },
      )
      if (found.length > 0) beyond[screen] = found
    })
    expect(beyond).toEqual({})
    expect(window.errors).toEqual([])
    await window.close()
  })
})
