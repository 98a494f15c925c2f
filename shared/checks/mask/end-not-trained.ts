import { Expected, Provenance } from '../../model/tokens.ts'
import type { Check } from '../check.ts'
import { edgeAfter, writtenTurns } from '../edges.ts'
import { plainTurns } from '../plain-turns.ts'
import { hidesEdges } from '../shape.ts'
import { MASK_UNKNOWN } from '../states.ts'

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
  trajectory(view, _settings, report) {
    if (view.segmentation === null || hidesEdges(view)) return
    const plain = plainTurns(view)
    if (plain !== null) return report.sound(plain.ends)
    const { expectedRl, provenance } = view
    const mask = view.mask as Uint8Array
    for (const turn of writtenTurns(view.segmentation)) {
      const { endToken, contentEnd } = turn
      // Where the last words are not trained either, the turn as a whole is another fault's.
      if (endToken < 0 || mask[endToken] === MASK_UNKNOWN || mask[contentEnd - 1] !== 1) continue
      if (expectedRl?.[endToken] !== Expected.trained) continue
      const masked = mask[endToken] === 0
      report.place(masked, { turn: turn.ordinal, boundary: edgeAfter(view.segmentation, turn), token: endToken })
      if (!masked) continue
      const sampled = provenance?.[endToken] === Provenance.sampled
      report.fault({
        turn,
        tokens: { start: endToken, end: endToken + 1 },
        severity: sampled ? 'error' : 'warning',
        message: sampled
          ? `The end token of assistant turn ${turn.ordinal} was sampled and is not trained`
          : `The end token of assistant turn ${turn.ordinal} is not trained. A warning and no error: neither logprobs nor flags of this dump tell whether the model wrote it or the framework did`,
        evidence: { id: view.ids[endToken], sampled: sampled ? true : null },
      })
    }
  },
}
