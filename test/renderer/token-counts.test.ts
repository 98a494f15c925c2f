import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tokensApartFromPadding } from '../../renderer/app/token-counts.ts'
import { TokenState } from '../../shared/model/tokens.ts'

const { masked, trained, padding } = TokenState

test('padding is counted apart, and what carries loss is none', () => {
  const states = Uint8Array.of(padding, padding, masked, trained, trained, trained, padding)
  expect(tokensApartFromPadding(states, 0, 7)).toEqual({ tokens: 4, padding: 3 })
  expect(tokensApartFromPadding(states, 1, 4)).toEqual({ tokens: 2, padding: 1 })
  expect(tokensApartFromPadding(states, 2, 999_999_999)).toEqual({ tokens: 4, padding: 1 })
  expect(tokensApartFromPadding(states, 90, 99)).toEqual({ tokens: 0, padding: 0 })
})

test('no part has more tokens than the whole', () => {
  const span = fc.tuple(fc.nat(60), fc.nat(60))
  fc.assert(
    fc.property(fc.uint8Array({ max: 3, maxLength: 40 }), span, (states, [start, more]) => {
      const all = tokensApartFromPadding(states, 0, states.length)
      const part = tokensApartFromPadding(states, start, start + more)
      expect(part.tokens).toBeLessThanOrEqual(all.tokens)
      expect(part.tokens).toBeGreaterThanOrEqual(0)
      expect(part.padding).toBeLessThanOrEqual(all.padding)
    }),
  )
})
