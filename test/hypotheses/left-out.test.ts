import { describe, expect, it } from 'vitest'
import { CHECKS } from '../../shared/checks/registry.ts'
import type { HypothesisInput } from '../../shared/hypotheses/hypothesis.ts'
import { HYPOTHESES, judge } from '../../shared/hypotheses/registry.ts'
import type { CheckFixture } from '../fixtures/checks/fixture.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
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
