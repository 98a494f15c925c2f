import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../shared/containers/container.ts'
import { readTensor } from '../../../shared/containers/pickle/tensor.ts'
import { fieldOf } from '../../../shared/containers/pickle/values.ts'
import { openPickle } from '../../../shared/containers/torch/open.ts'
import { memorySource } from '../memory-source.ts'
import { fixture, fixtureArrays, plain, readAsJson } from './read.ts'

const expected = fixtureArrays('pickle/numpy.json')

describe('numpy in pickles', () => {
  for (const name of ['0', '1', '2', '3', '4', '5', 'core-2']) {
    test(`arrays and scalars, ${name}`, async () => {
      const { json, foreign, issues } = await readAsJson(fixture(`pickle/numpy.${name}.pkl`))
      const read = json as JsonObject
      for (const key of Object.keys(expected)) expect(plain(read[key]), key).toEqual(expected[key])
      if (name === 'core-2') {
        expect(foreign).toEqual([])
        return
      }
      expect(read.structured).toMatchObject({ kind: 'placeholder', shape: [1] })
      expect(read.dates).toMatchObject({ kind: 'placeholder', shape: [1] })
      expect(read.masked).toMatchObject({ kind: 'placeholder', name: 'numpy.ma.core._mareconstruct' })
      expect(issues).toMatchObject([{ code: 'opaque-array', count: 2 }])
      expect(foreign.filter(({ calls }) => calls > 0)).toEqual([
        { name: 'numpy.ma.core._mareconstruct', calls: 1, objects: 0 },
      ])
    })

    test(`arrays and scalars whose bytes stay in the file, ${name}`, async () => {
      const whole = await readAsJson(fixture(`pickle/numpy.${name}.pkl`))
      const lazy = await readAsJson(fixture(`pickle/numpy.${name}.pkl`), { lazyBytes: 9, windowBytes: 16 })
      const { 'scalar complex': scalar, ...rest } = whole.json as JsonObject
      expect(lazy.json).toMatchObject(rest)
      expect(scalar).toBeDefined()
    })
  }

  test('arrays keep the type and shape that they were written with', async () => {
    const { value } = await openPickle(memorySource(fixture('pickle/numpy.5.pkl')))
    const dtypes = { float16: 'float16', 'big-endian': 'int32', bool: 'bool', uint64: 'uint64', 'no axes': 'int64' }
    for (const [name, dtype] of Object.entries(dtypes)) {
      expect(fieldOf(value, name), name).toMatchObject({ kind: 'tensor', library: 'numpy', dtype })
    }
    const fortran = fieldOf(value, 'fortran')
    expect(fortran).toMatchObject({ shape: [2, 3], strides: [1, 2] })
  })

  test('texts and objects are no numbers', async () => {
    const { value } = await openPickle(memorySource(fixture('pickle/numpy.5.pkl')))
    for (const name of ['texts', 'objects', 'structured']) {
      const array = fieldOf(value, name) as Parameters<typeof readTensor>[0]
      await expect(readTensor(array), name).rejects.toMatchObject({ code: 'unsupported-pickle', at: array.at })
    }
  })
})
