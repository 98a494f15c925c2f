import { beforeAll, describe, expect, it } from 'vitest'
import type { AuditOptions } from '../../shared/model/policy.ts'
import type { Report } from '../../shared/model/report.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { assistant, type Conversation, conversation, tool, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited, cleanRollout, cutRollout, lines, qwen, rolloutWithTrainedReply } from './dumps.ts'

let tokenizer: Tokenizer
let thinking: Tokenizer
beforeAll(async () => {
  tokenizer = await qwen()
  thinking = await testTokenizer('qwen3')
})

const reportOf = async (rollouts: readonly Conversation[], options: AuditOptions = {}) =>
  (await audited(lines(rollouts), options)).report()
const suggested = ({ policy }: Report) => (policy.conventions ?? []).map(({ id, intend }) => [id, ...intend])
const checkOf = (report: Report, code: string) => report.checks.find((check) => check.code === code)

/** Two turns with a thought each; `masked` says which of the thoughts carry no loss. */
function thoughtful(seed: number, masked: readonly [boolean, boolean]) {
  const THOUGHT = '<think>\nLet me see what there is.\n</think>\n\n'
  return conversation(
    thinking,
    [
      user(`Where does river ${seed} rise?`),
      assistant(`${THOUGHT}I ask about river ${seed}, and wait for what comes of it.`),
      tool(`River ${seed} rises in the hills.`),
      assistant(`${THOUGHT}It rises in the hills, says the document about river ${seed}.`),
    ],
    {
      id: `rollout-${seed}`,
      editMask: (mask, layout) => {
        for (const [i, turn] of layout.filter(({ role }) => role === 'assistant').entries()) {
          if (masked[i])
            mask.fill(0, turn.contentStart, turn.contentStart + thinking.encode(THOUGHT, { specials: true }).length)
        }
      },
    },
  )
}

describe('thoughts of earlier turns that are masked', () => {
  it('are suggested as a convention, and a fault until it is declared', async () => {
    const rollouts = [1, 2, 3].map((seed) => thoughtful(seed, [true, false]))
    const report = await reportOf(rollouts)
    expect(report.policy.conventions).toEqual([
      {
        id: 'history-thoughts-masked',
        intend: ['M16'],
        evidence: '3 of 3 thoughts before the last turn are masked, and 3 of 3 in it are trained',
      },
    ])
    expect(checkOf(report, 'M16')).toMatchObject({ status: 'fail', affected: 3, intended: 0 })
    const declared = await reportOf(rollouts, { intend: ['M16'] })
    expect(suggested(declared)).toEqual([])
    expect(checkOf(declared, 'M16')).toMatchObject({ status: 'pass', affected: 0, intended: 3 })
  })

  it.each<[string, [boolean, boolean]]>([
    ['where those of the last turn are, too', [true, true]],
    ['where none are', [false, false]],
    ['where only those of the last turn are', [false, true]],
  ])('are no convention %s', async (_, masked) => {
    expect(suggested(await reportOf([1, 2, 3].map((seed) => thoughtful(seed, masked))))).toEqual([])
  })
})

describe('rows that were cut and train nothing', () => {
  const cut = (seed: number, masked: boolean) =>
    cutRollout(tokenizer, seed, { reward: 1, ...(masked ? { editMask: (mask: number[]) => void mask.fill(0) } : {}) })
  const whole = (seed: number, masked = false) =>
    cleanRollout(tokenizer, seed, { reward: 1, ...(masked ? { editMask: (mask: number[]) => void mask.fill(0) } : {}) })

  it('are suggested as a convention, and listed until it is declared', async () => {
    const rollouts = [whole(1), whole(2), cut(3, true), cut(4, true)]
    const report = await reportOf(rollouts)
    expect(report.policy.conventions).toEqual([
      {
        id: 'truncated-rows-masked',
        intend: ['M04'],
        evidence: '2 of 2 rows that were cut train nothing, and 2 of the 2 others do',
      },
    ])
    expect(checkOf(report, 'M04')).toMatchObject({ status: 'fail', severity: 'info', affected: 2 })
    const declared = await reportOf(rollouts, { intend: ['M04'] })
    expect(suggested(declared)).toEqual([])
    expect(checkOf(declared, 'M04')).toMatchObject({ status: 'pass', intended: 2 })
  })

  it('are no convention where some of them train, or others do not, or it is one', async () => {
    expect(suggested(await reportOf([whole(1), whole(2), cut(3, true), cut(4, false)]))).toEqual([])
    expect(suggested(await reportOf([whole(1), whole(2, true), cut(3, true), cut(4, true)]))).toEqual([])
    expect(suggested(await reportOf([whole(1), whole(2), cut(3, true)]))).toEqual([])
  })
})

describe('tool replies that are trained', () => {
  it('are suggested as a loss on observations, and a fault until it is declared', async () => {
    const rollouts = [1, 2, 3].map((seed) => rolloutWithTrainedReply(tokenizer, seed))
    const report = await reportOf(rollouts)
    expect(suggested(report)).toEqual([['observation-loss', 'M01']])
    expect(report.policy.conventions?.[0]?.evidence).toMatch(
      /^([\d,]+) of \1 tokens of tool replies are trained as what the model wrote is, and the prompt is not$/,
    )
    expect(checkOf(report, 'M01')).toMatchObject({ status: 'fail', severity: 'error', affected: 3 })
    expect(report.hypotheses.find(({ id }) => id === 'H02')?.verdict).toBe('supported')
    expect(suggested(await reportOf(rollouts, { intend: ['M01'] }))).toEqual([])
  })

  it('are no convention where some are not, or the prompt is trained as well', async () => {
    const some = [rolloutWithTrainedReply(tokenizer, 1), cleanRollout(tokenizer, 2)]
    expect(suggested(await reportOf(some))).toEqual([])
    const all = [1, 2].map((seed) => cleanRollout(tokenizer, seed, { editMask: (mask) => void mask.fill(1) }))
    expect(suggested(await reportOf(all))).toEqual([])
  })
})

describe('branches of rollouts', () => {
  it('are suggested as a convention, and listed until it is declared', async () => {
    const rollouts = [1, 2, 3, 4].map((seed) =>
      cleanRollout(tokenizer, seed, { more: { rollout_id: `r${seed >> 1}`, branch: String(seed % 2) } }),
    )
    const report = await reportOf(rollouts)
    expect(report.policy.conventions).toEqual([
      {
        id: 'branching-rows',
        intend: ['S06'],
        evidence: '1 of 3 rollouts is several rows, each counted as a rollout here, none of which need extend another',
      },
    ])
    expect(checkOf(report, 'S06')).toMatchObject({ status: 'fail', severity: 'info' })
    expect(report.findings.find(({ code }) => code === 'S06')?.message).toBe(
      '1 of 3 rollouts is several rows: r1 with 2',
    )
    expect(checkOf(report, 'T10')?.status).not.toBe('fail')
    expect(suggested(await reportOf(rollouts, { intend: ['S06'] }))).toEqual([])
  })
})

it('nothing is suggested of a dump that is right', async () => {
  const report = await reportOf([1, 2, 3].map((seed) => cleanRollout(tokenizer, seed)))
  expect(report.policy).not.toHaveProperty('conventions')
})
