import { describe, expect, it } from 'vitest'
import { type AuditedDump, audit, faultsOf, verdictOf } from '../planted/audit.ts'
import { cleanDump } from '../planted/dump.ts'
import { turnsBy } from '../planted/rollout.ts'
import { nemoRl } from '../planted/writers/nemo-rl.ts'
import { primeRlExport } from '../planted/writers/prime-rl-export.ts'
import { slimeRollout } from '../planted/writers/slime.ts'

const codes = (audited: AuditedDump) => [
  ...new Set(faultsOf(audited).flatMap(({ code, severity }) => (severity === 'info' ? [] : [code]))),
]

/** Tokens of Qwen3's empty thought. */
const BLOCK = 4

/** Every turn opens with an empty thought that the model wrote; the logprobs of its tokens are those of `scoresOf`. */
let rollouts = 0
const emptyThoughts = (scoresOf: (turn: number, rollout: number) => readonly number[], trainer = 0) =>
  cleanDump('empty thoughts of its own', 'qwen3', {
    groups: 2,
    change: (conversation) => ({
      ...conversation,
      turns: conversation.turns.map((turn) => ({ ...turn, thought: '' })),
    }),
    finish: (rollout) => {
      const own = rollouts++
      for (const [index, { headerEnd }] of turnsBy(rollout, 'assistant').entries()) {
        const scores = scoresOf(index, own)
        for (const [at, token] of rollout.tokens.slice(headerEnd, headerEnd + BLOCK).entries()) {
          token.sampler = scores[at] as number
          token.trainer = at === 1 ? token.sampler + trainer : token.sampler
        }
      }
    },
  })

describe.each([
  ['slime', slimeRollout],
  ['nemo-rl', nemoRl],
  ['prime-rl-export', primeRlExport],
] as const)('an empty thought that the model wrote, in %s', (_, writer) => {
  it.each([
    ['of its first token alone', () => [0, -0.02, -0.3, -0.001]],
    ['of all but its last token', () => [0, 0, 0, -0.02]],
    [
      'of all turns of some rollouts',
      (_: number, rollout: number) => (rollout % 8 === 3 ? [0, 0, 0, 0] : [0, -0.01, 0, 0]),
    ],
    ['of one whole turn', (turn: number) => (turn === 0 ? [0, -0.01, 0, 0] : [0, 0, 0, 0])],
  ])('is no prefill for a logprob of 0.0 %s', async (_, scoresOf) => {
    const audited = await audit(await emptyThoughts(scoresOf), writer)
    expect(codes(audited)).toEqual([])
    expect(verdictOf(audited, 'H02')).toBe('contradicted')
  })

  it('may be a prefill where nothing says that any of them was sampled', async () => {
    expect(codes(await audit(await emptyThoughts(() => [0, 0, 0, 0], -0.3), writer))).toEqual(['M09'])
  })

  it('is the model’s as likely as not where the trainer was as certain of it', async () => {
    const scored = writer !== slimeRollout
    expect(codes(await audit(await emptyThoughts(() => [0, 0, 0, 0]), writer))).toEqual(scored ? [] : ['M09'])
  })
})
