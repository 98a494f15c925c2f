import { describe, expect, it } from 'vitest'
import { THRESHOLD_IDS, THRESHOLDS, type ThresholdId } from '../../shared/model/thresholds/registry.ts'
import type { Flip } from './flips/flip.ts'
import { LIMIT_FLIPS } from './flips/limits.ts'
import { LOGPROB_FLIPS } from './flips/logprobs.ts'
import { MASK_FLIPS } from './flips/masks.ts'
import { FLIPS_OF_OTHER_CODES } from './flips/other-codes.ts'
import { POOLED_LOGPROB_FLIPS } from './flips/pooled-logprobs.ts'
import { REWARD_FLIPS } from './flips/rewards.ts'
import { VERDICT_FLIPS } from './flips/verdicts.ts'

const FLIPS = {
  ...MASK_FLIPS,
  ...LIMIT_FLIPS,
  ...REWARD_FLIPS,
  ...LOGPROB_FLIPS,
  ...POOLED_LOGPROB_FLIPS,
  ...VERDICT_FLIPS,
}

it('every threshold has a dump whose result it moves', () => {
  expect(THRESHOLD_IDS.filter((id) => FLIPS[id] === undefined)).toEqual([])
})

const ALL = [...(Object.entries(FLIPS) as [ThresholdId, Flip][]), ...FLIPS_OF_OTHER_CODES]

describe.each(ALL)('%s', (id, { outcome, to, from, becomes }) => {
  it(`moved from ${THRESHOLDS[id].value} to ${to} makes ${becomes} of ${from}`, async () => {
    expect(becomes).not.toEqual(from)
    expect(await outcome({})).toEqual(from)
    expect(await outcome({ [id]: to })).toEqual(becomes)
  })
})
