import { expect, it } from 'vitest'
import type { MaskAlignment } from '../../shared/model/policy.ts'
import { declaredPolicy, type Kin, wholeSettings } from '../../shared/session/opening/kin.ts'

function kin(source: number, sequences: number, alignment: MaskAlignment, undecided: boolean): Kin {
  return {
    evidence: { sources: [source], sequences },
    aligned: { alignment, undecided },
    policy: declaredPolicy(null, {}, alignment),
  } as unknown as Kin
}

const NAMES = ['a.jsonl', 'b.jsonl']

it('names the one of several files whose alignment nothing decides', () => {
  const settings = wholeSettings([kin(0, 9, 'token', false), kin(1, 4, 'target', true)], NAMES, {})
  expect(settings).toMatchObject({ alignment: 'token', alignmentUndecided: true, alignmentUndecidedIn: 'b.jsonl' })
  expect(settings.policy.evidence.at(-1)).toMatch(/^b\.jsonl: .*, mask alignment target \(undecided\)$/)
})

it('names none where that holds of all of them, or of none', () => {
  for (const undecided of [true, false]) {
    const settings = wholeSettings([kin(0, 9, 'token', undecided), kin(1, 4, 'token', undecided)], NAMES, {})
    expect(settings.alignmentUndecided).toBe(undecided)
    expect(settings.alignmentUndecidedIn).toBeUndefined()
  }
})

it('tells of files that are read alike once, and of others apart', () => {
  const names = ['a.jsonl', 'b.jsonl', 'c.jsonl', 'd.jsonl', 'e.jsonl', 'f.jsonl']
  const targets = [1, 2, 4, 5].map((source) => kin(source, 1, 'target', false))
  const { policy } = wholeSettings([kin(0, 9, 'token', false), ...targets, kin(3, 1, 'target', true)], names, {})
  expect(policy.evidence.slice(-2)).toEqual([
    'b.jsonl, c.jsonl, e.jsonl and 1 more: rl, mask alignment target',
    'd.jsonl: rl, mask alignment target (undecided)',
  ])
})
