import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../shared/containers/container.ts'
import { readPickle } from '../../../shared/containers/pickle/read.ts'
import { readRows } from '../../../shared/containers/pickle/tensor.ts'
import { fieldOf, PyObject } from '../../../shared/containers/pickle/values.ts'
import { openPickle } from '../../../shared/containers/torch/open.ts'
import { memorySource } from '../memory-source.ts'
import { fixture, plain, readAsJson, readTorchAsJson, watched } from './read.ts'

const PROMPTS = [
  [0, 0, 11, 12],
  [0, 13, 14, 15],
  [0, 13, 14, 15],
]
const MASK = [
  [1, 1, 0, 1, 0],
  [1, 1, 0, 0, 0],
  [1, 1, 1, 1, 1],
]

describe("verl's DataProto", () => {
  for (const how of ['consolidated', 'plain', 'open-buffer', 'numpy']) {
    test(`the whole batch, ${how}`, async () => {
      const { json, foreign, issues } = await readAsJson(fixture(`pickle/verl.${how}.pkl`))
      expect(foreign).toEqual([])
      expect(issues).toEqual([])
      const { batch, ...rest } = plain(json) as JsonObject
      expect(batch).toMatchObject({
        __class__: 'tensordict.TensorDict',
        batch_size: [3],
        prompts: PROMPTS,
        response_mask: MASK,
        rollout_log_probs: MASK.map((row) => row.map((trained) => -0.5 * trained)),
        half: [0.5, 1.5, -2],
        flags: [1, 0, 1],
      })
      expect(Object.keys(batch as JsonObject)).toHaveLength(10)
      expect(rest).toEqual({
        __class__: 'verl.DataProto',
        non_tensor_batch: {
          uid: ['a', 'b', 'b'],
          __num_turns__: [2, 2, 4],
          reward_model: Array(3).fill({ ground_truth: '4', style: 'rule' }),
          raw_prompt: [[{ role: 'user', content: '2+2?' }], null, null],
        },
        meta_info: { global_steps: 7, temperature: 1 },
      })
    })
  }

  test('without tensors', async () => {
    const { json } = await readAsJson(fixture('pickle/verl.no-batch.pkl'))
    expect(json).toMatchObject({ __class__: 'verl.DataProto', batch: null })
  })

  for (const how of ['nested', 'nested-plain']) {
    test(`a batch in a batch and data that is no tensor, ${how}`, async () => {
      const { json, foreign } = await readAsJson(fixture(`pickle/verl.${how}.pkl`))
      expect(foreign).toEqual([])
      expect(plain((json as JsonObject).batch)).toEqual({
        __class__: 'tensordict.TensorDict',
        batch_size: [3],
        ids: PROMPTS,
        inner: { __class__: 'tensordict.TensorDict', batch_size: [3], x: [1.5, 2.5, 3.5] },
        task: 'maths',
      })
    })
  }

  test('rows of unequal length', async () => {
    const { json } = await readAsJson(fixture('pickle/verl.jagged-numpy.pkl'))
    expect(plain((json as JsonObject).batch)).toMatchObject({ ids: [[1, 2, 3], [4], [5, 6]] })
  })

  test('a row is read from the torch file inside the pickle, where it lies', async () => {
    const { source, ranges } = watched(fixture('pickle/verl.consolidated.pkl'))
    const { value } = await openPickle(source, { lazyBytes: 64, windowBytes: 64 })
    const prompts = fieldOf(fieldOf(value, 'batch'), 'prompts')
    ranges.length = 0
    expect((await readRows(prompts as Parameters<typeof readRows>[0], 1, 2)).map(plain)).toEqual([[0, 13, 14, 15]])
    expect(ranges.at(-1)).toEqual([expect.any(Number), expect.any(Number)])
    expect(ranges.map(([start, end]) => end - start)).toEqual([30, 32])
  })

  test('without a reader of torch files its bytes stay bytes, and that is said', async () => {
    const { value, issues } = await readPickle(memorySource(fixture('pickle/verl.plain.pkl')))
    expect(fieldOf(value, 'batch')).toMatchObject({ kind: 'bytes' })
    expect(issues).toMatchObject([{ code: 'unread-torch', count: 1 }])
  })

  test('a damaged torch file inside costs the tensors, not the rest', async () => {
    const bytes = fixture('pickle/verl.plain.pkl')
    const at = new TextDecoder('latin1').decode(bytes).indexOf('PK\x03\x04')
    bytes[at] = 0
    const { json, issues } = await readAsJson(bytes)
    expect(json).toMatchObject({ batch: null, meta_info: { global_steps: 7 } })
    expect(issues).toMatchObject([{ code: 'damaged-part', message: expect.stringContaining('torch file inside') }])
  })
})

describe("slime's dumps", () => {
  test('of rollouts', async () => {
    const { json, foreign } = await readTorchAsJson(fixture('torch/slime.rollout.pt'))
    expect(foreign).toEqual([])
    expect(plain(json)).toMatchObject({
      rollout_id: 3,
      samples: [
        { index: 0, tokens: [11, 12, 21, 22, 2], loss_mask: [1, 0, 1], status: 'completed', metadata: { turns: 2 } },
        { index: 1, loss_mask: null, status: 'truncated' },
      ],
    })
  })

  test('with samples that were saved as objects read the same', async () => {
    const { json, foreign } = await readTorchAsJson(fixture('torch/slime.objects.pt'))
    expect(foreign).toEqual([])
    const dicts = (await readTorchAsJson(fixture('torch/slime.rollout.pt'))).json.samples as JsonObject[]
    const strip = (sample: JsonObject) => ({ ...sample, __class__: undefined })
    const samples = (json.samples as JsonObject[]).map((sample) => {
      expect(sample.__class__).toBe('slime.utils.types.Sample')
      return { ...strip(sample), spec_info: strip(sample.spec_info as JsonObject) }
    })
    expect(samples).toEqual(dicts)
  })

  test('of training data', async () => {
    const { json, foreign } = await readTorchAsJson(fixture('torch/slime.train.pt'))
    expect(foreign).toEqual([])
    expect(plain(json)).toMatchObject({
      format_version: 2,
      samples: [
        { tokens: [11, 12, 21, 22, 2], loss_masks: [1, 0, 1], advantages: [0.5, 0.5, 0.5], response_lengths: 3 },
        { tokens: [11, 12, 23], loss_masks: [1] },
      ],
      raw_reward: [1, 0],
    })
  })
})

describe("SkyRL's batches", () => {
  const batch = {
    batch_size: 2,
    metadata: { response_length: 2, uids: ['a', 'b'] },
    sequences: [
      [0, 11, 21, 2],
      [12, 13, 22, 2],
    ],
    loss_mask: [
      [1, 1],
      [0, 1],
    ],
    advantages: [
      [0.5, 0.5],
      [-0.5, -0.5],
    ],
    values: null,
  }

  test('with every tensor as its own bytes', async () => {
    const { json, foreign } = await readAsJson(fixture('pickle/skyrl.pkl'))
    expect(foreign).toEqual([])
    expect(plain(json)).toMatchObject({
      __class__: 'skyrl.backends.skyrl_train.training_batch.TrainingInputBatch',
      device: 'cpu',
      ...batch,
      pixel_values: [
        [[1, 1]],
        [
          [0, 0],
          [0, 0],
        ],
      ],
    })
  })

  test('as they were in 2025', async () => {
    const { json, foreign } = await readAsJson(fixture('pickle/skyrl.2025.pkl'))
    expect(foreign).toEqual([])
    expect(plain(json)).toMatchObject({ __class__: 'skyrl_train.training_batch.TrainingInputBatch', ...batch })
  })

  test('keep their tensors as objects for readers of rows', async () => {
    const { value } = await openPickle(memorySource(fixture('pickle/skyrl.pkl')))
    expect(value).toBeInstanceOf(PyObject)
    const advantages = fieldOf(value, 'advantages')
    expect(advantages).toMatchObject({ kind: 'tensor', dtype: 'bfloat16', shape: [2, 2] })
  })
})
