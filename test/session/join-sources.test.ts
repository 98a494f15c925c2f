import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainFacts } from '../../shared/checks/facts/kept-facts.ts'
import type { AuditOptions } from '../../shared/model/policy.ts'
import type { EngineHost } from '../../shared/session/host.ts'
import { Session } from '../../shared/session/session.ts'
import { countingSlices, memorySource } from '../containers/memory-source.ts'
import { exportRollouts } from '../exports/in-memory.ts'
import { testHost, workerHost } from './test-host.ts'

const fixture = (name: string) => new Uint8Array(readFileSync(new URL(`../fixtures/${name}`, import.meta.url)))
const ROLLOUT = fixture('formats/slime/2026-08/rollout.pt')
const TRAIN = fixture('formats/slime/2026-08/train.pt')

async function opened(
  files: Readonly<Record<string, Uint8Array>>,
  options: AuditOptions = {},
  host: EngineHost = testHost(),
): Promise<Session> {
  const sources = Object.entries(files).map(([name, bytes]) => memorySource(bytes, 1 << 14, name))
  const session = await Session.open(sources, { tokenizer: 'qwen2.5', ...options }, host)
  await session.done
  return session
}

const lines = (records: readonly object[]) =>
  new TextEncoder().encode(records.map((record) => `${JSON.stringify(record)}\n`).join(''))

/** A rollout dump of some samples, one a line. */
function rollouts(step: number, samples: readonly object[]): Uint8Array {
  const whole = { response_length: 2, loss_mask: [1, 1], status: 'completed', reward: 1, group_index: 0 }
  return lines(samples.map((sample) => ({ rollout_id: step, samples: [{ ...whole, ...sample }] })))
}

/** The train dump beside it. */
function trained(step: number, samples: readonly object[]): Uint8Array {
  const whole = { response_lengths: 2, total_lengths: 4, loss_masks: [1, 1], advantages: [0.5, 0.5], truncated: 0 }
  const all = samples.map((sample) => ({ ...whole, ...sample }))
  return lines([{ format_version: 2, rollout_id: step, rank: 0, samples: all, dp_shards: [] }])
}

const notes = (session: Session) => session.report().sources.map(({ notes: said }) => said ?? [])

describe('a rollout dump and the train dump beside it', () => {
  it('tell each rollout once, with what either of them has', async () => {
    for (const files of [
      { 'rollout.pt': ROLLOUT, 'train.pt': TRAIN },
      { 'train.pt': TRAIN, 'rollout.pt': ROLLOUT },
    ]) {
      const session = await opened(files)
      const report = session.report()
      const alone = await opened({ 'rollout.pt': ROLLOUT })
      expect(report.totals).toMatchObject({ trajectories: 4, groups: 2, tokens: alone.report().totals.tokens })
      expect(session.facts.map(({ id, group }) => `${id} ${group}`)).toEqual(['160 40', '161 40', '162 41', '163 41'])
      const { trajectory } = await session.load(0)
      expect(trajectory).toMatchObject({ finishReason: 'completed', reward: 1, answer: '61', step: 12, rolloutId: '0' })
      for (const stream of [trajectory.logprobs.sampler, trajectory.logprobs.trainer, trajectory.advantages]) {
        expect(stream?.subarray(trajectory.promptLength ?? 0).some(Number.isNaN)).toBe(false)
      }
      const byName = Object.fromEntries(report.sources.map((source) => [source.name, source]))
      expect(byName['rollout.pt']).toMatchObject({
        trajectories: 4,
        notes: ['4 of 4 rollouts joined by sample index with train.pt'],
        joined: [{ on: 'sample index', with: ['train.pt'], adds: false, matched: 4, of: 4, other_ids: 0 }],
      })
      expect(byName['train.pt']).toMatchObject({
        records: 4,
        trajectories: 0,
        notes: ['4 of 4 rollouts told with rollout.pt, joined by sample index'],
        joined: [{ on: 'sample index', with: ['rollout.pt'], adds: true, matched: 4, of: 4, other_ids: 0 }],
      })
      expect(byName['train.pt']?.missing).not.toContain('logprobs.trainer')
      expect(byName['rollout.pt']?.missing).not.toContain('logprobs.trainer')
    }
  })

  it('are joined in workers as in one thread', async () => {
    // A stream is over at its end mark, whatever follows: large enough for workers to be started.
    const large = new Uint8Array(Buffer.concat([fixture('containers/arrow-rs-stream.arrow'), Buffer.alloc(9 << 20)]))
    const files = { 'rollout.pt': ROLLOUT, 'train.pt': TRAIN, large }
    const { host, log } = workerHost(2)
    const session = await opened(files, {}, host)
    expect(log.spawned).toBe(2)
    const inline = await opened(files)
    expect(session.facts.map(plainFacts)).toEqual(inline.facts.map(plainFacts))
    expect(session.report()).toEqual(inline.report())
  })

  it('give a limit and an export the same rollouts', async () => {
    const session = await opened({ 'train.pt': TRAIN, 'rollout.pt': ROLLOUT }, { limit: 1 })
    expect(session.facts.map(({ id }) => id)).toEqual(['160', '161'])
    const files = await exportRollouts(session, { as: 'native', indices: [0, 1], why: 'test' })
    const again = await opened({ 'again.jsonl': files[0]!.bytes })
    const [before, after] = [await session.load(0), await again.load(0)]
    expect(after.trajectory.logprobs).toEqual(before.trajectory.logprobs)
    expect(after.trajectory.advantages).toEqual(before.trajectory.advantages)
    expect(after.trajectory.finishReason).toBe('completed')
  })

  it('join what they share and leave the rest where it is', async () => {
    const tokens = [1, 2, 3, 4]
    const session = await opened({
      base: rollouts(5, [
        { index: 0, tokens },
        { index: 1, tokens },
        { index: 2, tokens },
      ]),
      train: trained(5, [
        { sample_index: 0, tokens },
        { sample_index: 1, tokens: [1, 2, 3, 9] },
        { sample_index: 7, tokens },
      ]),
    })
    expect(session.facts.map(({ place, id }) => `${place.source} ${id}`)).toEqual(['0 0', '0 1', '0 2', '1 1', '1 7'])
    expect(notes(session)).toEqual([
      [
        '1 of 3 rollouts joined by sample index with train',
        '1 of 3 is in another file by sample index, but with other tokens, and is not joined; the first is 1',
      ],
      ['1 of 3 rollouts told with base, joined by sample index'],
    ])
  })

  it('of another step have nothing in common, and a file by itself is not joined', async () => {
    const tokens = [1, 2, 3, 4]
    const session = await opened({
      base: rollouts(5, [{ index: 0, tokens }]),
      train: trained(6, [{ sample_index: 0, tokens }]),
    })
    expect(session.facts).toHaveLength(2)
    expect(notes(session)).toEqual([[], ['its one rollout is not in a file beside it by sample index']])
    expect(notes(await opened({ train: trained(6, [{ sample_index: 0, tokens }]) }))).toEqual([[]])
  })

  it('of many steps and ranks find each other, whatever is read when', async () => {
    const files: Record<string, Uint8Array> = {}
    const tokensOf = (step: number, index: number) => [step, index, 3, 4]
    for (const step of [1, 2, 3]) {
      const indices = Array.from({ length: 8 }, (_, index) => index)
      const ranks = [indices.filter((index) => index % 2 === 0).reverse(), indices.filter((index) => index % 2 === 1)]
      for (const [rank, own] of ranks.entries()) {
        files[`train_${step}_${rank}`] = lines([
          {
            rollout_id: step,
            rank,
            rollout_data: {
              tokens: own.map((index) => tokensOf(step, index)),
              response_lengths: own.map(() => 2),
              loss_masks: own.map(() => [1, 1]),
              advantages: own.map((index) => [index, step]),
              sample_indices: own,
            },
          },
        ])
      }
      files[`rollout_${step}`] = rollouts(
        step,
        indices.map((index) => ({ index, tokens: tokensOf(step, index) })),
      )
    }
    const session = await opened(files)
    expect(session.facts).toHaveLength(24)
    for (const [i, { step, id }] of session.facts.entries()) {
      const { trajectory } = await session.load(i)
      expect(Array.from(trajectory.advantages ?? [])).toEqual([Number.NaN, Number.NaN, Number(id), step])
    }
    expect(notes(session)[2]).toEqual(['8 of 8 rollouts joined by sample index with train_1_0, train_1_1'])
  })

  it('whose masks differ are shown as they were trained, but for rows that are removed', async () => {
    const tokens = [1, 2, 3, 4]
    const session = await opened({
      base: rollouts(5, [
        { index: 0, tokens },
        { index: 1, tokens, remove_sample: true },
      ]),
      train: trained(5, [
        { sample_index: 0, tokens, loss_masks: [0, 1] },
        { sample_index: 1, tokens, loss_masks: [0, 0] },
      ]),
    })
    const [first, second] = [await session.load(0), await session.load(1)]
    expect(first.trajectory.mask).toEqual(Uint8Array.of(0, 0, 0, 1))
    expect(first.trajectory.issues.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'trained-mask-differs: the mask of the rollout and the one that was trained with disagree on 1 token, the first is 2; the latter is read',
    ])
    expect(second.trajectory).toMatchObject({ excluded: true, issues: [] })
    expect(second.trajectory.mask).toEqual(Uint8Array.of(0, 0, 1, 1))
  })

  it('are told once with the columns that miles writes beside them, which know of no step', async () => {
    const tokens = [1, 2, 3, 4]
    const samples = [0, 1].map((index) => ({ index, tokens, rollout_log_probs: null }))
    const columns = lines(
      [0, 1, 9].map((index) => ({
        sample_index: index,
        response_length: 2,
        total_length: 4,
        tokens,
        loss_mask: [1, 1],
        rollout_log_probs: [-0.5, -index],
      })),
    )
    const session = await opened({ columns, base: rollouts(5, samples), other: rollouts(6, [{ index: 7, tokens }]) })
    expect(session.facts.map(({ id, step }) => [id, step])).toEqual([
      ['9', null],
      ['0', 5],
      ['1', 5],
      ['7', 6],
    ])
    expect((await session.load(2)).trajectory.logprobs.sampler?.at(-1)).toBe(-1)
    expect(notes(session)[0]).toEqual(['2 of 3 rollouts told with base, joined by sample index'])
  })

  it('have the conversations that miles keeps in a file of their own', async () => {
    const files = {
      'trajectory/12.jsonl': fixture('formats/slime/miles-2026-08/12.jsonl'),
      'rollout_data/12.pt': fixture('formats/slime/miles-2026-08/rollout.pt'),
    }
    const session = await opened(files)
    expect(session.facts.map(({ id, place }) => `${place.source} ${id}`)).toEqual(['1 160', '1 161', '1 162', '1 163'])
    const said = await Promise.all([0, 1, 2, 3].map(async (i) => (await session.load(i)).trajectory.messages))
    expect(said.map((messages) => messages?.at(-1)?.content ?? null)).toEqual([
      null,
      'About 70 metres.',
      'The river board.',
      'The river board.',
    ])
    expect(notes(session)).toEqual([
      ['2 of 2 notes on rollout_data/12.pt, joined by sample, group, prompt and status'],
      ['2 of 4 records joined by sample, group, prompt and status with trajectory/12.jsonl'],
    ])
    const alone = await opened({ '12.jsonl': files['trajectory/12.jsonl'] })
    expect(alone.facts.map(({ id, group }) => `${id} ${group}`)).toEqual(['162 41', '163 41'])
  })

  it('of ranks that share a context have what each of them computed', async () => {
    const tokens = Array.from({ length: 16 }, (_, i) => 100 + i)
    // Four chunks of four tokens: the first and the last are of rank 0, the others of rank 1. Each scores what comes next in them.
    const shares = [
      [4, 13, 14, 15],
      [5, 6, 7, 8, 9, 10, 11, 12],
    ]
    const rank = (cp_rank: number, more: object = {}) =>
      lines([
        {
          rollout_id: 5,
          rank: cp_rank,
          rollout_data: {
            tokens: [tokens],
            response_lengths: [12],
            loss_masks: [Array(12).fill(1)],
            log_probs: [shares[cp_rank]?.map((token) => -token)],
            sample_indices: [0],
          },
          cp_rank,
          cp_size: 2,
          qkv_format: 'thd',
          ...more,
        },
      ])
    const base = rollouts(5, [{ index: 0, tokens, response_length: 12, loss_mask: Array(12).fill(1) }])
    const scored = async (files: Record<string, Uint8Array>) => {
      const { trajectory } = await (await opened(files)).load(0)
      expect(trajectory.issues).toEqual([])
      return Array.from(trajectory.logprobs.trainer ?? [], (value) => (Number.isNaN(value) ? null : -value))
    }
    const response = tokens.map((_, i) => (i < 4 ? null : i))
    expect(await scored({ base, one: rank(0), two: rank(1) })).toEqual(response)
    expect(await scored({ one: rank(1) })).toEqual(
      response.map((token) => (shares[1]?.includes(token ?? -1) ? token : null)),
    )
    const { trajectory } = await (await opened({ one: rank(0, { qkv_format: 'bshd' }) })).load(0)
    expect(trajectory.logprobs.trainer).toBe(null)
    expect(trajectory.issues.map(({ code }) => code)).toEqual(['part-of-context'])
  })

  it('that were written alike are each told once', async () => {
    const tokens = [1, 2, 3, 4]
    const alike = [0, 0, 0].map((index) => ({ index, tokens }))
    const credits = [0.5, -0.5].map((credit) => ({ sample_index: 0, tokens, advantages: [credit, credit] }))
    const session = await opened({ base: rollouts(5, alike), train: trained(5, credits) })
    const all = await Promise.all(session.facts.map((_, i) => session.load(i)))
    expect(all.map(({ trajectory }) => trajectory.advantages?.at(-1) ?? null)).toEqual([0.5, -0.5, null])
    expect(session.facts.every(({ place }) => place.source === 0)).toBe(true)
    expect(notes(session)[0]).toEqual(['2 of 3 rollouts joined by sample index with train'])
  })

  it('lose no rollout and tell none twice, whatever they hold', async () => {
    const sample = fc.record({ index: fc.nat(3), ids: fc.constantFrom([1, 2, 3, 4], [1, 2, 3, 5], [1, 2, 3, 4, 6]) })
    const step = fc.constantFrom(5, 6)
    const file = fc.record({ adds: fc.boolean(), step, samples: fc.array(sample, { minLength: 1, maxLength: 5 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(file, { minLength: 2, maxLength: 4 }), async (all) => {
        const files = all.map(({ adds, step: at, samples }, i) => {
          const own = adds
            ? trained(
                at,
                samples.map(({ index, ids }) => ({ sample_index: index, tokens: ids, total_lengths: ids.length })),
              )
            : rollouts(
                at,
                samples.map(({ index, ids }) => ({ index, tokens: ids })),
              )
          return [`${i}`, own] as const
        })
        const session = await opened(Object.fromEntries(files))
        const shown = all.map((_, source) => session.facts.filter(({ place }) => place.source === source).length)
        const { sources } = session.report()
        const told = sources.map(({ joined }) => joined?.find(({ adds }) => adds)?.matched ?? 0)
        for (const [i, { adds, samples }] of all.entries()) {
          expect(shown[i]).toBe(adds ? samples.length - (told[i] as number) : samples.length)
        }
        const joined = await Promise.all(session.facts.map((_, i) => session.load(i)))
        const credited = joined.filter(
          ({ trajectory }) => all[trajectory.place.source]?.adds === false && trajectory.advantages !== null,
        )
        const matched = sources.map(({ joined: found }) => found?.find(({ adds }) => !adds)?.matched ?? 0)
        expect(credited).toHaveLength(matched.reduce((sum, each) => sum + each, 0))
      }),
      { numRuns: 40 },
    )
  })

  it('say the same of a file that is told whole as of one that is read once more for a rollout of its own', async () => {
    const tokens = [1, 2, 3, 4]
    const base = rollouts(5, [{ index: 0, tokens }])
    const bad = new TextEncoder().encode('{"rollout_id": 5, \n')
    const beside = (indices: readonly number[]) => {
      const good = indices.map((sample_index) => trained(5, [{ sample_index, tokens, strange: 1 }]))
      return new Uint8Array(Buffer.concat([...good, bad]))
    }
    const asked = async (train: Uint8Array) => {
      const { source, slices } = countingSlices(memorySource(train, 1 << 14, 'train'))
      const session = await Session.open(
        [memorySource(base, 1 << 14, 'base'), source],
        { tokenizer: 'qwen2.5' },
        testHost(),
      )
      await session.done
      const [, told] = session.report().sources
      const { records, skipped, missing, drift } = told ?? {}
      return { reads: slices(), told: { records, skipped: skipped?.map(({ code }) => code), missing, drift } }
    }
    const whole = await asked(beside([0]))
    const partly = await asked(beside([0, 7]))
    expect(whole.told).toEqual({ ...partly.told, records: 1, drift: whole.told.drift })
    expect(whole.told.skipped).toEqual(['bad-json'])
    expect(partly.told.drift).toHaveLength(whole.told.drift?.length ?? -1)
    expect(whole.reads).toBeLessThan(partly.reads)
  })

  it('of which one breaks off are joined as far as it goes', async () => {
    const tokens = [1, 2, 3, 4]
    const whole = rollouts(
      5,
      [0, 1, 2].map((index) => ({ index, tokens })),
    )
    const session = await opened({
      base: whole.subarray(0, whole.length - 30),
      train: trained(
        5,
        [0, 1, 2].map((index) => ({ sample_index: index, tokens })),
      ),
    })
    expect(session.facts.map(({ place, id }) => `${place.source} ${id}`)).toEqual(['0 0', '0 1', '1 2'])
    expect(session.report().sources[0]?.skipped).toHaveLength(1)
  })
})
