import type { LineSums } from '../../shared/checks/logprobs/gap-line.ts'
import type { TurnGap } from '../../shared/checks/logprobs/gap-turns.ts'

/** Of three tokens on which the trainer finds what it finds, however likely they were to the sampler. */
const APART: LineSums = { n: 3, sumX: -6, sumY: -6, sumXX: 14, sumXY: 12.5, sumYY: 13 }

/** A turn of twenty tokens in which nothing differs, but for what is given. */
export const turnGap = (given: Partial<TurnGap>): TurnGap => ({
  turn: null,
  start: 0,
  end: 20,
  count: 20,
  mean: 0,
  meanAbsolute: 0,
  earlyAbsolute: 0,
  lateAbsolute: 0,
  surprise: 0.5,
  error: 0,
  halved: 0,
  headTokens: 0,
  head: 0,
  headError: 0,
  headErrorByTail: 0,
  tail: 0,
  unsure: 6,
  unsureAgreed: 0,
  headUnsure: 0,
  headAgreed: 0,
  sure: 10,
  denied: 0,
  line: APART,
  headLine: APART,
  ...given,
})
