import type { HypothesisResult } from '../model/report.ts'
import { atOnce, type Steps, within } from '../model/steps.ts'
import { H01 } from './h01.ts'
import { H02 } from './h02.ts'
import { H03 } from './h03.ts'
import { H04 } from './h04.ts'
import { H05 } from './h05.ts'
import { H06_LIBRARY } from './h06-library.ts'
import { H06_LORA } from './h06-lora.ts'
import { H07 } from './h07.ts'
import { H08 } from './h08.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'

/** Every hypothesis, in the order of the report. */
export const HYPOTHESES: readonly Hypothesis[] = [H01, H02, H03, H04, H05, H06_LIBRARY, H06_LORA, H07, H08]

/** The verdicts, in the order of `HYPOTHESES`; `options.hypotheses` of the audit narrows them. */
export function judge(input: HypothesisInput): HypothesisResult[] {
  return atOnce(judging(input))
}

/** The same, a hypothesis at a time. */
export function* judging(input: HypothesisInput): Steps<HypothesisResult[]> {
  const wanted = input.dump.settings.options.hypotheses
  const results: HypothesisResult[] = []
  for (const hypothesis of HYPOTHESES) {
    if (wanted !== undefined && !wanted.includes(hypothesis.id)) continue
    const [before, after] = [results.length / HYPOTHESES.length, (results.length + 1) / HYPOTHESES.length]
    if (hypothesis.measure !== undefined) yield* within(before, after, hypothesis.measure(input))
    results.push(hypothesis.judge(input))
    yield after
  }
  return results
}
