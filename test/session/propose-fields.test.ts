import { tableFromArrays, tableToIPC } from '@uwdata/flechette'
import fc from 'fast-check'
import type { SchemaElement } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../shared/containers/container.ts'
import { MAP_FIELDS, mappedRecords } from '../../shared/formats/mapping.ts'
import { fitsField, pathsOf } from '../../shared/formats/mapping-paths.ts'
import { zipped } from '../containers/archives.ts'
import { enginePage } from './engine-page.ts'

const IDS = [151644, 77091, 198, 2132, 374, 220, 21, 151645]
const MASK = [0, 0, 0, 1, 1, 1, 1, 1]
const ROW = { sample: { toks: IDS, lossm: MASK }, problem_id: 'p1', final_reward: 0.5, batch: [{ toks: IDS }] }

const source = (records: readonly unknown[], name = 'dump.jsonl') => ({
  kind: 'bytes' as const,
  name,
  bytes: new TextEncoder().encode(records.map((record) => `${JSON.stringify(record)}\n`).join('')),
})
const asked = (records: readonly unknown[], map?: Readonly<Record<string, string>>) =>
  enginePage().ask('proposeMapping', {
    source: source(records),
    name: 'dump.jsonl',
    options: { tokenizer: 'qwen2.5', ...(map === undefined ? {} : { map }) },
  })

describe('what a person is offered for a dump of no known format', () => {
  test('is every path with what stands there, the proposal, and the first record under it', async () => {
    const { shape, paths, proposal, first, problems } = await asked([ROW, ROW])
    expect(shape).toBe('batch\nfinal_reward\nproblem_id\nsample')
    expect(paths).toContainEqual({
      path: 'sample.toks',
      kind: 'numbers',
      shown: '8 numbers: 151644, 77091, 198, 2132…',
    })
    expect(paths).toContainEqual({ path: 'problem_id', kind: 'text', shown: '"p1"' })
    expect(paths.map(({ path }) => path)).toContain('batch[0].toks')
    expect(proposal).toMatchObject({ input_ids: 'sample.toks', loss_mask: 'sample.lossm', reward: 'final_reward' })
    expect(first).toMatchObject({ tokens: 8, trained: 5, reward: 0.5, group: 'p1', step: null, tokenizer: 'qwen2.5' })
    expect(first?.excerpts[0]?.tokens[0]).toEqual({ id: 151644, text: '<|im_start|>', trained: false })
    expect(problems).toEqual([])
  })

  test('is the first record under the mapping that the person chose', async () => {
    const { first } = await asked([ROW], { input_ids: 'batch[0].toks' })
    expect(first).toMatchObject({ tokens: 8, trained: null, reward: null })
  })

  test('says why a mapping reads nothing', async () => {
    const { first, problems } = await asked([ROW], { reward: 'final_reward' })
    expect(first).toBeNull()
    expect(problems).toEqual([expect.stringContaining('neither token ids (input_ids) nor messages')])
  })

  test('shows where training begins, however late', async () => {
    const long = { toks: [...Array(200).fill(9707), ...IDS], lossm: [...Array(200).fill(0), ...MASK] }
    const { first } = await asked([long])
    expect(first?.excerpts.map(({ from }) => from)).toEqual([0, 195])
    expect(first?.excerpts[1]?.tokens.findIndex(({ trained }) => trained)).toBe(8)
  })

  test('is the same for columns, and for a file in an archive', async () => {
    const columns = tableToIPC(tableFromArrays({ toks: [IDS, IDS], lossm: [MASK, MASK], outcome: [0.5, 1] }), {
      format: 'file',
    })
    const parquet = parquetWriteBuffer({
      schema: [
        { name: 'schema', num_children: 3 },
        ...['toks', 'lossm'].flatMap((name): SchemaElement[] => [
          { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
          { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
          { name: 'element', type: 'INT64', repetition_type: 'OPTIONAL' },
        ]),
        { name: 'outcome', type: 'DOUBLE', repetition_type: 'OPTIONAL' },
      ],
      columnData: [
        { name: 'toks', data: [IDS, IDS].map((ids) => ids.map(BigInt)) },
        { name: 'lossm', data: [MASK, MASK].map((mask) => mask.map(BigInt)) },
        { name: 'outcome', data: [0.5, 1] },
      ],
    })
    const jsonl = source([{ toks: IDS, lossm: MASK, outcome: 0.5 }]).bytes
    for (const [name, bytes, inside] of [
      ['dump.arrow', columns as Uint8Array, 'dump.arrow'],
      ['dump.parquet', new Uint8Array(parquet), 'dump.parquet'],
      ['run.zip', zipped({ 'step_1.jsonl': jsonl }), 'run.zip › step_1.jsonl'],
    ] as const) {
      const { proposal, first, paths } = await enginePage().ask('proposeMapping', {
        source: { kind: 'bytes', name, bytes },
        name: inside,
        options: { tokenizer: 'qwen2.5' },
      })
      expect(proposal).toEqual({ input_ids: 'toks', loss_mask: 'lossm' })
      expect(paths.map(({ path, kind }) => `${path} ${kind}`)).toEqual([
        'toks numbers',
        'lossm numbers',
        'outcome number',
      ])
      expect(first).toMatchObject({ tokens: 8, trained: 5 })
    }
  })

  test('fails with a sentence where nothing can be mapped', async () => {
    await expect(asked([[[1], [2]]])).rejects.toThrow('there are no fields to map')
  })
})

describe('paths', () => {
  test('lead to what stands there, in whatever record', () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 4 }), (record) => {
        const value = JSON.parse(JSON.stringify(record)) as JsonValue
        for (const path of pathsOf(value)) {
          const field = MAP_FIELDS.find((each) => !each.includes('.') && fitsField(each, path))
          if (field === undefined) continue
          const mapped = mappedRecords([{ value } as never], { [field]: path.path }).map((each) => each.value)
          expect(mapped).toEqual([expect.objectContaining({ [field]: expect.anything() })])
        }
      }),
    )
  })
})
