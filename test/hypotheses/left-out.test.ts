import { describe, expect, it } from 'vitest'
import { CHECKS } from '../../shared/checks/registry.ts'
import type { HypothesisInput } from '../../shared/hypotheses/hypothesis.ts'
import { HYPOTHESES, judge } from '../../shared/hypotheses/registry.ts'
import type { CheckFixture } from '../fixtures/checks/fixture.ts'
import { type NativeRecord, trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { cleanRollout } from '../session/dumps.ts'
import { inputOf } from './dump-input.ts'

const modules = import.meta.glob<CheckFixture>('../fixtures/checks/[A-Z][0-9][0-9].ts', {
  eager: true,
  import: 'default',
})
const fixtures = Object.entries(modules).map(([path, fixture]) => ({ code: path.slice(-6, -3), dump: fixture.trips }))
const CODES = CHECKS.map(({ code }) => code)

/** What is said where only these checks were run. */
function under(input: HypothesisInput, codes: readonly string[]): HypothesisInput {
  const { settings } = input.dump
  const dump = { ...input.dump, settings: { ...settings, options: { ...settings.options, checks: codes } } }
  const against = input.against ? under({ ...input, ...input.against, against: null }, codes) : null
  return {
    ...input,
    dump,
    checks: input.checks.filter(({ code }) => codes.includes(code)),
    against: against === null ? null : { ...against, tokenizer: against.tokenizer ?? null },
  }
}

const verdictsOf = (input: HypothesisInput) =>
  judge(input).map(({ id, verdict, missing }) => ({ id, verdict, missing }))

describe('leaving checks out contradicts nothing that they speak for', () => {
  it.each(fixtures)('$code: $dump.story', async ({ dump }) => {
    const tokenizer = await testTokenizer(dump.family)
    const trajectories = dump.rows(tokenizer).map((row, record) => trajectoryOf(row, { source: 0, record, part: 0 }))
    const alone = inputOf(trajectories, tokenizer)
    const second = { dump: alone.dump, checks: alone.checks, streams: alone.streams, tokenizer: tokenizer.id }
    for (const input of [alone, { ...alone, tokenizer: tokenizer.id, against: second }]) {
      const open = verdictsOf(input).filter(({ verdict }) => verdict !== 'contradicted')
      const failing = input.checks.filter(({ status }) => status === 'fail').map(({ code }) => code)
      const subsets = [
        [],
        CODES.filter((code) => !failing.includes(code)),
        ...failing.flatMap((left) => [[left], CODES.filter((code) => code !== left)]),
      ]
      for (const codes of subsets) {
        const verdicts = verdictsOf(under(input, codes))
        for (const { id } of open) {
          const { verdict } = verdicts.find((each) => each.id === id) as (typeof verdicts)[number]
          expect([id, codes.join(), verdict]).not.toEqual([id, codes.join(), 'contradicted'])
        }
      }
    }
  })
})

/** Sound rollouts, each changed: dumps in which a check holds back a verdict that no fixture of a single fault comes to. */
const HOLDING: readonly (readonly [what: string, code: string, change: (row: NativeRecord, record: number) => void])[] =
  [
    [
      'an infinite advantage where none is divided by a std',
      'A03',
      (row, record) => {
        const reward = ((record * 7) % 4) / 4
        Object.assign(row, { reward, advantage: record === 6 ? Number.POSITIVE_INFINITY : reward - 0.375 })
      },
    ],
    [
      'components that cancel each other',
      'A09',
      (row, record) => {
        const [right, long] = [record % 2, [0, 0.2, 1, 1.2][record % 4] as number]
        const rewards = { right, long, brief: 0.3 * right - 0.9 * long + 0.02 * (record % 5) }
        const reward = right + long + rewards.brief
        Object.assign(row, { reward, rewards, advantage: reward - 0.71 })
      },
    ],
  ]

describe('whichever single check is left out, a verdict stands, or says so', () => {
  const said = 'the checks that were left out'
  const changed = (input: HypothesisInput) => {
    const before = verdictsOf(input)
    return CODES.flatMap((left) => {
      const others = CODES.filter((code) => code !== left)
      return verdictsOf(under(input, others)).flatMap(({ id, verdict, missing }) => {
        const was = before.find((each) => each.id === id)?.verdict
        const isTold = missing.some((each) => each.startsWith(said)) && verdict !== 'contradicted'
        return verdict === was || (isTold && verdict !== 'supported')
          ? []
          : [`${id} without ${left}: ${was} → ${verdict}`]
      })
    })
  }

  it.each(fixtures)('$code: $dump.story', async ({ dump }) => {
    const tokenizer = await testTokenizer(dump.family)
    const trajectories = dump.rows(tokenizer).map((row, record) => trajectoryOf(row, { source: 0, record, part: 0 }))
    const alone = inputOf(trajectories, tokenizer)
    const second = { dump: alone.dump, checks: alone.checks, streams: alone.streams, tokenizer: tokenizer.id }
    expect(changed(alone)).toEqual([])
    expect(changed({ ...alone, tokenizer: tokenizer.id, against: second })).toEqual([])
  })

  it.each(HOLDING)('%s (%s)', async (_, code, change) => {
    const tokenizer = await testTokenizer('qwen2.5')
    const rows = Array.from({ length: 16 }, (_, record) => {
      const rollout = cleanRollout(tokenizer, record, { group: `g${record >> 2}`, groupSize: 4 })
      change(rollout.record, record)
      return trajectoryOf(rollout, { source: 0, record, part: 0 })
    })
    const input = inputOf(rows, tokenizer)
    expect(input.checks.find((each) => each.code === code)?.status).toBe('fail')
    expect(changed(input)).toEqual([])
  })
})

describe('a clean dump of which only some checks were run', async () => {
  const clean = modules['../fixtures/checks/M15.ts']!.nearMiss
  const tokenizer = await testTokenizer(clean.family)
  const trajectories = clean.rows(tokenizer).map((row, record) => trajectoryOf(row, { source: 0, record, part: 0 }))
  const input = inputOf(trajectories, tokenizer)
  const full = verdictsOf(input)

  it.each(HYPOTHESES.map(({ id }) => id))('%s names what was left out wherever that keeps it from a verdict', (id) => {
    const before = full.find((each) => each.id === id)!
    for (const left of [...CODES.map((code) => [code]), CODES]) {
      const after = verdictsOf(
        under(
          input,
          CODES.filter((code) => !left.includes(code)),
        ),
      ).find((each) => each.id === id)!
      if (after.verdict === before.verdict) continue
      expect(before.verdict).toBe('contradicted')
      expect(after.missing.join()).toContain('the checks that were left out')
    }
  })
})
