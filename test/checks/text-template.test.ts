import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { commonTemplate, templatedTexts, textOf } from '../../shared/checks/texts/text-template.ts'

const same = (texts: readonly (string | null)[]) => {
  const templated = templatedTexts(texts)
  return (
    templated && texts.map((_, row) => textOf(templated.template, (slot) => templated.numbers[slot]?.[row] as number))
  )
}

const number = fc.oneof(fc.nat(20), fc.nat(2 ** 40), fc.constantFrom(0, 999_999_999_999_999, 1e15))
const padded = fc.tuple(number, fc.nat(7)).map(([value, digits]) => String(value).padStart(digits, '0'))
const piece = fc.oneof(
  padded,
  fc.uuid(),
  fc.constantFrom('q', '-', '', 'a1b2', 'é', '0'),
  fc.stringMatching(/^[0-9a-f]{15,40}$/),
)
const text = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''))
const alike = fc
  .tuple(fc.string(), fc.constantFrom(1, 3, 8), fc.array(fc.tuple(fc.nat(), fc.nat(30)), { minLength: 1 }))
  .map(([before, digits, numbers]) => numbers.map(([a, b]) => `${before}-${a}/${String(b).padStart(digits, '0')}`))

describe('texts of one template', () => {
  test('are what they were, or have none', () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(text, { minLength: 1, maxLength: 4 }), alike), (texts) => {
        const back = same(texts)
        if (back !== null) expect(back).toEqual(texts)
      }),
      { numRuns: 1000 },
    )
  })

  test.each([
    [['q1', 'q17', 'q2']],
    [['r-000012', 'r-123456', 'r-1234567']],
    [['step 3, q7', 'step 10, q70']],
    [['0', '10']],
    [['f81d4fae-7dec-11d0-a765-00a0c91e6bf6', '00000000-0000-4000-8000-0000000000ff']],
    [['0123456789012345', 'f123456789abcdef']],
    [['stage1', 'stage12345678901234']],
    [['cmpl-00112233445566778899aabbccddeeff-0', 'cmpl-ffeeddccbbaa99887766554433221100-1']],
  ])('%j has one', (texts) => {
    expect(same(texts)).toEqual(texts)
  })

  test.each([
    [['q', 'r']],
    [['q1', 'r1']],
    [['q1', 'q01']],
    [['q01', 'q001']],
    [['q1', 'q1x']],
    [['q1', 'q']],
    [['q123456789012345', 'q1234567890123456']],
    [['stage1', 'stage123456789012345']],
    [['1-1-1-1-1', '11111111-1111-1111-1111-111111111111']],
    [['A123456789abcdef']],
    [['F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6']],
  ])('%j has none', (texts) => {
    expect(templatedTexts(texts)).toBeNull()
  })

  test('two lists have one where all of their texts do', () => {
    fc.assert(
      fc.property(alike, alike, fc.boolean(), (one, other, isLike) => {
        const more = isLike
          ? other.map((each) => one[0]?.split('-').slice(0, -1).join('-') + each.slice(each.lastIndexOf('-')))
          : other
        const [first, second, all] = [templatedTexts(one), templatedTexts(more), templatedTexts([...one, ...more])]
        if (first === null || second === null) return
        expect(commonTemplate(first.template, second.template)).toEqual(all?.template ?? null)
      }),
    )
  })
})
