import { finite } from '../../model/finite.ts'
import { Provenance } from '../../model/tokens.ts'
import type { Check } from '../check.ts'
import { edgeAfter } from '../oracles/edges.ts'
import { plainTurns } from '../oracles/plain-turns.ts'
import { hidesEdges, isSwallowed, shapeOf } from '../oracles/shape.ts'
import { flowsOn } from './displaced-run.ts'
import { isDisplacedByBlock } from './drift-by-prefill.ts'

export const M11: Check = {
  code: 'M11',
  name: 'separator-trained',
  title: 'Newline after the end of a turn is trained',
  hypotheses: ['H02'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'tokenizer'],
  looksAt: 'newlines after assistant turns',
  why: 'The template writes the newline after the end token; it was never sampled. It is the convention of SFT data.',
  fix: 'End the trained span with the end-of-turn token, or declare --policy sft.',
  cite: 'SkyRL#710',
  hiddenBy: ['M06', 'M07'],
  trajectory(view, _settings, report) {
    if (view.segmentation === null || hidesEdges(view)) return
    const plain = plainTurns(view)
    if (plain !== null) return report.sound(plain.separators)
    const { provenance } = view
    const mask = view.mask as Uint8Array
    const { overrun } = shapeOf(view)
    for (const turn of view.segmentation.turns) {
      if (turn.kind !== 'assistant' || turn.endToken < 0 || turn.end === turn.separatorStart) continue
      const at = turn.separatorStart
      const next = view.segmentation.turns[turn.index + 1]
      const covered =
        (next !== undefined && flowsOn(mask, at, next)) || isSwallowed(view, turn) || overrun?.turn === turn
      const carriesLoss = mask[at] === 1 && provenance?.[at] !== Provenance.sampled && !covered
      const trained = carriesLoss && !isDisplacedByBlock(view)
      report.place(trained, { turn: turn.ordinal, boundary: edgeAfter(view.segmentation, turn), token: at })
      if (!trained) continue
      report.fault({
        turn,
        tokens: { start: at, end: turn.end },
        message: `The newline after assistant turn ${turn.ordinal} carries loss`,
        evidence: {
          id: view.ids[at],
          sampler_logprob: finite(view.trajectory.logprobs.sampler?.[at]),
        },
      })
    }
  },
}
