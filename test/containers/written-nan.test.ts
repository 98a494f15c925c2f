import { describe, expect, it } from 'vitest'
import { parseJson } from '../../shared/containers/json.ts'
import { writtenNaN } from '../../shared/containers/written-nan.ts'

/** Which elements are told to be NaN, by the typed and by the plain way of reading. */
function told(text: string, numericKeys: readonly string[]): readonly number[] | null {
  const bytes = new TextEncoder().encode(`{"logprobs": ${text}}`)
  const { logprobs } = parseJson(bytes, 0, bytes.length, new Set(numericKeys)) as { logprobs: Float64Array }
  const places = writtenNaN(logprobs)
  return places === null ? null : [...places]
}

describe('writtenNaN', () => {
  it.each([
    ['[null, -0.5, NaN, NaN, -1]', [2, 3]],
    ['[NaN, null]', [0]],
    ['[0, 1, null, NaN]', [3]],
    ['[null, -Infinity, Infinity, -0.5]', null],
    ['[NaN, -0.5, NaN]', null],
    ['[null, -0.5]', null],
    ['[]', null],
  ])('of %s is %j', (text, places) => {
    expect(told(text, ['logprobs'])).toEqual(places)
    expect(told(text, [])).toEqual(places)
  })
})
