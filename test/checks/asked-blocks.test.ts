import { describe, expect, it } from 'vitest'
import type { DumpView } from '../../shared/checks/check.ts'
import { M09 } from '../../shared/checks/mask/prefill-trained.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'
import { search } from './findings-of.ts'

/** What is told of a block needs nothing of the dump beside what was counted. */
const NO_DUMP = {} as DumpView

describe('an empty thought with logprobs of exactly 0.0, which a format writes for what nobody sampled', () => {
  const BLOCK = { prefill: '<think>\n\n</think>\n\n', train: { prefill: true } }

  interface Given {
    readonly asks?: string
    /** Of the trainer, for each token of the block. */
    readonly trainer?: number
    /** Where the stored prompt ends. */
    readonly prompt?: 'headerEnd' | 'contentStart'
  }

  async function toldOf({ asks = '', trainer, prompt }: Given) {
    const qwen3 = await testTokenizer('qwen3')
    const row = search({ user: { text: `Who founded Quillfort?${asks}` }, call: BLOCK, answer: BLOCK })(qwen3)[0]!
    const trajectory = trajectoryOf(row)
    const { ids, mask } = trajectory
    const isBlock = (at: number) => row.layout.some((turn) => at >= turn.headerEnd && at < turn.contentStart)
    const scores = (ofBlock: number) =>
      Float32Array.from(ids!, (_, at) => (mask![at] === 1 ? (isBlock(at) ? ofBlock : -0.2) : 0))
    const stored = {
      ...trajectory,
      promptLength: prompt === undefined ? null : row.layout[2]![prompt],
      logprobs: {
        ...trajectory.logprobs,
        sampler: scores(0),
        trainer: trainer === undefined ? null : scores(trainer),
      },
    }
    const { byCode } = auditTrajectories([stored], qwen3, { format: { unsampledLogprob: 0 } })
    const { tally } = byCode.get('M09')!
    if (tally.affected > 0) return 'fail'
    return M09.unproved?.(tally, NO_DUMP) == null ? 'pass' : 'not-checkable'
  }

  it.each([
    {},
    { prompt: 'headerEnd' },
    { trainer: -0.2 },
  ] as const)('is not checkable where the prompt asks for it by /no_think: %o', async (given) => {
    expect(await toldOf({ asks: ' /no_think', ...given })).toBe('not-checkable')
  })

  it.each([
    ['nobody asks for it', {}],
    ['the prompt holds it', { asks: ' /no_think', prompt: 'contentStart' }],
    ['the last word asks for thoughts', { asks: ' /no_think /think' }],
    ['the trainer denies it', { asks: ' /no_think', trainer: -9 }],
  ] as const)('is a prefill where %s', async (_, given) => {
    expect(await toldOf(given)).toBe('fail')
  })
})
