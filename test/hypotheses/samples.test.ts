import { describe, expect, it } from 'vitest'
import { judge } from '../../shared/hypotheses/registry.ts'
import { recogniseDefects } from '../helpers/at-once.ts'
import { type NativeRecord, trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { readSample } from '../samples/read-sample.ts'
import { inputOf } from './dump-input.ts'

/** No reference logprobs, a single run, and too few steps for a trend. */
const ONE_RUN = {
  H03: 'not-checkable',
  'H06-library': 'not-checkable',
  'H06-lora': 'not-checkable',
  H08: 'not-checkable',
}

describe.each([
  {
    sample: 'verifiers-2025-08',
    family: 'qwen2.5',
    defects: ['V1', 'V2', 'V3', 'V4', 'V10', 'V11'],
    verdicts: { H01: 'contradicted', H02: 'supported', H04: 'supported', H05: 'contradicted', H07: 'supported' },
  },
  {
    sample: 'verifiers-2025-07',
    family: 'qwen2.5',
    defects: ['V5'],
    verdicts: { H01: 'contradicted', H02: 'supported', H04: 'contradicted', H05: 'contradicted', H07: 'inconclusive' },
  },
  {
    sample: 'verifiers-2025-07-llama',
    family: 'llama3',
    defects: ['V5', 'V6'],
    verdicts: { H01: 'contradicted', H02: 'supported', H04: 'contradicted', H05: 'contradicted', H07: 'inconclusive' },
  },
  {
    sample: 'clean-qwen2.5',
    family: 'qwen2.5',
    defects: [],
    verdicts: {
      H01: 'contradicted',
      H02: 'contradicted',
      H04: 'contradicted',
      H05: 'contradicted',
      H07: 'contradicted',
    },
  },
  {
    sample: 'clean-qwen3-thinking',
    family: 'qwen3',
    defects: [],
    verdicts: {
      H01: 'contradicted',
      H02: 'contradicted',
      H04: 'contradicted',
      H05: 'contradicted',
      H07: 'contradicted',
    },
  },
  {
    sample: 'clean-gsm8k',
    family: 'qwen2.5',
    defects: [],
    verdicts: {
      H01: 'contradicted',
      H02: 'contradicted',
      H04: 'contradicted',
      H05: 'contradicted',
      H07: 'not-checkable',
    },
  },
] as const)('$sample', ({ sample, family, defects, verdicts }) => {
  it('has its defects and its verdicts', async () => {
    const trajectories = readSample(sample).map((record, index) =>
      trajectoryOf(
        { record: record as unknown as NativeRecord, layout: [], sampled: [] },
        { source: 0, record: index, part: 0 },
      ),
    )
    const input = inputOf(trajectories, await testTokenizer(family))
    expect(recogniseDefects(input.checks, input.dump).defects.map(({ id }) => id)).toEqual(defects)
    expect(Object.fromEntries(judge(input).map(({ id, verdict }) => [id, verdict]))).toEqual({
      ...verdicts,
      ...ONE_RUN,
    })
    const alarms = input.checks.filter(({ status, severity }) => status === 'fail' && severity !== 'info')
    if (defects.length === 0) expect(alarms).toEqual([])
  })
})
