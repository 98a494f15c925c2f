import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../shared/containers/container.ts'
import { openPickles } from '../../../shared/containers/torch/open.ts'
import { memorySource } from '../memory-source.ts'
import { fixture, fixtureJson, readAsJson } from './read.ts'

const expected = fixtureJson('pickle/plain.json')

/** Names in the files that no reader can know, whatever the protocol. */
const FOREIGN = ['lab.types.Bag', 'lab.types.Rollout', 'lab.types.Row', 'math.sqrt']

/** What this version of Python writes another way than the one that made the expectation. */
const ENUM_BY_VALUE = { kind: 'placeholder', name: 'lab.types.Colour', args: ['red'] }

describe('pickles that Python wrote', () => {
  for (const name of ['0', '1', '2', '3', '4', '5', 'slow', 'python-3.13']) {
    test(`plain data, ${name}`, async () => {
      const bytes = fixture(`pickle/plain.${name}.pkl`)
      const { json, foreign, issues, end } = await readAsJson(bytes)
      const read = json as JsonObject
      // What protocols 0 and 1 cannot pickle, and the slow pickler was not given.
      const missing = name === 'slow' || name < '2' ? ['foreign slots', 'foreign tuple'] : []
      expect(Object.keys(read)).toEqual(Object.keys(expected).filter((key) => !missing.includes(key)))
      for (const key of Object.keys(read)) {
        const want = name === 'python-3.13' && key === 'foreign enum' ? ENUM_BY_VALUE : expected[key]
        expect(read[key], key).toEqual(want)
      }
      expect(end).toBe(bytes.length)
      expect(issues).toEqual([])
      expect(foreign.map((known) => known.name)).toEqual(expect.arrayContaining(FOREIGN))
      expect(foreign.find((known) => known.name === 'lab.types.Rollout')).toMatchObject({ calls: 0, objects: 1 })
    })

    test(`plain data through a window of a few bytes, ${name}`, async () => {
      const bytes = fixture(`pickle/plain.${name}.pkl`)
      const whole = await readAsJson(bytes)
      for (const windowBytes of [1, 7, 4096]) {
        const pieces = await readAsJson(bytes, { windowBytes, lazyBytes: 100 })
        // Bytes that stayed in the file are counted, not shown.
        const { bytes: shown, ...rest } = pieces.json as JsonObject
        expect(rest).toEqual({ ...(whole.json as JsonObject), bytes: undefined })
        expect(shown).toEqual(['', 'text', { bytes: 128 }, 'more'])
      }
    })
  }

  test('Python 2: texts are bytes, classes are of two kinds', async () => {
    for (const protocol of [0, 1, 2]) {
      const { json, foreign } = await readAsJson(fixture(`pickle/python2.${protocol}.pkl`))
      expect(json).toEqual({
        text: 'plain',
        quoted: 'it\'s "x"\n\\t\x00',
        utf8: 'é',
        unicode: 'é ü 日',
        long: [String(10n ** 25n), 5, -(2 ** 40)],
        old: { __class__: 'lab.Old', a: 1 },
        arguments: { kind: 'placeholder', name: 'lab.OldWithArguments', args: [7], state: { a: 7 } },
        new: { __class__: 'lab.New', b: 'zwei' },
        range: { __class__: 'builtins.range', start: 0, stop: 3, step: 1 },
        set: [1],
      })
      expect(foreign.map(({ name }) => name)).toEqual(['lab.New', 'lab.Old', 'lab.OldWithArguments'])
    }
  })

  test('several pickles in one file', async () => {
    const ends: number[] = []
    const values: unknown[] = []
    for await (const file of openPickles(memorySource(fixture('pickle/several.pkl')))) {
      ends.push(file.end)
      values.push(file.value)
    }
    expect(values).toHaveLength(3)
    expect(ends.at(-1)).toBe(fixture('pickle/several.pkl').length)
  })
})

describe('lists of numbers', () => {
  test('become typed arrays under numeric keys, as in JSON', async () => {
    const numericKeys = new Set(['ids', 'logprobs', 'mixed', 'rows', 'booleans', 'texts', 'ints then floats'])
    for (const name of ['0', '2', '5']) {
      const { json } = await readAsJson(fixture(`pickle/plain.${name}.pkl`), { numericKeys })
      const read = json as JsonObject
      expect(read.ids).toEqual(Int32Array.from(expected.ids as number[]))
      expect(read.logprobs).toEqual(Float64Array.from(expected.logprobs as number[]))
      const mixed = (expected.mixed as (number | null)[]).map((number) => number ?? Number.NaN)
      expect(read.mixed).toEqual(Float64Array.from(mixed))
      expect(read['ints then floats']).toEqual(Float64Array.from(expected['ints then floats'] as number[]))
      expect(read.booleans).toEqual(Int32Array.of(1, 0))
      expect(read.rows).toEqual([...Array(3).fill(Int32Array.of(1, 2, 3)), Int32Array.of(4, 5)])
      expect(read.texts).toEqual(expected.texts)
      // Another key keeps plain numbers.
      expect(read.floats).toEqual(expected.floats)
    }
  })
})
