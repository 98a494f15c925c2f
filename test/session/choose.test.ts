import { beforeAll, describe, expect, it } from 'vitest'
import type { AuditOptions } from '../../shared/model/policy.ts'
import type { ByteSource } from '../../shared/model/source.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { memorySource } from '../containers/memory-source.ts'
import type { RecordOptions } from '../helpers/conversation.ts'
import { audited, cleanRollout, lines, qwen } from './dumps.ts'

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await qwen()
})

/** Rollouts of consecutive groups of these sizes; a size of 0 is a rollout without a group. */
function grouped(sizes: readonly number[], more: (group: number) => RecordOptions = () => ({})): string {
  let seed = 0
  return lines(
    sizes.flatMap((size, group) =>
      Array.from({ length: Math.max(1, size) }, () =>
        cleanRollout(tokenizer, seed++, size === 0 ? {} : { group: `g${group}`, ...more(group) }),
      ),
    ),
  )
}

async function chosen(sources: string | readonly ByteSource[], options: AuditOptions): Promise<string[]> {
  return (await audited(sources, options)).facts.map(({ id }) => id.replace('rollout-', ''))
}

describe('--limit', () => {
  it.each([
    [1, ['0', '1', '2']],
    [3, ['0', '1', '2']],
    [4, ['0', '1', '2', '3']],
    [5, ['0', '1', '2', '3', '4', '5']],
    [100, ['0', '1', '2', '3', '4', '5', '6']],
  ])('%i keeps whole groups from the front', async (limit, ids) => {
    expect(await chosen(grouped([3, 0, 2, 0]), { limit })).toEqual(ids)
  })

  it('counts the trajectories of groups that are consecutive rows', async () => {
    const { input_ids: token_ids, loss_mask: token_loss_mask } = cleanRollout(tokenizer, 1).record
    const rows = Array.from({ length: 9 }, (_, idx) => ({ idx, token_ids, token_loss_mask, sample_loss_mask: 1 }))
    const source = rows.map((row) => JSON.stringify(row)).join('\n')
    expect(await chosen(source, { limit: 4, groupSize: 3 })).toEqual(['0', '1', '2', '3', '4', '5'])
    expect(await chosen(source, { limit: 4 })).toEqual(['0', '1', '2', '3'])
  })

  it('tells groups of different steps apart', async () => {
    const steps = grouped([2, 2], (step) => ({ group: 'g', more: { step } }))
    expect(await chosen(steps, { limit: 1 })).toEqual(['0', '1'])
  })

  it('still says what the whole dump is', async () => {
    const masked = grouped([2])
    const unmasked = lines([cleanRollout(tokenizer, 7, { mask: 'none' })])
    const sources = [memorySource(unmasked, 64, 'a'), memorySource(`${masked}oops\n`, 64, 'b')]
    const report = (await audited(sources, { limit: 1 })).report()
    expect(report.sources).toMatchObject([
      { records: 1, trajectories: 1, skipped: [] },
      { records: 2, trajectories: 0, skipped: [{ record: 2 }] },
    ])
    expect(report.sources[1]?.missing).not.toContain('mask')
    expect(report.sources[0]?.missing).toContain('mask')
    expect(report.totals.trajectories).toBe(1)
  })
})

describe('--sample', () => {
  const SIZES = [4, 2, 0, 3, 0, 4, 1, 2]

  it('draws whole groups until it has enough, the same ones for the same seed', async () => {
    const dump = grouped(SIZES)
    const all = await chosen(dump, {})
    const byId = new Map((await audited(dump)).facts.map(({ id, group }) => [id.replace('rollout-', ''), group]))
    const seen = new Set<string>()
    for (let seed = 0; seed < 12; seed++) {
      const ids = await chosen(dump, { sample: 5, seed })
      expect(await chosen(dump, { sample: 5, seed })).toEqual(ids)
      seen.add(ids.join())
      expect(ids.length).toBeGreaterThanOrEqual(5)
      expect(ids.length).toBeLessThan(5 + 4)
      expect(ids).toEqual(all.filter((id) => ids.includes(id)))
      for (const id of ids) {
        const group = byId.get(id)
        if (group !== null)
          expect(ids).toEqual(expect.arrayContaining(all.filter((other) => byId.get(other) === group)))
      }
    }
    expect(seen.size).toBeGreaterThan(6)
    expect(await chosen(dump, { sample: 5 })).toEqual(await chosen(dump, { sample: 5, seed: 0 }))
  })

  it('takes all where there are no more', async () => {
    expect(await chosen(grouped(SIZES), { sample: 1000 })).toHaveLength(18)
  })

  it('keeps a group whole that several files share, and apart what merely has one name', async () => {
    // Two ranks of one run, each with half of every group.
    const rank = (from: number) =>
      memorySource(
        lines(
          Array.from({ length: 8 }, (_, i) =>
            cleanRollout(tokenizer, from + i, { group: `g${i >> 1}`, groupSize: 4, reward: i }),
          ),
        ),
        64,
        `rank-${from}`,
      )
    for (let seed = 0; seed < 4; seed++) {
      const session = await audited([rank(0), rank(100)], { sample: 1, seed })
      expect(session.facts).toHaveLength(4)
      expect(new Set(session.facts.map(({ group }) => group)).size).toBe(1)
      expect(session.report().checks.find(({ code }) => code === 'A01')).toMatchObject({ status: 'pass', checked: 1 })
    }
    const file = (from: number) =>
      memorySource(lines([0, 1].map((i) => cleanRollout(tokenizer, from + i, { group: 'g0' }))), 64, `file-${from}`)
    expect(await chosen([file(0), file(100)], { sample: 1 })).toHaveLength(2)
  })

  it('keeps the branches of a rollout together', async () => {
    const branches = lines(
      [0, 1, 2, 3].map((i) =>
        cleanRollout(tokenizer, i, { more: { rollout_id: `r${i >> 1}`, branch: String(i & 1) } }),
      ),
    )
    for (let seed = 0; seed < 4; seed++) {
      const ids = await chosen(branches, { sample: 1, seed })
      expect([
        ['0', '1'],
        ['2', '3'],
      ]).toContainEqual(ids)
    }
    expect(await chosen(branches, { limit: 1 })).toEqual(['0', '1'])
  })
})
