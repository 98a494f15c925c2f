import { describe, expect, it } from 'vitest'
import type { ByteSource } from '../../shared/model/source.ts'
import { memorySource } from '../containers/memory-source.ts'
import { merge, reportOf, written } from './merge-shards.ts'

const OPTIONS = { tokenizer: 'qwen2.5' }

const file = (name: string, records: readonly object[]) =>
  memorySource(records.map((record) => `${JSON.stringify(record)}\n`).join(''), 1 << 16, name)

/** The rollout dump and the train dump of one step of slime, as `join-sources.test.ts` has them. */
function step(number: number): { readonly rollouts: ByteSource; readonly train: ByteSource } {
  const samples = [0, 1, 2].map((index) => ({ index: number * 3 + index, tokens: [10, 20 + index, 30, number] }))
  const rollout = { response_length: 2, loss_mask: [1, 1], status: 'completed', reward: 1, group_index: number }
  const train = { response_lengths: 2, total_lengths: 4, loss_masks: [1, 1], advantages: [0.5, 0.5], truncated: 0 }
  const trained = samples.map(({ index, tokens }) => ({ ...train, sample_index: index, tokens }))
  return {
    rollouts: file(
      `rollout_${number}.jsonl`,
      samples.map((sample) => ({ rollout_id: number, samples: [{ ...rollout, ...sample }] })),
    ),
    train: file(`train_${number}.jsonl`, [
      { format_version: 2, rollout_id: number, rank: 0, samples: trained, dp_shards: [] },
    ]),
  }
}

describe('files that are joined where they are read together', () => {
  const [first, second] = [step(1), step(2)]

  it('are merged as they are read at once, where each part holds both', async () => {
    const parts = [
      [first.rollouts, first.train],
      [second.train, second.rollouts],
    ]
    const reports = await Promise.all(parts.map((files) => reportOf(files, OPTIONS)))
    const whole = await reportOf(parts.flat(), OPTIONS)
    expect(JSON.parse(whole).totals.trajectories).toBe(6)
    expect(written(merge(reports).report)).toBe(whole)
  })

  it('are refused where parts hold them apart', async () => {
    const rollouts = await reportOf([first.rollouts], OPTIONS)
    const train = await reportOf([first.train], OPTIONS)
    for (const reports of [
      [rollouts, train],
      [train, rollouts],
    ]) {
      expect(() => merge(reports)).toThrow(/part-[01].json holds train_1.jsonl, which adds by sample index/)
    }
    expect(merge([rollouts, await reportOf([second.rollouts], OPTIONS)]).report.totals.trajectories).toBe(6)
  })
})
