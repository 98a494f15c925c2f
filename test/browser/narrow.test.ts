import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cutOff } from './cut-off.ts'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'
import { SCREENS } from './screens.ts'

describePage('a window of 1024 by 700', (tests) => {
  test.each(Object.entries(SCREENS))('has room for %s', async (part, walk) => {
    const window = await tests.open({ viewport: { width: 1024, height: 700 }, reducedMotion: 'reduce' })
    if (part !== 'start') {
      await window.drop([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
      await window.read()
    }
    const cut: Record<string, string[]> = {}
    await walk(window, async (screen) => {
      const found = await cutOff(window.page)
      if (found.length > 0) cut[screen] = found
    })
    expect(cut).toEqual({})
    expect(window.errors).toEqual([])
    await window.close()
  })
})
