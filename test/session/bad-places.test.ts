import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Stream } from '../../shared/model/streams.ts'
import { driftTexts } from '../../shared/session/concluding/source-drift.ts'
import { openSource } from '../../shared/session/opening/open-source.ts'
import { memorySource } from '../containers/memory-source.ts'
import { audited } from './dumps.ts'

const messageOf = async (bytes: Uint8Array | string) =>
  openSource(memorySource(bytes, 1 << 16, 'run.jsonl'), 0).then(
    () => '',
    (error: Error) => error.message,
  )

describe('a file of which no record can be read names line and column', () => {
  it.each([
    ['{bad\n{bad\n', 'line 1, column 2: a key in quotes was expected, found "b"'],
    ['{"a": 1, "b": }\n{"a": 1, "b": }\n', 'line 1, column 15: a value was expected, found "}"'],
    ['{\n "a": 1,\n "é": oops\n}\n', 'line 3, column 7: a value was expected, found "o"'],
    ['\ufeff{bad\n', 'line 1, column 2: a key in quotes'],
    [
      "\n{'input_ids': [1]}\n",
      'line 2, column 2: a key in quotes was expected, found "\'" (Python prints single quotes: write the record with json.dumps)',
    ],
    ['[\n  ]]', null],
    ['[\n  "a",\n  "b"]', 'line 2, column 3: a record is an object in braces, this is a text'],
    ['[{"input_ids": [1', 'line 1, column 18: "," or "]" was expected, found the end'],
  ])('%j', async (text, place) => {
    for (const bytes of [text, gzipSync(text)]) {
      const message = await messageOf(bytes)
      if (place === null) expect(message).toMatch(/Check that/)
      else expect(message).toContain(`run.jsonl: no record could be read; the first fails in ${place}`)
      expect(message).toMatch(/Check that .* copied whole\.$/)
    }
  })

  it('and one that is cut before it is unpacked says that', async () => {
    const cut = gzipSync('{"input_ids": [1]}\n'.repeat(50)).subarray(0, 24)
    expect(await messageOf(cut)).toMatch(/line 1.*: the gzip file is damaged or was cut short/)
  })

  it('and one that breaks far behind its start says where it begins', async () => {
    const text = `{"input_ids": [${'1, '.repeat(500_000)}`
    expect(await messageOf(text)).toContain('the first, in line 1, fails with: at its end, after 1500015 bytes')
  })
})

const ROW = { input_ids: [1, 2, 3, 4], loss_mask: [0, 0, 1, 1], reward: 0.5 }
const driftOf = async (rows: readonly object[]) => {
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  return (await audited(text)).report().sources[0]?.drift
}

describe('what some records have and others have not names the first of these', () => {
  it('as a field that the format does not know, and a value that its field cannot hold', async () => {
    expect(await driftOf([ROW, ROW, { ...ROW, foo: 1 }, { ...ROW, foo: 1 }])).toEqual([
      'unknown field `foo` in 2 of 4 records, the first of them record 2 (line 3)',
    ])
    expect(await driftOf([ROW, { ...ROW, step: 'x' }])).toEqual([
      'step is a text, a number was expected in 1 of 2 records: record 1 (line 2)',
    ])
  })

  it('as a mask, a reward or logprobs that vanish', async () => {
    const { loss_mask: _, reward: __, ...bare } = ROW
    const logprobs = { sampler: [-1, -1, -1, -1] }
    expect(await driftOf([{ ...ROW, logprobs }, bare, { ...bare, reward: 1, logprobs }])).toEqual([
      'loss mask in no more than 1 of 3 records: record 0 (line 1)',
      'no rewards in 1 of 3 records: record 1 (line 2)',
      'no sampler logprobs in 1 of 3 records: record 1 (line 2)',
    ])
  })

  it('as those few that have it, or lack it, beside all others', async () => {
    const named = { ...ROW, foo: 1 }
    expect(await driftOf([named, named, ROW, named, named])).toEqual([
      'unknown field `foo` in all but 1 of 5 records: record 2 (line 3)',
    ])
    expect(await driftOf([ROW, named, ROW, named, named])).toEqual([
      'unknown field `foo` in all but 2 of 5 records, such as record 0 (line 1)',
    ])
    const { reward: _, ...bare } = ROW
    expect(await driftOf([bare, bare, ROW, bare, bare, ROW])).toEqual([
      'rewards in no more than 2 of 6 records, such as record 2 (line 3)',
    ])
  })

  it('and what all have, or none, names no record', async () => {
    expect(
      await driftOf([
        { ...ROW, foo: 1 },
        { ...ROW, foo: 2 },
      ]),
    ).toEqual(['unknown field `foo` in 2 records'])
    const { reward: _, ...bare } = ROW
    expect(await driftOf([bare, bare])).toEqual([])
  })
})

describe('what one rollout of each record lacks and another of it has', () => {
  it('is said to lack in some of its rollouts', () => {
    const place = { record: 0, line: 1, byte: 0 }
    const streams = new Set<Stream>(['rewards'])
    expect(driftTexts([['no rewards', 2, place]], { records: 2, streams })).toEqual([
      'no rewards in some rollouts of 2 records',
    ])
    expect(driftTexts([['no loss mask', 2, place]], { records: 2, streams })).toEqual([])
  })
})
