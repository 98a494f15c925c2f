import { describe, expect, test } from 'vitest'
import { columnRows, readBatchRows } from '../../../shared/containers/pickle/batch.ts'
import { fieldOf, PyDict, PyObject, type PyValue } from '../../../shared/containers/pickle/values.ts'
import { openPickle, openTorch } from '../../../shared/containers/torch/open.ts'
import { memorySource } from '../memory-source.ts'
import { fixture, plain, watched } from './read.ts'

function columnsOf(value: PyValue | undefined): [string, PyValue][] {
  const entries = value instanceof PyObject ? value.entries : value
  if (!(entries instanceof PyDict)) throw new Error('no batch')
  return Array.from(entries.entries) as [string, PyValue][]
}

describe('a batch, row by row', () => {
  test("verl's tensors and arrays", async () => {
    const { value } = await openPickle(memorySource(fixture('pickle/verl.plain.pkl')))
    const columns = [...columnsOf(fieldOf(value, 'batch')), ...columnsOf(fieldOf(value, 'non_tensor_batch'))]
    const rows = await readBatchRows(columns, 0, 3)
    expect(plain(rows[1])).toEqual({
      prompts: [0, 13, 14, 15],
      responses: [24, 2, 0, 0, 0],
      input_ids: [0, 13, 14, 15, 24, 2, 0, 0, 0],
      attention_mask: [0, 1, 1, 1, 1, 1, 0, 0, 0],
      response_mask: [1, 1, 0, 0, 0],
      rollout_log_probs: [-0.5, -0.5, -0, -0, -0],
      half: 1.5,
      flags: false,
      uid: 'b',
      __num_turns__: 2,
      reward_model: { ground_truth: '4', style: 'rule' },
      raw_prompt: null,
    })
    expect(rows[0]?.prompts).toBeInstanceOf(Int32Array)
    expect(rows[0]?.rollout_log_probs).toBeInstanceOf(Float64Array)
    expect(rows[0]?.flags).toBe(true)
    expect(await readBatchRows(columns, 1, 2)).toEqual([rows[1]])
    expect(await readBatchRows(columns, 2, 9)).toEqual([rows[2], {}, {}, {}, {}, {}, {}])
    expect(await readBatchRows(columns, 3, 1)).toEqual([])
  })

  test('rows of unequal length, as a list and as a jagged tensor', async () => {
    const { value } = await openPickle(memorySource(fixture('pickle/verl.jagged-numpy.pkl')))
    const rows = await readBatchRows(columnsOf(fieldOf(value, 'batch')), 1, 3)
    expect(plain(rows)).toEqual([{ ids: [4] }, { ids: [5, 6] }])
    const modern = await openTorch(memorySource(fixture('torch/modern.pt')))
    const jagged = fieldOf(modern.value, 'jagged') as PyValue
    expect(columnRows(jagged)).toBe(3)
    expect(plain(await readBatchRows([['ids', jagged]], 1, 3))).toEqual([{ ids: [] }, { ids: [2, 3, 4] }])
  })

  test('lists of numbers, whose name says whether they are typed', async () => {
    const { value } = await openTorch(memorySource(fixture('torch/slime.rollout.pt')))
    const samples = fieldOf(value, 'samples') as PyValue
    const rows = await readBatchRows([['samples', samples]], 1, 2, { numericKeys: new Set(['tokens']) })
    expect(rows).toMatchObject([{ samples: { index: 1, tokens: Int32Array.of(11, 12, 23) } }])
  })

  test('reads the bytes of its rows alone', async () => {
    const { source, ranges } = watched(fixture('torch/tensors.zip.pt'))
    const { value } = await openTorch(source)
    const whole = fieldOf(fieldOf(value, 'tensors'), 'whole') as PyValue
    ranges.length = 0
    const rows = await readBatchRows([['whole', whole]], 1, 3)
    expect(plain(rows)).toEqual([{ whole: [6, 7, 8, 9, 10, 11] }, { whole: [12, 13, 14, 15, 16, 17] }])
    expect(ranges.map(([start, end]) => end - start)).toEqual([30, 48])
  })

  test('what has no rows is left out', async () => {
    const { value } = await openTorch(memorySource(fixture('torch/tensors.zip.pt')))
    const scalar = fieldOf(fieldOf(value, 'tensors'), 'scalar') as PyValue
    for (const without of [scalar, null, 7, 'text', new PyDict()]) expect(columnRows(without)).toBeNull()
    expect(await readBatchRows([['scalar', scalar]], 0, 1)).toEqual([{}])
  })
})
