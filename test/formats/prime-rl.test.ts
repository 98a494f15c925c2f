import { readFileSync } from 'node:fs'
import { encode } from '@msgpack/msgpack'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../shared/containers/container.ts'
import {
  fittingLayout,
  type Layout,
  MICRO_BATCHES,
  named,
  TRAINING_SAMPLES,
} from '../../shared/formats/prime-rl-layouts.ts'
import { earlierBranch } from '../../shared/formats/prime-streams.ts'
import { memorySource } from '../containers/memory-source.ts'
import { audited } from '../session/dumps.ts'
import { FIXTURES } from './fixture-files.ts'

const fixture = (name: string) => new Uint8Array(readFileSync(new URL(name, FIXTURES)))

/** Each check that fails, with the ids of the rollouts that it names. */
async function failing(bytes: Uint8Array | string): Promise<Record<string, (string | null)[]>> {
  const session = await audited([memorySource(bytes)], { tokenizer: 'qwen2.5' })
  const named: Record<string, (string | null)[]> = {}
  for (const { code, severity, trajectory } of session.report().findings) {
    if (severity !== 'info') (named[code] ??= []).push(trajectory)
  }
  return named
}

describe('prime-rl-export', () => {
  test('names what is wrong in its rows and nothing else', async () => {
    expect(await failing(fixture('prime-rl-export/2026-08/rank_0.jsonl'))).toEqual({
      // Observations that cross entropy trains on purpose.
      M01: ['12/0/2'],
      S03: ['12/0/5'],
    })
    expect(await failing(fixture('prime-rl-export/2026-05/rank_0.jsonl'))).toEqual({})
  })
})

describe('replies that are masked before the first trained token', () => {
  // 1 opens a turn, 2 ends one; the model wrote what is 7 or 8, and its end tokens.
  const ids = Int32Array.of(1, 5, 2, 1, 7, 7, 2, 1, 5, 2, 1, 8, 8, 8, 2)
  const scores = Float32Array.from(ids, (_, i) => ([4, 6, 11, 12, 14].includes(i) ? -0.5 : 0))
  const trainedFrom = (start: number) => Uint8Array.from(ids, (_, i) => (i >= start ? 1 : 0))

  test('are of an earlier branch, and context', () => {
    const found = earlierBranch(ids, trainedFrom(11), scores)
    expect(found?.promptLength).toBe(11)
    expect(Array.from(found?.sampled ?? []).slice(9)).toEqual([0, 0, 1, 1, 255, 1])
  })

  test('end where the reply begins that is trained in part', () => {
    expect(earlierBranch(ids, trainedFrom(13), scores)?.promptLength).toBe(11)
  })

  test('end where they do, whatever the id that opens the row is', () => {
    // The first id comes again inside the reply that was sampled: it opens no turn.
    const row = Int32Array.of(3, 1, 5, 6, 4, 7, 3, 9, 10, 4, 1, 8, 8, 8, 2)
    const scored = Float32Array.from(row, (_, i) => ((i >= 5 && i <= 7) || i >= 12 ? -0.5 : 0))
    expect(earlierBranch(row, trainedFrom(12), scored)?.promptLength).toBe(12)
  })

  test('are none where the first reply itself is trained in part', () => {
    expect(earlierBranch(ids, trainedFrom(5), scores)).toBeNull()
    const behindBos = Int32Array.of(0, ...ids)
    expect(earlierBranch(behindBos, Uint8Array.of(0, ...trainedFrom(5)), Float32Array.of(0, ...scores))).toBeNull()
  })
})

/** A struct of a layout as it is decoded, with `written` of its fields. */
function struct({ fields }: Layout, written: number, tokens: number): JsonValue[] {
  const ids = fields.filter(([, kind]) => kind === 'ids').length
  const made = fields.slice(0, written).map(([, kind]): JsonValue => {
    if (kind === 'ids') return new Int32Array(tokens).fill(7)
    if (kind === 'row') return new Float64Array(tokens * ids).fill(-0.5)
    if (kind === 'lengths') return Int32Array.of(tokens - 1, 1)
    if (kind === 'texts') return new Array<string>(tokens).fill('env')
    return kind === 'number' ? 12 : kind === 'text' ? 'rl' : null
  })
  return made
}

describe('prime-rl-batch', () => {
  test.each([
    ['MicroBatch', MICRO_BATCHES],
    ['TrainingSample', TRAINING_SAMPLES],
  ])('a %s is told by its types, whichever of its fields were written', (_, layouts) => {
    const cases = layouts.flatMap((layout) => [layout.required, layout.fields.length].map((end) => ({ layout, end })))
    fc.assert(
      fc.property(fc.constantFrom(...cases), fc.integer({ min: 3, max: 20 }), ({ layout, end }, tokens) => {
        const values = struct(layout, end, tokens)
        const found = fittingLayout(values, layouts)
        // Eras that differ only in what was not written are one.
        const said = (each: Layout) => Object.entries(named(values, each)).filter(([, value]) => value !== null)
        expect(found === null ? null : said(found)).toEqual(said(layout))
      }),
    )
  })

  test('lists that are no batch are not recognised', async () => {
    for (const lists of [[[[1, 2], [true, false], ['a'], [0.5]]], [[[1, 2]], [[3, 4]]], [{ 0: [1], 1: [2] }]]) {
      const session = await audited([memorySource(encode(lists))])
      expect(session.unreadable.map(({ code }) => code)).toEqual(['unknown-format'])
    }
  })

  test('names what is wrong in its rows and nothing else', async () => {
    // The mask of row 3 ends before what was sampled does.
    expect(await failing(fixture('prime-rl-batch/2026-08/rank_0.bin'))).toEqual({ S03: ['3', '4'], T03: ['3'] })
    for (const name of [
      '2025-08/rank_0.pt',
      '2025-11/rank_0.pt',
      '2025-12/rank_0.bin',
      '2025-12/rollouts.bin',
      '2026-06-23/rank_0.bin',
    ]) {
      expect(await failing(fixture(`prime-rl-batch/${name}`))).toEqual({})
    }
  })
})

describe('prime-rl-traces', () => {
  test.each([
    '2026-04/train_rollouts.jsonl',
    '2026-05/train_rollouts.jsonl',
    '2026-06/train_rollouts.jsonl',
    '2026-07/traces.jsonl',
    '2026-09/00000.jsonl',
  ])('%s is clean', async (name) => {
    expect(await failing(fixture(`prime-rl-traces/${name}`))).toEqual({})
  })

  test('observations that cross entropy trains are told as what they are', async () => {
    expect(await failing(fixture('prime-rl-traces/2026-08/traces.jsonl'))).toEqual({ M01: ['t0'] })
  })

  test('what evaluates the run, failed or was filtered is not trained', async () => {
    const excluded = async (name: string) =>
      (await audited([memorySource(fixture(`prime-rl-traces/${name}`))])).facts
        .filter((facts) => facts.excluded)
        .map(({ id }) => id)
    expect(await excluded('2026-05/train_rollouts.jsonl')).toEqual(['1'])
    expect(await excluded('2026-06/train_rollouts.jsonl')).toEqual(['r-2'])
    expect(await excluded('2026-07/traces.jsonl')).toEqual(['t2'])
    expect(await excluded('2026-08/traces.jsonl')).toEqual(['t3', 't4'])
    expect(await excluded('2026-09/00000.jsonl')).toEqual(['t4'])
  })
})
