import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../shared/containers/container.ts'
import { parseJson } from '../../shared/containers/json.ts'
import { foldInfo, foldStreams, isAnnotation, isIndexRow } from '../../shared/formats/prime-annotations.ts'
import { primeRlTraces } from '../../shared/formats/prime-rl-traces.ts'
import { allNumericKeys } from '../../shared/formats/registry.ts'
import { pathsOf, readNodes } from '../../shared/formats/verifiers-v1-graph.ts'
import type { Trajectory } from '../../shared/model/trajectory.ts'

const lines = (name: string): JsonObject[] =>
  readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const bytes = new TextEncoder().encode(line)
      return parseJson(bytes, 0, bytes.length, allNumericKeys) as JsonObject
    })

const STREAM = lines('formats/prime-rl-traces/2026-09/00000.jsonl')
const SHIPPED = lines('joined/prime-rl-traces/annotations/orchestrator/00000.jsonl')
const SCORED = lines('joined/prime-rl-traces/annotations/trainer/00000.jsonl')

function read(updates: readonly JsonObject[] | null): Map<string, Trajectory> {
  const joined = new Map<string, JsonObject[]>()
  for (const update of updates ?? []) {
    const id = update.trace_id as string
    joined.set(id, [...(joined.get(id) ?? []), update])
  }
  const records = STREAM.map((value, record) => ({ record, line: 1, byte: 0, length: 1, hash: `${record}`, value }))
  const recognition = { confidence: 1, evidence: [], version: null }
  const { trajectories, skipped } = primeRlTraces.read(records, {
    source: 0,
    recognition,
    joined: updates === null ? null : joined,
  })
  expect(skipped).toEqual([])
  return new Map(trajectories.map((trajectory) => [trajectory.id, trajectory]))
}

/** A stream's values on the sampled tokens of a branch, context included. */
function sampled(trajectory: Trajectory | undefined, stream: Float32Array | null): number[] {
  return Array.from(stream ?? []).filter((_, i) => trajectory?.mask?.[i] === 1)
}

describe('annotations of a stream', () => {
  test('are told from index rows and from episodes', () => {
    expect([...SHIPPED, ...SCORED].every((record) => isAnnotation(record) && !isIndexRow(record))).toBe(true)
    expect(STREAM.some((record) => isAnnotation(record) || isIndexRow(record))).toBe(false)
    const index = { line: 1, offset: 0, chunk: 0, id: 'e', kind: 'train', trace_ids: ['t0'], reward: 1 }
    expect([isIndexRow(index), isAnnotation(index)]).toEqual([true, false])
    expect(isIndexRow({ trace_id: 't0', chunk: 0, offset: 10, info: { effective: true } })).toBe(true)
  })

  test('give credit and membership, the newest of them', () => {
    const before = read(null)
    const after = read([...SHIPPED, ...SCORED])
    expect([...before.values()].map(({ excluded }) => excluded)).toEqual([false, false, false, false, false, true])
    expect([...after].filter(([, { excluded }]) => excluded).map(([id]) => id)).toEqual(['t4'])
    expect(new Set(sampled(after.get('t0'), after.get('t0')?.advantages ?? null))).toEqual(new Set([0.25]))
    expect(new Set(sampled(after.get('t1'), after.get('t1')?.advantages ?? null))).toEqual(new Set([-0.75]))
    expect(after.get('t1')?.meta.info).toMatchObject({ kind: 'train', effective: true, advantage: -0.75 })
    expect(before.get('t0')?.advantages).toBeNull()
  })

  test('are cut to the sampled tokens of each node, and to the nodes that they cover', () => {
    const after = read([...SHIPPED, ...SCORED])
    const t0 = after.get('t0') as Trajectory
    const gaps = sampled(t0, t0.logprobs.trainer).map(
      (value, i) => value - (sampled(t0, t0.logprobs.sampler)[i] as number),
    )
    expect(gaps.every((gap) => Math.abs(gap) <= 1 / 256)).toBe(true)
    expect(Array.from(t0.logprobs.trainer ?? []).filter((value) => !Number.isNaN(value))).toHaveLength(29)
    expect(new Set(sampled(t0, t0.entropy))).toEqual(new Set([0.5]))
    expect(t0.meta.is_masked).toEqual(Float64Array.from(t0.mask ?? [], (flag) => (flag === 1 ? 0 : Number.NaN)))
    expect(after.get('t1')?.logprobs.trainer).toBeNull()
    const [first, second] = [after.get('t2') as Trajectory, after.get('t2.1') as Trajectory]
    expect(sampled(first, first.logprobs.trainer).map(Number.isNaN)).toEqual([
      ...Array(21).fill(false),
      ...Array(8).fill(true),
    ])
    // The reply that both share has its value in both; the second branch was not scored.
    expect(Array.from(second.logprobs.trainer ?? []).filter((value) => !Number.isNaN(value))).toHaveLength(21)
    expect(first.issues.concat(second.issues, t0.issues)).toEqual([])
  })

  test('of any shape are folded as far as they make sense', () => {
    const [trace] = (STREAM[2] as JsonObject).traces as JsonObject[]
    const nodes = readNodes((trace as JsonObject).nodes as JsonObject[])
    const paths = pathsOf(nodes)
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.jsonValue(), (branches, info) => {
        const update = { trace_id: 't2', info, branches } as JsonObject
        expect(foldStreams(nodes, paths, [update]).map(({ ids }) => ids)).toEqual(nodes.map(({ ids }) => ids))
        foldInfo({ kind: 'train' }, [update])
      }),
    )
    expect(foldInfo({ a: { b: 1, c: 2 } }, [{ info: { a: { c: 3 } } }, { info: { a: { d: { e: 4 } } } }])).toEqual({
      a: { b: 1, c: 3, d: { e: 4 } },
    })
    expect(foldInfo(null, [{ info: JSON.parse('{"__proto__": {"effective": true}}') }]).effective).toBeUndefined()
  })
})
