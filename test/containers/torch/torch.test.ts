import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../shared/containers/container.ts'
import { Budget } from '../../../shared/containers/pickle/budget.ts'
import { toJson } from '../../../shared/containers/pickle/json.ts'
import {
  JaggedTensor,
  PyTensor,
  readRows,
  readTensor,
  rowCount,
  rowsOf,
} from '../../../shared/containers/pickle/tensor.ts'
import { fieldOf, PyDict } from '../../../shared/containers/pickle/values.ts'
import { recordsIn } from '../../../shared/containers/pickled/split.ts'
import { openPickle, openTorch } from '../../../shared/containers/torch/open.ts'
import { memorySource } from '../memory-source.ts'
import { fixture, fixtureArrays, plain, readAsJson, readTorchAsJson, watched } from '../pickle/read.ts'

const expected = fixtureArrays('torch/tensors.json') as Record<
  string,
  { dtype: string; shape: number[]; values: unknown }
>

async function tensorsOf(name: string) {
  const { value, ...file } = await openTorch(memorySource(fixture(`torch/${name}`)))
  return { ...file, tensor: (key: string) => fieldOf(fieldOf(value, 'tensors'), key) as PyTensor }
}

function checkRoot(json: JsonObject) {
  const tensors = json.tensors as JsonObject
  expect(Object.keys(tensors)).toEqual(Object.keys(expected))
  for (const [key, { values }] of Object.entries(expected)) expect(plain(tensors[key]), key).toEqual(values)
  expect(json).toMatchObject({
    size: [2, 3],
    device: 'cuda:1',
    cpu: 'cpu',
    dtype: { kind: 'placeholder', name: 'torch.bfloat16' },
    counts: { a: 1 },
    note: 'text é',
  })
}

describe('files of torch.save', () => {
  for (const [name, layout] of [
    ['tensors.zip.pt', 'zip'],
    ['tensors.protocol-4.pt', 'zip'],
    ['tensors.big.pt', 'zip'],
    ['tensors.legacy.pt', 'legacy'],
    ['tensors.legacy-4.pt', 'legacy'],
  ] as const) {
    test(`every type of element and kind of view, ${name}`, async () => {
      const file = await readTorchAsJson(fixture(`torch/${name}`))
      expect(file.layout).toBe(layout)
      expect(file.foreign).toEqual([])
      checkRoot(file.json)
      const { tensor } = await tensorsOf(name)
      for (const [key, { dtype, shape }] of Object.entries(expected)) {
        const data = await readTensor(tensor(key))
        expect(data, key).toMatchObject({ dtype, shape, inexact: key === 'int64 inexact' ? 2 : 0 })
      }
    })
  }

  for (const protocol of [2, 4]) {
    test(`tensors in a plain pickle of protocol ${protocol}, each storage a torch file of its own`, async () => {
      const { json, foreign, issues } = await readAsJson(fixture(`pickle/tensors.${protocol}.pkl`))
      expect(foreign).toEqual([])
      expect(issues).toEqual([])
      checkRoot(json as JsonObject)
    })
  }

  test('whole numbers are 32-bit where they fit, small floats are widened', async () => {
    const { tensor } = await tensorsOf('tensors.zip.pt')
    const kinds = {
      int64: Int32Array,
      'int64 wide': Float64Array,
      bool: Int32Array,
      bfloat16: Float32Array,
      float64: Float64Array,
    }
    for (const [key, kind] of Object.entries(kinds))
      expect((await readTensor(tensor(key))).data, key).toBeInstanceOf(kind)
    const { issues } = await readTorchAsJson(fixture('torch/tensors.zip.pt'))
    expect(issues).toEqual([])
  })

  test('rows', async () => {
    const { tensor } = await tensorsOf('tensors.zip.pt')
    expect(rowsOf(await readTensor(tensor('int64'))).map(plain)).toEqual([
      [151644, 872, 198],
      [0, -100, 2],
    ])
    expect((await readRows(tensor('transposed'), 1, 3)).map(plain)).toEqual([
      [1, 7, 13, 19],
      [2, 8, 14, 20],
    ])
    expect((await readRows(tensor('three axes'), 1, 9)).map(plain)).toEqual([[6, 7, 8, 9, 10, 11]])
    expect((await readRows(tensor('complex128'), 0, 1)).map(plain)).toEqual([[1, 2]])
    expect((await readRows(tensor('empty rows'), 0, 3)).map(plain)).toEqual([[], [], []])
    expect((await readRows(tensor('scalar'), 0, 1)).map(plain)).toEqual([[3.5]])
    expect(['int64', 'no rows', 'scalar'].map((key) => rowCount(tensor(key)))).toEqual([2, 0, 1])
  })

  test.each([
    'pickle/tensors.2.pkl',
    'pickle/tensors.4.pkl',
    'torch/tensors.zip.pt',
    'torch/tensors.legacy.pt',
  ])('the records of a tensor are its own rows, wherever in its storage it begins, %s', async (name) => {
    const open = name.endsWith('.pkl') ? openPickle : openTorch
    const { value } = await open(memorySource(fixture(name)))
    for (const [key, { shape, values }] of Object.entries(expected)) {
      if (shape.length < 2 || shape[0] === 0) continue
      const batch = new PyDict()
      batch.set('x', fieldOf(fieldOf(value, 'tensors'), key) as PyTensor)
      const records = recordsIn(batch)
      const rows = await Promise.all(
        Array.from({ length: records.count }, async (_, row) => toJson(await records.record(row))),
      )
      expect(plain(rows), key).toEqual((values as unknown[]).map((x) => ({ x })))
    }
  })

  test('opening reads no storage, and a row only its own bytes', async () => {
    const bytes = fixture('torch/tensors.zip.pt')
    const { source, ranges } = watched(bytes)
    const { value } = await openTorch(source)
    const tensor = fieldOf(fieldOf(value, 'tensors'), 'whole') as PyTensor
    ranges.length = 0
    expect((await readRows(tensor, 2, 3)).map(plain)).toEqual([[12, 13, 14, 15, 16, 17]])
    const read = ranges.map(([start, end]) => end - start)
    // The local header of the entry, then six floats.
    expect(read).toEqual([30, 24])
  })

  test('what torch 2 has and older versions have not', async () => {
    const { json, foreign } = await readTorchAsJson(fixture('torch/modern.pt'))
    expect(plain(json)).toEqual({
      uint16: [0, 65535, 1],
      uint32: [0, 2 ** 32 - 1],
      uint64: [0, 2 ** 31, 2 ** 60],
      float8_e4m3fn: [0, 1, -1, 448, Number.NaN, 2 ** -9],
      float8_e5m2: [0, 1, -1, 57344, Number.POSITIVE_INFINITY, Number.NaN],
      float8_e4m3fnuz: [Number.NaN, 1, 240],
      negated: expect.objectContaining({ kind: 'placeholder', name: 'torch._utils._rebuild_tensor_v2' }),
      subclass: [1, -2],
      parameter: [1, -2],
      jagged: [[0, 1], [], [2, 3, 4]],
      'foreign subclass': expect.objectContaining({ kind: 'placeholder', name: 'torch._tensor._rebuild_from_type_v2' }),
    })
    expect(foreign).toEqual([
      { name: 'lab.types.MyTensor', calls: 0, objects: 0 },
      { name: 'torch._tensor._rebuild_from_type_v2', calls: 1, objects: 0 },
      { name: 'torch._utils._rebuild_tensor_v2', calls: 1, objects: 0 },
    ])
    const { value } = await openTorch(memorySource(fixture('torch/modern.pt')))
    const jagged = fieldOf(value, 'jagged') as JaggedTensor
    expect(jagged).toBeInstanceOf(JaggedTensor)
    expect(rowCount(jagged)).toBe(3)
    expect((await readRows(jagged, 1, 3)).map(plain)).toEqual([[], [2, 3, 4]])
  })

  test('a storage alone', async () => {
    const { value } = await openTorch(memorySource(fixture('torch/storage.pt')))
    expect(value).toMatchObject({ kind: 'storage', dtype: 'float32' })
  })

  test('integers that no double holds are counted', async () => {
    const { tensor } = await tensorsOf('tensors.zip.pt')
    const budget = new Budget()
    expect(await readTensor(tensor('int64 inexact'), { budget })).toMatchObject({ inexact: 2 })
    expect(plain(await toJson(tensor('int64 inexact')))).toEqual([2 ** 53 + 2, 2 ** 62, -1])
  })
})

describe('what is refused, and how', () => {
  test('a TorchScript program', async () => {
    await expect(readTorchAsJson(fixture('torch/script.pt'))).rejects.toMatchObject({
      code: 'unsupported-pickle',
      message: expect.stringContaining('TorchScript'),
    })
  })

  test('the tar archives of the first torch, other archives, and other files', async () => {
    const tar = new Uint8Array(512)
    tar.set(
      Uint8Array.from('ustar', (letter) => letter.charCodeAt(0)),
      257,
    )
    await expect(readTorchAsJson(tar)).rejects.toMatchObject({ code: 'unsupported-pickle' })
    await expect(readTorchAsJson(fixture('pickle/plain.4.pkl'))).rejects.toMatchObject({ code: 'bad-pickle' })
    await expect(readTorchAsJson(new Uint8Array(0))).rejects.toMatchObject({ code: 'bad-pickle' })
  })

  test('tensors larger than their storage, and than the memory that is given', async () => {
    const { tensor } = await tensorsOf('tensors.zip.pt')
    const whole = tensor('whole')
    const beyond = new PyTensor('torch', 17)
    Object.assign(beyond, { storage: whole.storage, shape: [4, 7], strides: [7, 1] })
    await expect(readTensor(beyond)).rejects.toMatchObject({
      code: 'bad-pickle',
      at: 17,
      message: expect.stringContaining('112'),
    })
    const bomb = new PyTensor('torch', 18)
    Object.assign(bomb, { storage: whole.storage, shape: [1e9, 1e9], strides: [0, 0] })
    await expect(readTensor(bomb)).rejects.toMatchObject({ code: 'too-large', at: 18 })
    await expect(readTensor(whole, { budget: new Budget(100) })).rejects.toMatchObject({ code: 'too-large' })
  })
})
