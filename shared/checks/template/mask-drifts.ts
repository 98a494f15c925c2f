import { counted } from '../../model/number-text.ts'
import { isMaskName } from '../alignment.ts'
import type { Check, FaultAt } from '../check.ts'
import { tokenCount } from '../edges.ts'
import { isLogprobName } from '../layout/unfit-arrays.ts'
import { hidesEdges } from '../shape.ts'
import { displaced, lagsByOwnText, lagText, type TurnLag, turnLags } from '../turn-lag.ts'

export const T03: Check = {
  code: 'T03',
  name: 'mask-drifts',
  title: 'Mask or logprobs were built for other ids',
  hypotheses: ['H02', 'H07'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'logprobs.sampler', 'tokenizer'],
  looksAt: 'rollouts with logprobs and a trained span for each turn',
  why: 'The text was encoded again and got another number of tokens: from there on every value belongs to a neighbour.',
  fix: 'Carry ids, mask and logprobs together from the sampler; never decode and encode between them.',
  cite: 'TRL#5144, TRL#5145, TRL#5247, Trinity-RFT#259',
  hiddenBy: ['M06', 'M07'],
  trajectory(view, { alignment }, report) {
    if (view.segmentation === null) return
    const lengths = view.trajectory.arrays.filter(({ name, length, expected }) => {
      if (length === expected) return false
      const targets = alignment === 'target' && isMaskName(name) && length === expected - 1
      return (isMaskName(name) || isLogprobName(name)) && !targets
    })
    if (lengths.length > 0) {
      report.place(true)
      report.fault({
        scope: 'trajectory',
        message: `${lengths.map(({ name, length }) => `${name} has ${counted(length, 'value')}`).join(', ')} for ${counted(view.ids.length, 'id')}: they were built for another tokenization`,
        evidence: { lengths: lengths.map(({ name, length, expected }) => ({ name, length, expected })) },
      })
      return
    }
    if (hidesEdges(view)) return
    const lags = turnLags(view)
    const byOwnText = lags === null ? lagsByOwnText(view) : null
    if (byOwnText !== null) {
      report.place(true)
      report.fault(driftWithin(byOwnText))
      return
    }
    if (lags === null || lags.length === 0) return
    const first = lags.findIndex(({ lag }) => lag !== 0)
    // Where the very first turn is off, nothing drifted: the mask was displaced from the start.
    const drifts = first > 0 && lags.slice(first).every(({ lag }) => lag !== 0)
    report.place(drifts)
    if (!drifts) return
    const from = lags[first] as TurnLag
    report.fault({
      ...driftFrom(lags, first),
      message: `The mask fits the turns up to assistant turn ${from.turn.ordinal - 1} and lies ${lagText(from.lag)} from turn ${from.turn.ordinal} on`,
    })
  },
}

/** Of a turn in which the text was encoded into another number of tokens. */
function driftWithin(lags: readonly TurnLag[]): FaultAt {
  const first = lags.findIndex(({ expected, found }) => found.end !== expected.end)
  const { turn, expected, found } = lags[first] as TurnLag
  const next = lags.find(({ lag }) => lag !== 0) as TurnLag
  const missing = expected.end - found.end
  return {
    ...driftFrom(lags, first),
    message: `The trained run of assistant turn ${turn.ordinal} is ${tokenCount(Math.abs(missing))} too ${missing > 0 ? 'short' : 'long'}, and the mask lies ${lagText(next.lag)} from turn ${next.turn.ordinal} on`,
  }
}

function driftFrom(lags: readonly TurnLag[], first: number): Omit<FaultAt, 'message'> {
  const { turn, expected, found } = lags[first] as TurnLag
  return {
    turn,
    tokens: { start: Math.min(expected.start, found.start), end: Math.max(expected.end, found.end) },
    affected: lags.slice(first).flatMap(displaced),
    evidence: { lags: lags.map(({ turn, lag }) => ({ assistant_turn: turn.ordinal, lag })) },
  }
}
