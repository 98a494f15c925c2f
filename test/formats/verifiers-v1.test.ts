import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../shared/containers/container.ts'
import { verifiersV1 } from '../../shared/formats/verifiers-v1.ts'
import { firstToSay, pathsOf, readNodes } from '../../shared/formats/verifiers-v1-graph.ts'
import type { Trajectory } from '../../shared/model/trajectory.ts'
import { memorySource } from '../containers/memory-source.ts'
import { audited } from '../session/dumps.ts'
import { FIXTURES } from './fixture-files.ts'

const fixture = (name: string) => new Uint8Array(readFileSync(new URL(`verifiers-v1/${name}`, FIXTURES)))

const node = (parent: number | null, ids: number[], sampled = false, content = ''): JsonObject => ({
  parent,
  message: { role: sampled ? 'assistant' : 'user', content },
  sampled,
  token_ids: ids,
  mask: ids.map(() => sampled),
  // None of them 0.0, which is as well what nobody sampled has.
  logprobs: sampled ? ids.map((id) => -(id + 1) / 8) : [],
})

function read(
  nodes: JsonObject[],
  calls: JsonObject[] = [],
): { trajectories: readonly Trajectory[]; skipped: string[] } {
  const value = { id: 't', task: { idx: 1 }, nodes, calls, rewards: { right: 1 }, is_completed: true }
  const { trajectories, skipped } = verifiersV1.read(
    [{ record: 0, line: 1, byte: 0, length: 1, hash: '0123456789abcdef', value }],
    { source: 0, recognition: { confidence: 1, evidence: [], version: null } },
  )
  return { trajectories, skipped: skipped.map(({ code, message }) => `${code}: ${message}`) }
}

const masks = (nodes: JsonObject[]) => read(nodes).trajectories.map(({ mask }) => Array.from(mask ?? []).join(''))

/** Any tree: each node after an earlier one or none, with a few tokens. */
const trees = fc
  .array(
    fc.record({ back: fc.nat(9), ids: fc.array(fc.nat(99), { minLength: 1, maxLength: 4 }), sampled: fc.boolean() }),
    {
      minLength: 1,
      maxLength: 30,
    },
  )
  .map((made) =>
    made.map(({ back, ids, sampled }, i) =>
      node(i === 0 || back > i ? null : i - 1 - (back % i), ids, sampled, `${i}`),
    ),
  )

describe('the branches of a trace', () => {
  test('are one for each leaf, and train each sampled token in the first of them alone', () => {
    fc.assert(
      fc.property(trees, (nodes) => {
        const parents = new Set(nodes.map(({ parent }) => parent))
        const leaves = nodes.map((_, i) => i).filter((i) => !parents.has(i))
        const { trajectories } = read(nodes)
        expect(trajectories).toHaveLength(leaves.length)
        let trained = 0
        for (const [branch, leaf] of leaves.entries()) {
          const path: number[] = []
          for (let at: number | null = leaf; at !== null; at = nodes[at]?.parent as number | null) path.unshift(at)
          const { ids, mask, sampled, logprobs, excluded, rolloutId } = trajectories[branch] as Trajectory
          expect(Array.from(ids ?? [])).toEqual(path.flatMap((i) => nodes[i]?.token_ids as number[]))
          expect(sampled).toEqual(mask)
          expect(excluded).toBe(!mask?.includes(1))
          expect(rolloutId).toBe('t')
          for (const [i, flag] of (mask ?? []).entries()) {
            if (flag === 1) expect(logprobs.sampler?.[i]).toBe(Math.fround(-((ids?.[i] as number) + 1) / 8))
          }
          trained += mask?.reduce((sum, flag) => sum + flag, 0) ?? 0
        }
        const sampled = nodes.filter((each) => each.sampled).flatMap((each) => each.token_ids as number[])
        expect(trained).toBe(sampled.length)
      }),
    )
  })

  test('a fork before any reply trains both', () => {
    expect(masks([node(null, [1]), node(0, [2], true), node(0, [3], true)])).toEqual(['01', '01'])
    expect(masks([node(null, [1]), node(0, [2], true), node(1, [3]), node(2, [4], true), node(1, [5], true)])).toEqual([
      '0101',
      '001',
    ])
  })

  test('whose masks mark nothing are no samples, unless the model wrote of them', () => {
    const unmarked = (nodes: JsonObject[]) => nodes.map((each) => ({ ...each, mask: [false, false], logprobs: [] }))
    const excluded = (nodes: JsonObject[]) => read(nodes).trajectories.map((each) => each.excluded)
    expect(excluded(unmarked([node(null, [1, 2]), node(0, [3, 4], true, 'a reply')]))).toEqual([false])
    expect(excluded(unmarked([node(null, [1, 2]), node(0, [3, 4])]))).toEqual([true])
    // What another branch trains is left out on purpose.
    const fork = [node(null, [1, 2]), node(0, [3, 4], true, 'a reply'), node(1, [5, 6], true, 'on'), node(1, [7, 8])]
    expect(excluded(fork)).toEqual([false, true])
  })

  test('an attempt to compact the history that nothing went on from is no sample, and takes no reply from one', () => {
    const attempt = { semantic_parents: [{ node: 1, type: 'compaction_attempt' }] }
    const nodes = [
      node(null, [1]),
      node(0, [2], true, 'call'),
      { ...node(1, [3], true, 'failed'), ...attempt },
      { ...node(1, [4], true, 'summary'), ...attempt },
      { ...node(null, [5], true, 'on'), semantic_parents: [{ node: 3, type: 'compaction' }] },
    ]
    const { trajectories } = read(nodes)
    expect(trajectories.map(({ mask, excluded }) => [Array.from(mask ?? []).join(''), excluded])).toEqual([
      ['011', true],
      ['011', false],
      ['1', false],
    ])
  })

  test('a message that a later prompt repeats in other tokens parts them, and the token is named', () => {
    const nodes = [
      node(null, [1, 2]),
      node(0, [3, 4, 5], true, 'yes'),
      node(0, [3, 9, 5], false, 'yes'),
      node(2, [6], true),
    ]
    const repeated = nodes.map((each, i) =>
      i === 2 ? { ...each, message: { role: 'assistant', content: 'yes' } } : each,
    )
    const [first, second] = read(repeated).trajectories
    expect(first?.issues).toEqual([])
    expect(
      second?.issues.map(({ code, field, message }) => [code, field, message.includes('from token 3 on')]),
    ).toEqual([['prefix-broken', 'nodes[2].token_ids', true]])
    expect(read(nodes).trajectories.flatMap(({ issues }) => issues)).toEqual([])
  })

  test.each<[string, unknown]>([
    ['an index that is not there', 9],
    ['itself', 2],
    ['a node after it', 3],
    ['a negative index', -1],
    ['a text', '0'],
    ['half an index', 0.5],
  ])('a parent that is %s gives no sequence, its neighbours theirs', (_, parent) => {
    const nodes = [
      node(null, [1]),
      node(0, [2], true),
      { ...node(0, [3]), parent: parent as number },
      node(2, [4], true),
    ]
    const { trajectories, skipped } = read(nodes)
    expect(skipped).toEqual([])
    expect(trajectories.map(({ ids, issues }) => [ids === null, issues.map(({ code }) => code)])).toEqual([
      [false, []],
      [true, ['broken-graph']],
    ])
  })

  test('go as deep as their nodes do', () => {
    const deep = Array.from({ length: 100_000 }, (_, i) => node(i === 0 ? null : i - 1, [i % 50], i % 2 === 1))
    const { trajectories } = read(deep)
    expect(trajectories.map(({ ids }) => ids?.length)).toEqual([100_000])
  })

  test('that would fill the memory are refused with their size', () => {
    const comb = Array.from({ length: 24_000 }, (_, i) => node(i === 0 ? null : i < 12_000 ? i - 1 : 11_999, [7]))
    expect(read(comb).skipped).toEqual([
      'too-large: its 12000 branches have 288024000 tokens together, 67108864 are read at most',
    ])
    expect(() => pathsOf(readNodes(comb))).toThrow('67108864')
    expect(firstToSay(readNodes(comb))).toHaveLength(24_000)
  })
})

describe('who wrote a message', () => {
  const flags = (nodes: JsonObject[]) =>
    read(nodes).trajectories.map(({ mask, sampled }) => [
      Array.from(mask ?? []).join(' '),
      Array.from(sampled ?? []).join(' '),
    ])

  test('is what the trace says of it, where the mask trains what the environment wrote', () => {
    const reply = { ...node(1, [4, 5]), mask: [false, true] }
    expect(flags([node(null, [1]), node(0, [2, 3], true), reply])).toEqual([['0 1 1 0 1', '0 1 1 0 0']])
  })

  test('is what the trace says of it, where the mask leaves out a reply', () => {
    const left = { ...node(0, [2, 3, 4], true), mask: [false, false, false], logprobs: [] }
    const rest = [node(1, [5]), node(2, [6], true)]
    const told = { ...left, is_content: [false, true, true] }
    expect(flags([node(null, [1]), told, ...rest])).toEqual([['0 0 0 0 0 1', '0 0 1 1 0 1']])
    // Which of its tokens are the template's is not said.
    expect(flags([node(null, [1]), left, ...rest])).toEqual([['0 0 0 0 0 1', '0 255 255 255 0 1']])
  })

  const prompted = (parent: number, first: number, mask: boolean[], logprobs: number[] = []) => ({
    ...node(parent, [90, 91, first, 4, 99], true, 'said'),
    mask,
    logprobs,
  })
  const [F, T] = [false, true]

  test('is not told of marked tokens with a logprob of 0.0 that a reply begins with, and is of those behind', () => {
    const reply = { ...node(0, [2, 3, 4, 5], true), mask: [F, T, T, T] }
    const scored = (...logprobs: number[]) => flags([node(null, [1]), { ...reply, logprobs }])
    expect(scored(0, -0.5, 0)).toEqual([['0 0 1 1 1', '0 255 255 1 1']])
    expect(scored(-0.5, 0, 0)).toEqual([['0 0 1 1 1', '0 255 1 1 1']])
    // Of a reply that is certain throughout nothing else is known, nor where they do not fit.
    expect(scored(0, 0, 0)).toEqual([['0 0 1 1 1', '0 255 1 1 1']])
  })

  test('is what the trace calls the body of a reply, with its end where the mask marks that', () => {
    const reply = { ...node(0, [2, 3, 4, 5], true), mask: [T, T, T, T] }
    const body = (is_content: boolean[]) => flags([node(null, [1]), { ...reply, is_content }])[0]?.[1]
    expect(body([F, T, T, F])).toBe('0 0 1 1 1')
    expect(body([F, F, T, T])).toBe('0 0 0 1 1')
    expect(body([F, T, F, F])).toBe('0 1 1 1 1')
  })

  test('is told to the end of a reply, where its mask ends before', () => {
    const nodes = [node(null, [1]), prompted(0, 2, [F, F, T, T, F]), node(1, [5]), prompted(2, 3, [F, F, T, T, T])]
    expect(flags(nodes)).toEqual([['0 0 0 1 1 0 0 0 0 1 1 1', '0 255 255 1 1 1 0 255 255 1 1 1']])
    expect(read(nodes).trajectories[0]?.promptLength).toBeNull()
  })

  test('is not told of what stands before a mask that begins late, and is of one that begins where it should', () => {
    const late = (first: number) => [F, F, F, T, T].map((mark, i) => (i === 2 ? first === 0 : mark))
    const nodes = (last: number) => [node(null, [1]), prompted(0, 2, late(1)), node(1, [5]), prompted(2, last, late(1))]
    expect(flags(nodes(3))).toEqual([['0 0 0 0 1 1 0 0 0 0 1 1', '0 255 255 255 1 1 0 255 255 255 1 1']])
    // The same words before both may as well be the generation prompt's.
    expect(flags(nodes(2))).toEqual([['0 0 0 0 1 1 0 0 0 0 1 1', '0 0 0 0 1 1 0 0 0 0 1 1']])
    const whole = [node(null, [1]), prompted(0, 2, late(0)), node(1, [5]), prompted(2, 3, late(0))]
    expect(flags(whole)).toEqual([['0 0 0 1 1 1 0 0 0 1 1 1', '0 0 0 1 1 1 0 0 0 1 1 1']])
  })

  test('is told by the logprobs of a reply, which are in their places, where its mask marks fewer', () => {
    const reply = prompted(0, 2, [F, F, T, T, F], [-1, -2, -3])
    const [{ sampled, logprobs, promptLength } = {} as Trajectory] = read([node(null, [1]), reply]).trajectories
    expect(Array.from(sampled ?? [])).toEqual([0, 0, 0, 1, 1, 1])
    expect(Array.from(logprobs.sampler ?? []).slice(3)).toEqual([-1, -2, -3])
    expect(promptLength).toBe(3)
  })

  test('is told of a masked reply by the generation prompt of the others, and of nothing that was sampled', () => {
    const masked = prompted(2, 3, [F, F, F, F, F])
    const nodes = [node(null, [1]), prompted(0, 2, [F, F, T, T, T]), node(1, [5]), masked]
    expect(flags(nodes)[0]?.[1]).toBe('0 255 255 1 1 1 0 0 0 1 1 1')
    const empty = { ...masked, token_ids: [90, 91], mask: [F, F] }
    expect(flags([...nodes.slice(0, 3), empty])[0]?.[1]).toBe('0 255 255 1 1 1 0 0 0')
    expect(flags([node(null, [1]), { ...masked, parent: 0 }])[0]?.[1]).toBe('0 255 255 255 255 1')
  })

  test('ends no prompt behind a reply that is masked, and does behind one that an earlier branch holds', () => {
    const masked = prompted(0, 2, [F, F, F, F, F])
    const whole = (parent: number) => prompted(parent, 3, [F, F, T, T, T])
    const lengths = (nodes: JsonObject[]) => read(nodes).trajectories.map(({ promptLength }) => promptLength)
    expect(lengths([node(null, [1]), masked, node(1, [5]), whole(2)])).toEqual([null])
    expect(lengths([node(null, [1]), { ...masked, sampled: false }, node(1, [5]), whole(2)])).toEqual([9])
    expect(lengths([node(null, [1]), whole(0), node(1, [5]), { ...masked, parent: 2 }])).toEqual([3])
    expect(lengths([node(null, [1]), masked, whole(1), node(1, [5]), whole(3)])).toEqual([null, 9])
  })

  test('follows the mask, where the trace does not say it', () => {
    const { sampled: _, ...unsaid } = node(1, [4, 5], true)
    expect(flags([node(null, [1]), node(0, [2, 3], true), unsaid])).toEqual([['0 1 1 1 1', '0 1 1 1 1']])
  })
})

test('each reply says why the model stopped there: by its call, or as the node itself says it', () => {
  const nodes = [node(null, [1]), node(0, [2], true), node(1, [3]), { ...node(2, [4], true), finish_reason: 'stop' }]
  const calls: JsonObject[] = [
    { node: 1, finish_reason: 'length', error: 'timeout' },
    { node: 1, finish_reason: 'tool_calls' },
  ]
  const reasons = (trajectories: readonly Trajectory[]) =>
    trajectories.map(({ messages }) => messages?.map(({ finishReason }) => finishReason))
  expect(reasons(read(nodes, calls).trajectories)).toEqual([[undefined, 'tool_calls', undefined, 'stop']])
})

describe('verifiers-v1', () => {
  test('names what is wrong in its rows and nothing else', async () => {
    const named: Record<string, (string | null)[]> = {}
    const session = await audited([memorySource(fixture('2026-08/traces.jsonl'))], { tokenizer: 'qwen2.5' })
    for (const { code, severity, trajectory } of session.report().findings) {
      if (severity !== 'info') (named[code] ??= []).push(trajectory)
    }
    expect(named).toEqual({
      C03: ['t9'],
      // Observations that cross entropy trains on purpose.
      M01: ['t7'],
      S03: ['t11'],
      T03: ['t11'],
    })
    const late = await audited([memorySource(fixture('2026-09/traces.jsonl'))], { tokenizer: 'qwen2.5' })
    expect(late.report().findings.filter(({ severity }) => severity !== 'info')).toEqual([])
    const early = await audited([memorySource(fixture('2026-06/train_rollouts.jsonl'))], { tokenizer: 'qwen2.5' })
    expect(early.report().findings.filter(({ severity }) => severity !== 'info')).toEqual([])
  })
})
