import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../shared/containers/container.ts'
import { decodeRecords } from '../../shared/containers/decode.ts'
import { openContainer } from '../../shared/containers/open.ts'
import { partOf } from '../../shared/session/opening/open-source.ts'
import { gzipped, memorySource, readAll } from './memory-source.ts'
import { posted } from './twin.ts'

const fixture = (name: string) => new Uint8Array(readFileSync(new URL(`../fixtures/${name}`, import.meta.url)))

async function valuesOf(bytes: Uint8Array): Promise<JsonObject[]> {
  const { values, skipped } = await readAll(memorySource(bytes))
  expect(skipped).toEqual([])
  return values as JsonObject[]
}

test.each([
  ['pickle/skyrl.pkl', 'Python pickle'],
  ['torch/tensors.zip.pt', 'zip archive'],
])('what is wrong with a file that was cut short is said once, %s', async (name, kind) => {
  await expect(openContainer(memorySource(fixture(name).slice(0, -40), 700, 'run.pt'))).rejects.toThrow(
    new RegExp(`^run\\.pt is a ${kind} that cannot be read: .*\\. The (file|archive) was cut short[^.]*\\.$`),
  )
})

describe('records of a pickle', () => {
  test('are the samples of a slime dump, each in the dump that holds it', async () => {
    const records = await valuesOf(fixture('torch/slime.rollout.pt'))
    expect(records.map(({ rollout_id, samples }) => [rollout_id, (samples as unknown[]).length])).toEqual([
      [3, 1],
      [3, 1],
    ])
    const [sample] = records[0]!.samples as JsonObject[]
    expect(sample?.tokens).toEqual(Int32Array.of(11, 12, 21, 22, 2))
  })

  test('are the samples of a train dump, beside which its ranks stand', async () => {
    const records = await valuesOf(fixture('torch/slime.train.pt'))
    expect(records.map(({ samples, dp_shards }) => [samples, dp_shards].map((list) => (list as []).length))).toEqual([
      [1, 1],
      [1, 0],
    ])
    expect(records.flatMap(({ samples }) => samples as JsonObject[]).map((sample) => sample.sample_index)).toEqual([
      0, 1,
    ])
  })

  test('are the rows of lists of tensors, each with what is in every list at that place', async () => {
    const records = await valuesOf(fixture('formats/slime/2025-12/3_0.pt'))
    const data = records.map(({ rollout_data }) => rollout_data as JsonObject)
    expect(data.map(({ sample_indices }) => sample_indices)).toEqual([Int32Array.of(0), Int32Array.of(3)])
    for (const { tokens, loss_masks, raw_reward } of data) {
      expect(tokens).toEqual([expect.any(Int32Array)])
      expect(loss_masks).toHaveLength(1)
      // Of the whole step, and as it is stored.
      expect(raw_reward).toHaveLength(4)
    }
  })

  test.each([
    'pickle/skyrl.pkl',
    'pickle/skyrl.2025.pkl',
    'pickle/verl.plain.pkl',
    'pickle/verl.numpy.pkl',
    'pickle/verl.nested.pkl',
    'pickle/verl.jagged-numpy.pkl',
    'pickle/verl.no-batch.pkl',
  ])('of %s are the rows of its batch: no tensor has the axis of the batch any more', async (name) => {
    const records = await valuesOf(fixture(name))
    expect(records.length).toBeGreaterThan(1)
    const [first] = records
    for (const record of records) expect(Object.keys(record)).toEqual(Object.keys(first as JsonObject))
  })

  test('of a DataProto have the row of every tensor and every array beside it', async () => {
    const records = await valuesOf(fixture('pickle/verl.plain.pkl'))
    const batch = records.map((record) => record.batch as JsonObject)
    expect(batch[0]?.prompts).toBeInstanceOf(Int32Array)
    const uids = records.map((record) => (record.non_tensor_batch as JsonObject).uid)
    expect(uids).toEqual(['a', 'b', 'b'])
  })

  test('of several pickles in one file are these', async () => {
    expect((await valuesOf(fixture('pickle/several.pkl'))).map(({ step }) => step)).toEqual([0, 1, 2])
  })

  const listOf = (...items: string[]) =>
    Uint8Array.of(0x80, 2, ...new TextEncoder().encode(`(l${items.map((item) => `${item}a`).join('')}.`))
  const step = (at: number) => `(dS'step'\nI${at}\ns`

  test.each([
    ['first', listOf('N', step(0), step(1)), [0]],
    ['in the middle', listOf(step(0), 'N', step(1)), [1]],
    ['twice, as a number', listOf(step(0), 'I7\n', step(1), 'N', step(2)), [1, 3]],
  ])('one that has no fields costs no neighbour, %s', async (_, bytes, places) => {
    const { values, skipped } = await readAll(memorySource(bytes))
    expect(values).toEqual(values.map((_value, at) => ({ step: at })))
    expect(values.length).toBeGreaterThan(1)
    expect(skipped.map(({ record, code }) => ({ record, code }))).toEqual(
      places.map((record) => ({ record, code: 'not-an-object' })),
    )
  })

  test('a list with as many others as dicts is no list of records', async () => {
    const { values, skipped } = await readAll(memorySource(listOf(step(0), 'N')))
    expect([values, skipped.length]).toEqual([[], 1])
  })

  test('are read alone as they are read together, in gzip, and posted to a thread', async () => {
    for (const name of ['pickle/verl.plain.pkl', 'torch/slime.objects.pt', 'pickle/skyrl.pkl']) {
      const whole = await readAll(memorySource(fixture(name)))
      const container = await openContainer(memorySource(gzipped(fixture(name))))
      expect(container.id).toBe(`${whole.id}+gzip`)
      const hashes: string[] = []
      for await (const spans of container.index()) {
        for (let i = spans.offsets.length - 1; i >= 0; i--) {
          const { records } = await decodeRecords(posted(await container.read(partOf(spans, i, i + 1))), new Set())
          hashes.unshift(...records.map(({ hash }) => hash))
        }
      }
      expect(hashes).toEqual(whole.records.map(({ hash }) => hash))
    }
  })

  test('with calls in it say which were not made', async () => {
    const container = await openContainer(memorySource(fixture('pickle/plain.4.pkl')))
    expect(container.notes?.join()).toContain('calls that were not made: lab.types.Point')
  })

  test.each([
    'pickle/verl.plain.pkl',
    'torch/slime.rollout.pt',
    'torch/tensors.legacy.pt',
  ])('%s, cut or with a flipped byte, is read in part or refused with a sentence', async (name) => {
    const whole = fixture(name)
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 }), async (at, flip) => {
        const damaged = flip === 0 ? whole.slice(0, at) : whole.slice()
        if (flip !== 0) damaged[at] = (damaged[at] as number) ^ flip
        const read = await readAll(memorySource(damaged)).catch((error: Error) => error)
        if (read instanceof Error) expect(read.name).toBe('UnreadableSource')
        else expect(read.values.length + read.skipped.length).toBeGreaterThan(0)
      }),
      { numRuns: 150, seed: 13 },
    )
  })
})
