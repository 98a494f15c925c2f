import { counted } from '../../model/number-text.ts'
import { Provenance } from '../../model/tokens.ts'
import type { Check, FaultAt, TrajectoryView } from '../check.ts'
import { isLogprobName } from '../layout/unfit-arrays.ts'
import { isOfMask } from '../oracles/alignment.ts'
import { edgeAfter, tokenCount } from '../oracles/edges.ts'
import { hidesEdges } from '../oracles/shape.ts'
import { displaced, lagsByOwnText, lagText, type TurnLag, turnLags } from '../oracles/turn-lag.ts'
import { behindEnd, type SlippedEnds, slippedEnds } from './slipped-ends.ts'

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
  ofLengths: true,
  trajectory(view, { alignment }, report) {
    if (view.segmentation === null) return
    const lengths = view.trajectory.arrays.filter((array) => {
      const { name, length, expected } = array
      if (length === expected) return false
      const targets = alignment === 'target' && isOfMask(array) && length === expected - 1
      return (isOfMask(array) || isLogprobName(name)) && !targets
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
    const byOwnText = lags === null || lags.length === 0 ? lagsByOwnText(view) : null
    if (byOwnText !== null) {
      report.place(true)
      report.fault(driftWithin(byOwnText))
      return
    }
    const slipped = lags === null ? slippedEnds(view) : null
    if (slipped?.alike === false) {
      report.place(true)
      report.fault(slipWithin(slipped))
      return
    }
    // What may be the model's own is left open.
    if (slipped !== null) {
      const { turn } = slipped.lags[0] as TurnLag
      report.place(false, { turn: turn.ordinal, boundary: edgeAfter(view.segmentation, turn) })
    }
    if (lags === null || lags.length === 0) return
    const first = lags.findIndex(({ lag }) => lag !== 0)
    // Where the very first turn is off, nothing drifted: the mask was displaced from the start.
    const drifts = first > 0 && lags.slice(first).every(({ lag }) => lag !== 0)
    if (drifts && leavesOutOne(view, lags.slice(first))) return
    report.place(drifts)
    if (!drifts) return
    const from = lags[first] as TurnLag
    report.fault({
      ...driftFrom(lags, first),
      message: `The mask fits the turns up to assistant turn ${from.turn.ordinal - 1} and lies ${lagText(from.lag)} from turn ${from.turn.ordinal} on`,
    })
  },
  unproved({ byBoundary }) {
    const rollouts = Object.values(byBoundary).reduce((sum, { checked }) => sum + checked, 0)
    return rollouts === 0
      ? null
      : `in ${counted(rollouts, 'rollout')} trained runs go on behind the ends of turns, with logprobs, each as far as the others: a model that writes on looks like that, and so does a text that was encoded again into fewer tokens`
  },
}

/**
 * Of what lies off nothing is seen but that the row's last run leaves out its first token, which has a logprob of the sampler: a mask that leaves out single
 * tokens on purpose may have left out this one.
 */
function leavesOutOne({ provenance }: TrajectoryView, [last, ...more]: readonly TurnLag[]): boolean {
  if (last === undefined || more.length > 0) return false
  const { lag, expected, found } = last
  return lag === 1 && found.end === expected.end && provenance?.[expected.start] === Provenance.sampled
}

/** Of turns whose mask and logprobs are longer than they are, by the first of them. */
function slipWithin({ lags }: SlippedEnds): FaultAt {
  const longer = lags.filter((lag) => behindEnd(lag) > 0)
  const { turn, expected, found } = longer[0] as TurnLag
  const inPlace = lags.find((lag) => behindEnd(lag) !== behindEnd(longer[0] as TurnLag)) as TurnLag
  const other = behindEnd(inPlace)
  return {
    turn,
    tokens: { start: expected.end, end: found.end },
    affected: longer.map(({ expected, found }) => ({ start: expected.end, end: found.end })),
    message: `Mask and logprobs go on for ${tokenCount(behindEnd(longer[0] as TurnLag))} behind the end of assistant turn ${turn.ordinal}, ${other === 0 ? 'and end with' : `for ${other} behind that of`} turn ${inPlace.turn.ordinal}: its text was encoded again into fewer tokens than were sampled`,
    evidence: { behind_ends: lags.map((lag) => ({ assistant_turn: lag.turn.ordinal, tokens: behindEnd(lag) })) },
  }
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
