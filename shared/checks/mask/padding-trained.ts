import { Provenance, type Span } from '../../model/tokens.ts'
import type { Check, TrajectoryView } from '../check.ts'
import { carryLoss } from '../oracles/edges.ts'
import { paddingOf, sampledPad } from '../oracles/padding.ts'
import { residualPads } from '../oracles/residual-pads.ts'
import { hidesEdges } from '../oracles/shape.ts'
import { lengthOf, runsOf } from '../oracles/spans.ts'

export const M12: Check = {
  code: 'M12',
  name: 'padding-trained',
  title: 'Padding is trained',
  hypotheses: ['H02'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask'],
  looksAt: 'rollouts with padding',
  why: 'The model is trained to emit padding after its answer, and the padding dilutes the loss of every short row.',
  fix: 'Multiply the loss mask with the attention mask after padding.',
  cite: 'TRL#5904, open-instruct#1817, AgileRL#498',
  hiddenBy: ['M06', 'M07'],
  namesUnwritten: true,
  trajectory(view, _settings, report) {
    if (hidesEdges(view)) return
    const { left, right } = paddingOf(view)
    const residual = residualPads(view)
    if (left + right === 0 && residual.length === 0) return
    const inside = residual.flatMap(({ start, end }) => runsOf(view.mask as Uint8Array, 1, start, end))
    const trained = [
      ...trainedIn(view, 0, left),
      ...inside,
      ...trainedIn(view, view.ids.length - right, view.ids.length),
    ]
    report.place(trained.length > 0)
    if (trained.length === 0) return
    const start = trained[0]!.start
    const count = lengthOf(trained)
    report.fault({
      tokens: { start, end: trained.at(-1)!.end },
      affected: trained,
      message: carryLoss(count, inside.length === trained.length ? 'of padding inside the row' : 'of padding'),
      evidence: { pad_id: view.ids[start], padding_left: left, padding_right: right, trained_tokens: count },
    })
  },
}

function trainedIn(view: TrajectoryView, start: number, end: number): Span[] {
  const runs = runsOf(view.mask as Uint8Array, 1, start, end)
  const own = runs.length === 0 ? -1 : sampledPad(view)
  return runs.flatMap((run) => notSampled(view, run)).filter(({ start, end }) => start !== own || end > start + 1)
}

/** What is left of a trained run behind the tokens that the model is known to have written: its end, with the id of the padding. */
function notSampled({ provenance }: TrajectoryView, { start, end }: Span): Span[] {
  let from = start
  while (from < end && provenance?.[from] === Provenance.sampled) from++
  return from < end ? [{ start: from, end }] : []
}
