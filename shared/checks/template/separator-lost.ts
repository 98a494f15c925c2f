import type { Check } from '../check.ts'
import { beginsDocument } from '../oracles/document-start.ts'
import { edgeAfter } from '../oracles/edges.ts'
import { listOf } from '../oracles/spans.ts'

export const T04: Check = {
  code: 'T04',
  name: 'separator-lost',
  title: 'Newline between turns is lost',
  hypotheses: ['H02'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'edges between turns',
  why: 'The template puts a newline there, and the sampler saw it: the trained context is not the sampled one.',
  fix: 'Add what the template puts after the end token when the ids of turns are joined.',
  cite: 'verl#6501, verl#3720, TRL#5317',
  trajectory({ segmentation, ids, trajectory }, _settings, report) {
    if (segmentation === null || !segmentation.hasSeparator) return
    for (const turn of segmentation.turns) {
      const next = segmentation.turns[turn.index + 1]
      // Without a header after it the edge itself is gone; that is T05.
      if (turn.endToken < 0 || next === undefined || next.header !== 'present') continue
      const lost = next.start === turn.endToken + 1
      // Between the documents of a packed row no template writes anything; where nothing tells them apart, S01 says so, or T09.
      const beginsAnew = next.kind === 'system' && segmentation.turns[0]?.kind === 'system'
      if (lost && (beginsAnew || beginsDocument(trajectory, next.start))) continue
      report.place(lost, { turn: turn.ordinal, boundary: edgeAfter(segmentation, turn) })
      if (!lost) continue
      report.fault({
        turn,
        tokens: { start: turn.endToken, end: next.start + 1 },
        message: () => `No newline between the end of the ${turn.kind} turn and the ${next.kind} turn after it`,
        evidence: () => ({ ids: listOf(ids, turn.endToken, next.start + 2), at: next.start }),
        affected: [],
      })
    }
  },
}
