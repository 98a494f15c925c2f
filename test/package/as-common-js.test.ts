import { describe, expect, it } from 'vitest'
import { asCommonJs } from '../../scripts/as-common-js.ts'

/** A script as it is written into the build. */
function written(code: string): string {
  const bundle = { 'main.js': { code } }
  asCommonJs().generateBundle.call({ emitFile: () => '' }, {}, bundle)
  return bundle['main.js'].code
}

describe('scripts of the command line are written in ASCII', () => {
  it.each([
    ["'→ and 😀'", '→ and 😀'],
    ['`“1”`', '“1”'],
    ["'😀'.match(/^[😀é]$/u)?.[0]", '😀'],
    ['String.raw`\\u0041` + "é"', '\\u0041é'],
  ])('and %s stays what it is', (code, value) => {
    const ascii = written(code)
    expect(ascii).toMatch(/^[\0-\x7f]*$/)
    expect(new Function(`return ${ascii}`)()).toBe(value)
  })

  it('but a raw template with another sign, which would be another text, is refused', () => {
    expect(() => written('const a = String.raw`\\d`, b = String.raw`é`')).toThrow('String.raw`é`')
  })
})
