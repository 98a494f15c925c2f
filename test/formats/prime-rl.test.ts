import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
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
