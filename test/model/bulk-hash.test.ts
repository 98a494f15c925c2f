import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashBytes, hashOfBytes, hashOfNumbers } from '../../shared/model/bulk-hash.ts'
import { Hash64 } from '../../shared/model/hash.ts'

const FIRST = 11400714785074694791n
const SECOND = 14029467366897019727n
const FOURTH = 9650029242287828579n

const cut = (value: bigint) => BigInt.asUintN(64, value)
const turned = (value: bigint, bits: bigint) => cut((value << bits) | (value >> (64n - bits)))
const round = (lane: bigint, word: bigint) => cut(turned(cut(lane + word * SECOND), 31n) * FIRST)

/** The stripes of XXH64 without a seed, as its specification (doc/xxhash_spec.md of xxHash) describes them, up to where the length is added. */
function stripes(words: readonly bigint[]): bigint {
  const lanes = [cut(FIRST + SECOND), SECOND, 0n, cut(-FIRST)]
  words.forEach((word, i) => {
    lanes[i % 4] = round(lanes[i % 4] as bigint, word)
  })
  const [a, b, c, d] = lanes as [bigint, bigint, bigint, bigint]
  const all = cut(turned(a, 1n) + turned(b, 7n) + turned(c, 12n) + turned(d, 18n))
  return lanes.reduce((merged, lane) => cut((merged ^ round(0n, lane)) * FIRST + FOURTH), all)
}

test('whole stripes hash as those of XXH64, and what is left as before', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 300, size: 'max' }), (bytes) => {
      const whole = bytes.length - (bytes.length % 32)
      const words = new BigUint64Array(bytes.slice(0, whole).buffer)
      const all = stripes([...words])
      const [low, high] = [Number(BigInt.asIntN(32, all)), Number(BigInt.asIntN(32, all >> 32n))]
      const expected = Hash64.from(low, high, whole / 4).bytes(bytes, whole)
      expect(hashOfBytes(bytes, 0, bytes.length, null)).toEqual(expected)
    }),
  )
})

test('less than a stripe hashes as it does elsewhere', () => {
  const bytes = Uint8Array.from({ length: 31 }, (_, i) => i)
  expect(hashBytes(bytes)).toBe(new Hash64().bytes(bytes).digest())
  const numbers = Int32Array.from({ length: 7 }, (_, i) => i)
  expect(hashOfNumbers(numbers, 0, 7, null)).toEqual(new Hash64().words(numbers))
})

test('numbers hash as their bytes', () => {
  fc.assert(
    fc.property(fc.int32Array({ maxLength: 80, size: 'max' }), fc.nat({ max: 9 }), (numbers, start) => {
      fc.pre(start <= numbers.length)
      const bytes = new Uint8Array(numbers.buffer)
      expect(hashOfNumbers(numbers, start, numbers.length, null)).toEqual(
        hashOfBytes(bytes, 4 * start, bytes.length, null),
      )
    }),
  )
})

test('bytes hash alike wherever they lie in memory', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100, size: 'max' }), fc.integer({ min: 0, max: 7 }), (bytes, shift) => {
      const moved = new Uint8Array(bytes.length + shift)
      moved.set(bytes, shift)
      expect(hashBytes(moved, shift)).toBe(hashBytes(bytes))
      expect(hashBytes(moved.subarray(shift))).toBe(hashBytes(bytes))
    }),
  )
})

test('a changed, added or moved byte changes the hash', () => {
  const bytes = Uint8Array.from({ length: 200 }, (_, i) => i)
  const seen = new Set([hashBytes(bytes), hashBytes(bytes, 0, 199), hashBytes(bytes, 1)])
  for (let i = 0; i < 200; i++) {
    const changed = bytes.slice()
    changed[i] = 255
    seen.add(hashBytes(changed))
  }
  expect(seen.size).toBe(203)
})

test('hashes stay what they were: flags and notes hang on them', () => {
  const record = new TextEncoder().encode('{"input_ids":[1,2,3],"loss_mask":[0,1,1],"reward":1}')
  expect(hashBytes(record.subarray(0, 31))).toMatchInlineSnapshot(`"ff18915457cd4fb1"`)
  expect(hashBytes(record)).toMatchInlineSnapshot(`"3d65e67a7c5184ee"`)
  expect(hashBytes(new Uint8Array(0))).toMatchInlineSnapshot(`"e639bbf78a8e1158"`)
})
