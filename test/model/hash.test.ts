import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Hash64 } from '../../shared/model/hash.ts'

test('words hash alike one by one and together', () => {
  fc.assert(
    fc.property(fc.int32Array({ maxLength: 50 }), (words) => {
      const oneByOne = new Hash64()
      for (const word of words) oneByOne.word(word)
      expect(new Hash64().words(words).digest()).toBe(oneByOne.digest())
    }),
  )
})
