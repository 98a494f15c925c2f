import { describe, expect, it } from 'vitest'
import { type Scores, scoredRows } from '../fixtures/checks/logprob-rows.ts'
import { audited, qwen } from '../session/dumps.ts'

/** A number that no fixture has; Python writes `Infinity` bare, which `JSON.stringify` does not. */
const INFINITY = 98765.4321

type Arrays = Scores & { readonly reference: (number | null)[]; readonly kl: (number | null)[] }

/** What L10 and H03 say of eight rollouts whose KL is k3, after an edit. */
async function told(edit: (arrays: Arrays, index: number) => void) {
  const rows = scoredRows(
    (scores, { record }, index) => {
      const reference = scores.trainer.map((value) => value)
      const kl = scores.trainer.map((): number | null => null)
      for (const [k, token] of scores.sampled.entries()) {
        const own = scores.trainer[token] as number
        reference[token] = Math.min(0, own + ((k % 7) - 3) / 20)
        const d = (reference[token] as number) - own
        kl[token] = Math.exp(d) - d - 1
      }
      edit({ ...scores, reference, kl }, index)
      record.logprobs = { ...record.logprobs, reference }
      record.kl = kl
    },
    () => ({}),
    8,
  )(await qwen())
  const text = rows.map(({ record }) => JSON.stringify(record)).join('\n')
  const report = (await audited(text.replaceAll(String(INFINITY), 'Infinity'))).report()
  const findings = report.findings.filter(({ code }) => code === 'L10')
  const { verdict, because } = report.hypotheses.find(({ id }) => id === 'H03')!
  const l10 = report.checks.find(({ code }) => code === 'L10')
  return { findings, verdict, measures: because.map(({ measure }) => measure), l10 }
}

describe('numbers of the KL that are none', () => {
  it('are told of no sound dump', async () => {
    const { findings, verdict } = await told(() => undefined)
    expect(findings).toEqual([])
    expect(verdict).toBe('contradicted')
  })

  it.each([INFINITY, -INFINITY])('an infinite KL on a trained token is named, and has exploded: %d', async (value) => {
    const { findings, verdict, measures, l10 } = await told(({ kl, sampled }, index) => {
      if (index === 2) kl[sampled[5] as number] = value
    })
    expect(findings).toMatchObject([{ severity: 'error', record: 2, evidence: { of: 'kl', tokens: 1 } }])
    expect(findings[0]?.message).toMatch(/^The stored KL is -?Infinity at token \d+; one such number makes the loss/)
    expect(l10).toMatchObject({ checked: 8, affected: 1 })
    expect(verdict).toBe('supported')
    expect(measures).toContain('rollouts with an infinite KL on a trained token')
  })

  it.each([-1e9, -INFINITY])('a reference that says %d of trained tokens scored none of them', async (value) => {
    const { findings, verdict } = await told(({ reference, sampled }) => {
      for (const token of sampled.slice(3, 6)) reference[token] = value
    })
    expect(findings).toHaveLength(8)
    expect(findings[0]).toMatchObject({ severity: 'warning', evidence: { of: 'reference', tokens: 3 } })
    expect(verdict).toBe('inconclusive')
  })

  it('a reference that scored nothing is named as well, where no KL can be had of any token', async () => {
    const { findings, l10 } = await told(({ reference }) => {
      reference.fill(-1e9)
    })
    expect(findings).toHaveLength(8)
    expect(l10).toMatchObject({ checked: 8, affected: 8 })
  })

  it('mean nothing on tokens that are not trained, nor where nothing was computed', async () => {
    const { findings } = await told(({ reference, kl, sampled }) => {
      kl[0] = INFINITY
      reference[0] = -1e9
      kl[sampled[5] as number] = null
      reference[sampled[5] as number] = null
    })
    expect(findings).toEqual([])
  })
})
