import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Hash64, hashBytes } from '../../shared/model/hash.ts'

test('bytes hash alike wherever they lie in memory', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.integer({ min: 0, max: 7 }), (bytes, shift) => {
      const moved = new Uint8Array(bytes.length + shift)
      moved.set(bytes, shift)
      expect(hashBytes(moved, shift)).toBe(hashBytes(bytes))
      expect(hashBytes(moved.subarray(shift))).toBe(hashBytes(bytes))
    }),
  )
})

test('words hash alike one by one and together', () => {
  fc.assert(
    fc.property(fc.int32Array({ maxLength: 50 }), (words) => {
      const oneByOne = new Hash64()
      for (const word of words) oneByOne.word(word)
      expect(new Hash64().words(words).digest()).toBe(oneByOne.digest())
    }),
  )
})

test('a changed, added or moved byte changes the hash', () => {
  const bytes = Uint8Array.from({ length: 64 }, (_, i) => i)
  const seen = new Set([hashBytes(bytes), hashBytes(bytes, 0, 63), hashBytes(bytes, 1)])
  for (let i = 0; i < 64; i++) {
    const changed = bytes.slice()
    changed[i] = 255
    seen.add(hashBytes(changed))
  }
  expect(seen.size).toBe(67)
})

test('hashes stay what they were: flags and notes hang on them', () => {
  expect(hashBytes(new TextEncoder().encode('{"input_ids":[1,2,3]}'))).toMatchInlineSnapshot(`"413f5e64d05414f8"`)
  expect(hashBytes(new Uint8Array(0))).toMatchInlineSnapshot(`"e639bbf78a8e1158"`)
})
