import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Session } from '../../shared/session/session.ts'
import { memorySource } from '../containers/memory-source.ts'
import { FIXTURES } from '../formats/fixture-files.ts'
import { testHost } from './test-host.ts'

async function findingsOf(name: string): Promise<string[]> {
  const bytes = new Uint8Array(readFileSync(new URL(name, FIXTURES)))
  const session = await Session.open([memorySource(bytes, 1 << 14, 'dump')], {}, testHost())
  await session.done
  const { findings, tokenizer } = session.report()
  expect(tokenizer.id).toBe('qwen2.5')
  return findings.filter(({ severity }) => severity !== 'info').map(({ code, trajectory }) => `${code} ${trajectory}`)
}

describe('batches and samples of tensors', () => {
  it.each([
    'slime/2025-07/rollout.pt',
    'slime/2025-12/3_0.pt',
    'slime/2026-08/rollout.pt',
    'slime/2026-08/train.pt',
    'slime/miles-2026-08/rollout.pt',
    'slime/miles-2026-08/12_0.pt',
    'skyrl/2025-07/training_input.pkl',
    'skyrl/2026-03/step_wise.pkl',
    'skyrl/2026-08/training_input.pkl',
    'verl-batch/2025-06/multi_turn.pkl',
    'verl-batch/2026-01/rollout_skip.pkl',
    'verl-batch/2026-01/trained.pkl',
  ])('%s, as the trainer means it, is silent', async (name) => {
    expect(await findingsOf(name)).toEqual([])
  })

  it('whose trainer takes the attention mask train the reply of the tool', async () => {
    expect(await findingsOf('verl-batch/2025-06/single_turn.pkl')).toEqual(['M05 0'])
  })
})
