import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ModelCall, mergeByPrefix, streamsOfCalls } from '../../shared/formats/model-calls.ts'

function call(name: string, prompt: number[], generated: number[]): ModelCall {
  return {
    name,
    prompt: Int32Array.from(prompt),
    generated: Int32Array.from(generated),
    logprobs: { name: `${name}.logprobs`, value: generated.map((id) => -id) },
  }
}

const names = (sequences: readonly (readonly ModelCall[])[]) =>
  sequences.map((calls) => calls.map(({ name }) => name).join('+'))

describe('mergeByPrefix', () => {
  test('calls that extend each other are one sequence, a broken prefix begins another', () => {
    const calls = [
      call('a', [1], [2]),
      call('b', [1, 2, 3], [4]),
      call('c', [1, 9, 3, 4], [5]),
      call('d', [1, 9, 3, 4, 5], [6]),
    ]
    expect(names(mergeByPrefix(calls))).toEqual(['a+b', 'c+d'])
  })

  test('a call may go on from an earlier sequence than the last', () => {
    const calls = [
      call('main', [1], [2]),
      call('sub', [7], [8]),
      call('main2', [1, 2, 3], [4]),
      call('sub2', [7, 8], [9]),
    ]
    expect(names(mergeByPrefix(calls))).toEqual(['main+main2', 'sub+sub2'])
  })

  test('a prompt that repeats only the prompt, or all but the last token, is no extension', () => {
    expect(names(mergeByPrefix([call('a', [1], [2, 3]), call('b', [1], [4]), call('c', [1, 2], [3])]))).toEqual([
      'a',
      'b',
      'c',
    ])
  })

  test('marks exactly what each call generated, with its logprobs', () => {
    const id = fc.integer({ min: 1, max: 9 })
    const turn = fc.tuple(fc.array(id, { maxLength: 4 }), fc.array(id, { minLength: 1, maxLength: 4 }))
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 5 }), (turns) => {
        const calls: ModelCall[] = []
        const ids: number[] = []
        const sampled: number[] = []
        for (const [i, [added, generated]] of turns.entries()) {
          ids.push(...added)
          sampled.push(...added.map(() => 0))
          calls.push(call(String(i), ids, generated))
          ids.push(...generated)
          sampled.push(...generated.map(() => 1))
        }
        const [sequence, ...others] = mergeByPrefix(calls)
        expect(others).toEqual([])
        const streams = streamsOfCalls(sequence ?? [], [])
        expect(Array.from(streams.ids ?? [])).toEqual(ids)
        expect(Array.from(streams.sampled ?? [])).toEqual(sampled)
        expect(Array.from(streams.sampler ?? [])).toEqual(
          ids.map((value, i) => (sampled[i] === 1 ? -value : Number.NaN)),
        )
        expect(streams.mask).toBeNull()
        expect(streams.promptLength).toBe(turns[0]?.[0].length)
      }),
    )
  })
})
