import { counted } from '../../model/number-text.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Check, DumpFault, DumpReporter, DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { unprovedByOneArray } from './one-array.ts'
import { type TiltedLine, tiltedRollouts } from './pooled-lines.ts'
import { digits } from './text.ts'

/** L03. One of the two arrays was computed at another temperature. */
export const L03: Check = {
  code: 'L03',
  name: 'temperature-not-applied',
  title: 'Sampler and trainer logprobs are at different temperatures',
  hypotheses: [],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'logprobs.sampler', 'logprobs.trainer'],
  looksAt: 'rollouts with enough tokens that both sampler and trainer scored',
  why: 'Every ratio is off by a power: unlikely tokens are weighted far too much or too little, whatever the policy did.',
  fix: 'Divide the logits by the sampling temperature in both engines (vLLM: logprobs_mode processed_logprobs), or in neither.',
  cite: 'TRL#4159, TRL#4163, vime#69, open-instruct#1678',
  hiddenBy: ['L06'],
  dump: lookOverRollouts,
  unproved: unprovedByOneArray,
}

function* lookOverRollouts(view: DumpView, report: DumpReporter): Steps<void> {
  const { thresholds } = view.settings
  const { tilted } = yield* within(0, 0.5, tiltedRollouts(view))
  const columns = new FactColumns(view.facts)
  const scored = columns.numbers('gap', 'count')
  const rows = view.facts.filter((_, at) => (scored[at] as number) >= thresholds['scored-tokens'])
  const look = (row: TrajectoryFacts) => {
    const found = tilted.get(row)
    report.unit(found !== undefined)
    report.place(found !== undefined)
    if (found !== undefined) report.fault(faultOf(row, found))
  }
  yield* within(0.5, 1, forEachOf(rows, look))
}

function faultOf(row: TrajectoryFacts, { line, rollouts }: TiltedLine): DumpFault {
  const { gap, tilt, temperature = null } = row
  const { of, slope, explained, count } = line
  const relation =
    of === 'logprobs'
      ? `Trainer logprobs are ${digits(slope)} times those of the sampler`
      : `The odds of a token at the trainer are those at the sampler to the power of ${digits(slope)}`
  const over = rollouts === 1 ? '' : ` over ${counted(count, 'token')} of ${counted(rollouts, 'rollout')}`
  const declared = temperature === null ? '' : ` (declared temperature ${digits(temperature)})`
  return {
    member: row,
    tokens: tilt === undefined ? null : { start: tilt.span[0], end: tilt.span[1] },
    affectedTokens: gap?.count ?? 0,
    affectedWeight: row.weight ?? 0,
    message: `${relation}${over}, which explains ${digits(100 * explained)} % of their variance${declared}`,
    evidence: {
      slope,
      variance_explained: explained,
      declared_temperature: temperature,
      line_of: of,
      tokens: count,
      rollouts,
      mean_absolute_gap: (gap?.absolute ?? 0) / (gap?.count || 1),
    },
  }
}
