import type { Turn } from '../../model/tokens.ts'
import type { Check } from '../check.ts'
import { sampledSpan, tokenCount } from '../oracles/edges.ts'
import { plainTurns } from '../oracles/plain-turns.ts'
import { hidesTurns, shapeOf } from '../oracles/shape.ts'

export const M05: Check = {
  code: 'M05',
  name: 'mask-runs-to-end',
  title: 'Loss mask runs on to the end of the row',
  hypotheses: ['H02'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'tokenizer'],
  looksAt: 'assistant turns behind which the rollout goes on',
  why: 'From one turn on, headers, tool replies and questions are trained as if the model had written them.',
  fix: 'End the trained span at the end-of-turn token; look for an end marker that the template does not emit. Where the span is the whole response, its attention mask may stand for the loss mask: train only what was sampled.',
  cite: 'transformers#47325, transformers#47326, Automodel#3024',
  ofRoles: true,
  trajectory(view, _settings, report) {
    if (view.segmentation === null || hidesTurns(view)) return
    const plain = plainTurns(view)
    if (plain !== null) return report.sound(plain.followed, false)
    const { turns } = view.segmentation
    const { overrun } = shapeOf(view)
    // Turn by turn: what runs on from a second one cannot show in rows that end with it.
    const lastIndex = Math.min(turns.length - 2, overrun?.turn.index ?? turns.length)
    for (let i = 0; i <= lastIndex; i++) {
      const turn = turns[i] as Turn
      if (turn.kind === 'assistant') report.place(turn === overrun?.turn, { turn: turn.ordinal })
    }
    if (overrun === null) return
    const { turn, end } = overrun
    const past = sampledSpan(turn).end
    const swallowed = turns.filter(({ index }) => index > turn.index)
    report.fault({
      turn,
      tokens: { start: overrun.start, end },
      affected: [{ start: past, end }],
      message: `The trained span of assistant turn ${turn.ordinal} never ends: it runs over ${tokenCount(end - past)} of ${swallowed.length} later ${swallowed.length === 1 ? 'turn' : 'turns'} to the end of the row`,
      evidence: {
        first_token_past_the_turn: past,
        tokens_past_the_turn: end - past,
        swallowed_turns: swallowed.map(({ index, role }) => ({ turn: index, role })),
      },
    })
  },
}
