import { join } from 'node:path'
import { expect, test } from 'vitest'
import { violations } from './axe.ts'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'
import { SCREENS } from './screens.ts'

/** How a screen is built is the same in every theme, which is asked once; what another theme can break are colours. */
const THEMES = [
  { theme: 'light', options: { colorScheme: 'light' }, rules: undefined },
  { theme: 'dark', options: { colorScheme: 'dark' }, rules: ['color-contrast'] },
  { theme: 'more contrast', options: { contrast: 'more' }, rules: ['color-contrast'] },
] as const

describePage('every screen, dialog and fold', (tests) => {
  for (const { theme, options, rules } of THEMES)
    test.each(Object.keys(SCREENS))(`of %s breaks no rule of axe-core, ${theme}`, async (part) => {
      // axe-core is put into the page by evaluation, which the page's own policy refuses. Without motion, so that nothing is measured while it fades.
      const window = await tests.open({ ...options, bypassCSP: true, reducedMotion: 'reduce' })
      if (part !== 'start') {
        await window.drop([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
        await window.read()
      }
      const broken: Record<string, string[]> = {}
      await SCREENS[part]?.(window, async (screen) => {
        const found = await violations(window.page, rules)
        if (found.length > 0) broken[screen] = found
      })
      expect(broken).toEqual({})
      expect(window.errors).toEqual([])
      await window.close()
    }, 180_000)
})
