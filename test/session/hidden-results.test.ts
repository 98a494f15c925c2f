import { describe, expect, it } from 'vitest'
import { CHECKS } from '../../shared/checks/registry.ts'
import { createTally } from '../../shared/checks/reporting/tally.ts'
import { besideOthers, checkResult } from '../../shared/session/concluding/check-result.ts'
import { settings } from '../checks/audit.ts'

const checkOf = (code: string) => CHECKS.find((check) => check.code === code)!

function resultOf(code: string, checked: number, affected: number) {
  const tally = { ...createTally(), checked, affected }
  return checkResult(checkOf(code), tally, [], null, settings(), 0n, undefined)
}

/** What is said of `code` beside another check. */
function beside(code: string, own: readonly [checked: number, affected: number], other: ReturnType<typeof resultOf>) {
  const { status, reason } = besideOthers(
    resultOf(code, ...own),
    checkOf(code),
    new Map([[other.code, other]]),
    settings(),
  )
  return { status, reason }
}

describe('a check that found nothing', () => {
  it('proves nothing where another fault hides what it looks at', () => {
    expect(beside('L01', [20, 0], resultOf('L06', 20, 20))).toEqual({
      status: 'not-checkable',
      reason:
        'hidden by another fault, in 20 of 20 rollouts: Sampler and trainer logprobs are of different tokens (L06)',
    })
    expect(beside('M10', [0, 0], resultOf('M06', 20, 3)).status).toBe('not-checkable')
  })

  it('passes what it looked at where the other fault is rare, absent, or hides nothing of its own', () => {
    expect(beside('L01', [20, 0], resultOf('L06', 20, 10)).status).toBe('pass')
    expect(beside('L01', [20, 0], resultOf('L06', 20, 0)).status).toBe('pass')
    expect(beside('L05', [20, 0], resultOf('L06', 20, 20)).status).toBe('pass')
    expect(beside('M10', [0, 0], resultOf('M06', 20, 0)).status).toBe('not-applicable')
  })

  // Replies that a mask runs over are trained, and M05 says so of them: M01 counts the other rollouts.
  it('passes by the rollouts of which another check does not tell, unless these are hardly any', () => {
    expect(beside('M01', [18, 0], resultOf('M05', 20, 2)).status).toBe('pass')
    expect(beside('M01', [1, 0], resultOf('M05', 20, 19))).toEqual({
      status: 'not-checkable',
      reason: 'told by another check, in 19 of 20 rollouts: Loss mask runs on to the end of the row (M05)',
    })
    expect(beside('M01', [0, 0], resultOf('M05', 20, 1)).status).toBe('not-checkable')
  })

  it('keeps what it found', () => {
    expect(beside('M01', [20, 2], resultOf('M05', 20, 1)).status).toBe('fail')
    expect(beside('L01', [20, 2], resultOf('L06', 20, 20)).status).toBe('fail')
  })
})

describe('a check that had nothing to look at', () => {
  const reasonOf = (code: string, isTurnless: boolean) =>
    checkResult(checkOf(code), createTally(), [], null, settings(), 0n, undefined, { isTurnless }).reason

  it('says that what it needs is stored where none of it is a number', () => {
    const lacking = (code: string, ...missing: ('advantages' | 'rewards')[]) =>
      checkResult(checkOf(code), createTally(), missing, null, settings(), 0n, undefined, {
        withoutNumbers: new Set(['advantages']),
      }).reason
    expect(lacking('A12', 'advantages')).toBe('none of the stored advantages is a number')
    expect(lacking('A04', 'rewards', 'advantages')).toBe(
      'the dump does not carry rewards, and none of the stored advantages is a number',
    )
    expect(lacking('A04', 'rewards')).toBe('the dump does not carry rewards')
  })

  it('of masks by turns says that the ids have none, as of a base model', () => {
    expect(reasonOf('M02', true)).toBe('nothing to look at: the ids have no turns')
    expect(reasonOf('M02', false)).toBe('nothing to look at: no rollouts with trained and masked tokens in this dump')
    expect(reasonOf('M04', true)).toBe('nothing to look at: no rollouts with sampled tokens in this dump')
  })

  it('says so of all rollouts, be it that the masks of a few do not fit', () => {
    const beside = (leftOut: number) =>
      checkResult(checkOf('M02'), createTally(), [], null, settings(), 0n, undefined, {}, leftOut, 64)
    expect(beside(1)).toMatchObject({
      status: 'not-applicable',
      reason:
        'nothing to look at: no rollouts with trained and masked tokens in this dump, but for 1 rollout whose mask does not fit the ids (S03)',
    })
    expect(beside(33)).toMatchObject({ status: 'not-checkable' })
  })
})
