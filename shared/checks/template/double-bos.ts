import type { Check } from '../check.ts'
import { wholeConversations } from '../layout/whole-conversations.ts'
import { beginsDocument } from '../oracles/document-start.ts'
import { listOf } from '../oracles/spans.ts'

export const T01: Check = {
  code: 'T01',
  name: 'double-bos',
  title: 'Begin-of-sequence token is there twice',
  hypotheses: ['H02'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'rollouts that hold a begin-of-sequence token',
  why: 'The model never saw two of them; the trained context is not the one that was sampled from.',
  fix: 'Encode rendered text with add_special_tokens=False.',
  cite: 'OpenRLHF#393, vllm#27515, open-r1#462',
  trajectory(view, _settings, report) {
    const { segmentation, trajectory } = view
    // A packed row has one at the start of each of its documents.
    const bos = (segmentation?.bos ?? []).filter(
      (at, i) =>
        i === 0 || !(beginsDocument(trajectory, at) || wholeConversations(view).some(({ start }) => start === at + 1)),
    )
    const [first, second] = bos
    if (first === undefined) return
    report.place(second !== undefined)
    if (second === undefined) return
    const adjacent = second === first + 1
    report.fault({
      tokens: { start: adjacent ? first : second, end: second + 1 },
      message: adjacent
        ? 'The row begins with the begin-of-sequence token twice'
        : `The begin-of-sequence token stands again at token ${second}, in the middle of the row`,
      evidence: {
        positions: bos.slice(0, 16),
        id: view.ids[first],
        first_ids: listOf(view.ids, first, first + 6),
      },
    })
  },
}
