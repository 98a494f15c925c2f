import type { HypothesisResult } from '../model/report.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'

/** Every hypothesis that can be judged, in the order of the report. */
export const HYPOTHESES: readonly Hypothesis[] = []

/** The verdicts, in the order of `HYPOTHESES`; `options.hypotheses` of the audit narrows them. */
export function judge(input: HypothesisInput): HypothesisResult[] {
  const wanted = input.dump.settings.options.hypotheses
  return HYPOTHESES.filter(({ id }) => wanted === undefined || wanted.includes(id)).map((hypothesis) =>
    hypothesis.judge(input),
  )
}
