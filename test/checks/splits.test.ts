import { expect, it } from 'vitest'
import { otherSplits } from '../../shared/checks/template/splits.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'

const ids = (...values: number[]) => Int32Array.from(values)

it('finds every place where the same text has other tokens, and no others', async () => {
  const { table, encode } = await testTokenizer('qwen2.5')
  const text = encode('The')
  const a = ids(...text, 53122, 316, ...text, 53122, 316)
  const b = ids(...text, 393, 30002, ...text, 53122, 316)
  expect(otherSplits(table, a, b)).toEqual([{ a: [1, 3], b: [1, 3] }])
  expect(otherSplits(table, a, a)).toEqual([])
})

it('compares as far as the shorter goes', async () => {
  const { table } = await testTokenizer('qwen2.5')
  expect(otherSplits(table, ids(53122, 316, 151645), ids(53122, 316))).toEqual([])
})

it('says nothing of two texts, or of ids that no vocabulary has', async () => {
  const { table, encode } = await testTokenizer('qwen2.5')
  expect(otherSplits(table, ids(...encode('one')), ids(...encode('two')))).toBeNull()
  expect(otherSplits(table, ids(53122), ids(393, 30002))).toBeNull()
  expect(otherSplits(table, ids(53122, 316), ids(-1, 999_999))).toBeNull()
})
