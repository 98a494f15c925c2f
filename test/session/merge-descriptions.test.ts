import { describe, expect, it } from 'vitest'
import { MergeError } from '../../shared/session/merge/part.ts'
import { memorySource } from '../containers/memory-source.ts'
import { merge, reportOf, written } from './merge-shards.ts'

const file = (name: string, value: object) => memorySource(`${JSON.stringify(value)}\n`, 1 << 16, name)
const rollouts = (name: string, id: number) => file(name, { input_ids: [1, 2, id], loss_mask: [0, 0, 1], reward: 1 })

const CONFIG = file('config.json', { model_name_or_path: 'Qwen/Qwen3-8B', max_prompt_length: 2048, num_generations: 8 })
const OTHER = file('step_2/config.json', { model_name_or_path: 'Qwen/Qwen3-8B', max_prompt_length: 64 })
const [FIRST, SECOND] = [rollouts('step_1/rollouts.jsonl', 3), rollouts('step_2/rollouts.jsonl', 4)]

function refusal(reports: readonly string[]): string {
  try {
    merge(reports)
  } catch (error) {
    expect(error).toBeInstanceOf(MergeError)
    return (error as MergeError).message
  }
  throw new Error('nothing was refused')
}

describe('a file that describes the run', () => {
  it('is listed once where every part was read beside it', async () => {
    const parts = [await reportOf([CONFIG, FIRST]), await reportOf([CONFIG, SECOND])]
    expect(written(merge(parts).report)).toBe(await reportOf([CONFIG, FIRST, SECOND]))
  })

  it('speaks for its own folder', async () => {
    const parts = [await reportOf([FIRST]), await reportOf([OTHER, SECOND])]
    expect(written(merge(parts).report)).toBe(await reportOf([FIRST, OTHER, SECOND]))
  })

  it('is asked for where a part was read without it', async () => {
    const [described, bare] = [await reportOf([CONFIG, FIRST]), await reportOf([SECOND])]
    for (const reports of [
      [described, bare],
      [bare, described],
    ]) {
      expect(refusal(reports)).toMatch(
        /part-[01].json was read without config.json, and read at once step_2\/rollouts.jsonl is described by config.json/,
      )
    }
    const nearer = refusal([await reportOf([CONFIG, SECOND]), await reportOf([OTHER])])
    expect(nearer).toContain('part-0.json was read with config.json alone')
  })

  it('cannot be told from another one of its name', async () => {
    const alike = file('config.json', { model_name_or_path: 'Qwen/Qwen3-8B', max_prompt_length: 4096 })
    const parts = [await reportOf([CONFIG, FIRST]), await reportOf([alike, SECOND])]
    expect(refusal(parts)).toContain('described by none of several files')
    expect(refusal(parts)).toContain('--relative-to')
  })
})
