import type { Check } from '../check.ts'
import { edgeAfter } from '../oracles/edges.ts'
import { plainTurns } from '../oracles/plain-turns.ts'
import { hidesEdges } from '../oracles/shape.ts'
import { turnEnds } from './ends-left-out.ts'
import { toldOfNulls } from './nulls-as-mask.ts'
import { isHole, lookAtHoles, maskedEnd } from './ratio-holes.ts'
import { lookAtSilentEnds } from './silent-ends.ts'
import { lookAtZeroEnds } from './zero-ends.ts'

export const M10: Check = {
  code: 'M10',
  name: 'end-not-trained',
  title: 'End-of-turn token is not trained',
  hypotheses: ['H02'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'tokenizer'],
  looksAt: 'ends of trained assistant turns',
  why: 'The model is never rewarded for stopping: turns grow until a limit cuts them.',
  fix: 'Let the trained span include the end-of-turn token that the model sampled.',
  cite: 'axolotl#3754, axolotl#1847, slime#514',
  hiddenBy: ['M06', 'M07'],
  trajectory(view, _settings, report) {
    if (view.segmentation === null || hidesEdges(view)) return
    const plain = plainTurns(view)
    if (plain !== null) return report.sound(plain.ends)
    const { zeroEnds, ratioHoles } = view.facts
    for (const { turn, start, isMasked, isSampled } of turnEnds(view)) {
      const { endToken, ordinal } = turn
      // Of those that may be appended, or rejected by their ratio, the other rollouts tell.
      const isTold = zeroEnds?.some(({ token }) => token === endToken) || isHole(ratioHoles, 'M10', ordinal)
      const tells = isMasked && !isTold
      report.place(tells, { turn: ordinal, boundary: edgeAfter(view.segmentation, turn), token: endToken })
      if (!tells) continue
      report.fault({
        turn,
        tokens: { start, end: endToken + 1 },
        severity: isSampled ? 'error' : 'warning',
        message: maskedEnd(ordinal, isSampled, endToken - start),
        evidence: { id: view.ids[endToken], sampled: isSampled ? true : null },
      })
    }
  },
  *dump(view, report) {
    yield* lookAtSilentEnds(view, report)
    yield* lookAtZeroEnds(view, report)
    yield* lookAtHoles('M10', view, report)
    const untold = toldOfNulls(view.facts, 'ends')
    if (untold !== null) report.abstain('not-checkable', untold)
  },
  unproved: (_tally, { facts }) => toldOfNulls(facts, 'ends'),
}
