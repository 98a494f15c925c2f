import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import type { PairingFacts } from '../../shared/checks/texts/pairing.ts'
import type { SecondRun } from '../../shared/hypotheses/hypothesis.ts'
import { HYPOTHESES } from '../../shared/hypotheses/registry.ts'
import type { CheckResult, HypothesisId } from '../../shared/model/report.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { inputWith } from './input.ts'

export const rows = (count: number, more: (i: number) => Partial<TrajectoryFacts> = () => ({})) =>
  Array.from({ length: count }, (_, i) => factsOf(i, more(i)))

export const pairing = (i: number, more: Partial<PairingFacts> = {}): PairingFacts => ({
  question: `q${i}`,
  system: 's',
  tools: 't',
  answer: `a${i}`,
  opening: 'plain words:the',
  ...more,
})

/** Sixty rollouts of as many questions. */
export const pairedRun = (more: (i: number) => Partial<TrajectoryFacts> = () => ({})) =>
  rows(60, (i) => ({ pairing: pairing(i), promptHash: `p${i}`, reward: 1, ...more(i) }))

/** Another run, whose records are its own. */
export const second = (facts: readonly TrajectoryFacts[], checks: readonly CheckResult[] = []): SecondRun => ({
  dump: dumpOf(facts.map((row) => ({ ...row, recordHash: `second ${row.recordHash}` }))),
  checks,
  streams: new Set(),
  tokenizer: 'qwen2.5',
})

/** What a hypothesis says of rollouts beside another run, with the results of some checks. */
export function verdict(
  id: HypothesisId,
  facts: readonly TrajectoryFacts[],
  against: SecondRun | null,
  checks?: CheckResult[],
) {
  const input = { ...inputWith(dumpOf(facts), checks ? { checks } : {}), tokenizer: 'qwen2.5', against }
  return HYPOTHESES.find((each) => each.id === id)!.judge(input)
}
