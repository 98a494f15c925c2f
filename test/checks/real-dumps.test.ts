import { describe, expect, it } from 'vitest'
import { formatById } from '../../shared/formats/registry.ts'
import { Expected } from '../../shared/model/tokens.ts'
import type { BundledTokenizerId } from '../../shared/tokens/tokenizer.ts'
import { readSource } from '../formats/read-source.ts'
import { fileSource, realData } from '../helpers/real-data.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

const ATROPOS = realData('atropos/rubiks_process_results_32.jsonl')
const SINGLE_TURN = realData('nemo-gym/competitive_coding_challenges.example_rollouts.jsonl')
const ROUND_TRIP = realData('nemo-gym/round_trip_test_data.json')

async function auditFile(path: string | null, family: BundledTokenizerId) {
  const read = await readSource(fileSource(path as string))
  const format = formatById(read.format as string)!
  return auditTrajectories(read.trajectories, await testTokenizer(family), {
    ...(format.policy ? { policy: format.policy.id } : {}),
    format: {
      ...(format.maskAlignment ? { maskAlignment: format.maskAlignment } : {}),
      ...(format.unsampledLogprob === null ? {} : { unsampledLogprob: format.unsampledLogprob }),
    },
  })
}

describe('the cube game of Atropos', () => {
  it.skipIf(ATROPOS === null)('trains a final environment turn in half of its rollouts', async () => {
    const { byCode, views } = await auditFile(ATROPOS, 'llama3')
    expect(views.length).toBe(24)
    const { findings, tally } = byCode.get('M01')!
    expect(tally).toMatchObject({ checked: 24, affected: 12 })
    expect(new Set(findings.map(({ evidence }) => evidence.role))).toEqual(new Set(['environment']))
    expect(new Set(findings.map(({ evidence }) => evidence.trained_tokens))).toEqual(new Set([157, 159]))
  })

  it.skipIf(ATROPOS === null)('shows no other fault of masks or templates: only the last turn is meant', async () => {
    const { failing, byCode } = await auditFile(ATROPOS, 'llama3')
    expect(failing.filter((code) => /^[MTC]/.test(code))).toEqual(['M01'])
    // In the other eight the only reply stands before the trained result, which is M01 alone.
    expect(byCode.get('M03')?.tally).toMatchObject({ checked: 16, affected: 0, intended: 16 })
  })
})

describe('sampler logprobs of NeMo-Gym', () => {
  it.skipIf(SINGLE_TURN === null)('agree with the turns on every token that was sampled', async () => {
    const { views } = await auditFile(SINGLE_TURN, 'qwen3')
    expect(views.length).toBe(5)
    for (const { provenance, expected } of views) {
      expect(provenance).not.toBeNull()
      for (const [i, told] of provenance!.entries()) {
        if (expected![i] !== Expected.undecided) expect(told).toBe(expected![i])
      }
    }
  })

  it.skipIf(SINGLE_TURN === null || ROUND_TRIP === null)('come with no fault of templates', async () => {
    for (const path of [SINGLE_TURN, ROUND_TRIP]) {
      const { failing } = await auditFile(path, 'qwen3')
      // Two model calls that do not extend each other are two rows, which S06 says for information.
      expect(failing.filter((code) => /^[MTSC]/.test(code) && code !== 'S06')).toEqual([])
    }
  })
})
