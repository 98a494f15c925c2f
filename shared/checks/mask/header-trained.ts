import type { Check } from '../check.ts'
import { carryLoss, edgeBefore } from '../edges.ts'
import { hidesEdges, isSwallowed } from '../shape.ts'
import { lengthOf, listOf, runsOf } from '../spans.ts'

export const M08: Check = {
  code: 'M08',
  name: 'header-trained',
  title: 'Assistant header is trained',
  hypotheses: ['H02'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'tokenizer'],
  looksAt: 'assistant headers',
  why: 'The template supplies the header; training it spends loss on tokens that were never sampled.',
  fix: 'Begin the trained span after the generation prompt.',
  cite: 'SkyRL#710, Automodel#3739, prime-rl#2471',
  trajectory(view, _settings, report) {
    if (view.segmentation === null || hidesEdges(view)) return
    const mask = view.mask as Uint8Array
    for (const turn of view.segmentation.turns) {
      if (turn.kind !== 'assistant' || turn.header !== 'present') continue
      const before = view.segmentation.turns[turn.index - 1]
      // A run that flows in from a trained turn of the environment is that turn's fault.
      const flowsIn = before !== undefined && before.kind !== 'assistant' && mask[before.contentEnd - 1] === 1
      const trained =
        isSwallowed(view, turn) || (flowsIn && mask[turn.start - 1] === 1)
          ? []
          : runsOf(mask, 1, turn.start, turn.headerEnd)
      report.place(trained.length > 0, { turn: turn.ordinal, boundary: edgeBefore(view.segmentation, turn) })
      if (trained.length === 0) continue
      const count = lengthOf(trained)
      report.fault({
        turn,
        tokens: { start: trained[0]!.start, end: trained.at(-1)!.end },
        affected: trained,
        message: carryLoss(count, `of the header of assistant turn ${turn.ordinal}`),
        evidence: {
          header_tokens: turn.headerEnd - turn.start,
          trained_tokens: count,
          header_ids: listOf(view.ids, turn.start, turn.headerEnd),
        },
      })
    }
  },
}
