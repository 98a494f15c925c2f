import type { Check } from '../check.ts'
import { pairsOf } from './scored.ts'
import { scoredSpan, scoredSpans } from './text.ts'

/** L07. Old and new logprobs are one array. */
export const L07: Check = {
  code: 'L07',
  name: 'ratio-always-one',
  title: 'Sampler and trainer logprobs are the same array',
  hypotheses: [],
  severity: 'info',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'logprobs.sampler', 'logprobs.trainer'],
  looksAt: 'rollouts with enough logprobs other than 0',
  why: 'The ratio is 1 whatever happens: neither staleness nor a mismatch of the engines can be seen, and clipping never acts.',
  fix: "Store the sampler's own logprobs beside those that the trainer computes again.",
  cite: 'miles#1829',
  trajectory(view, { thresholds }, report) {
    const pairs = pairsOf(view)
    if (pairs === null) return
    const enough = thresholds['equal-values']
    let values = 0
    let equal = 0
    for (const i of pairs.tokens) {
      // Two that differ settle it, once there are enough to look at.
      if (values >= enough && equal < values) break
      if (pairs.sampler[i] === 0 && pairs.trainer[i] === 0) continue
      values++
      if (pairs.sampler[i] === pairs.trainer[i]) equal++
    }
    if (values < enough) return
    report.place(equal === values)
    if (equal < values) return
    report.fault({
      scope: 'trajectory',
      tokens: scoredSpan(view),
      affected: scoredSpans(view),
      message: `All ${values} logprobs other than 0 are the same in sampler and trainer, bit by bit`,
      evidence: { equal, compared: values },
    })
  },
}
