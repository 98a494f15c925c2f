import { Provenance, type Turn } from '../../model/tokens.ts'
import type { Check, TrajectoryView } from '../check.ts'
import { hidesEdges, isSwallowed } from '../oracles/shape.ts'
import { countOf } from '../oracles/spans.ts'

export const M17: Check = {
  code: 'M17',
  name: 'cut-reply-trained',
  title: 'The last token of a cut tool reply is trained',
  hypotheses: ['H02', 'H04'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'tokenizer'],
  looksAt: 'rollouts that end in a turn of the environment',
  why: 'A fix-up for cut rows marks the last token as the end that the model should learn; here the model did not write it.',
  fix: 'Mark the last token of a cut row only where it lies in an assistant turn.',
  cite: 'open-instruct#1876',
  hiddenBy: ['M06', 'M07'],
  trajectory(view, _settings, report) {
    if (view.segmentation === null || hidesEdges(view)) return
    const turn = environmentTail(view)
    if (turn === null || isSwallowed(view, turn)) return
    const at = loneTrainedTail(view, turn)
    report.place(at !== null, { turn: turn.ordinal })
    if (at === null) return
    report.fault({
      turn,
      tokens: { start: at, end: at + 1 },
      message: `The row ends in ${turn.contentEnd > turn.contentStart ? '' : 'the header of '}a ${turn.kind} turn, and its last token alone carries loss`,
      evidence: {
        id: view.ids[at],
        text: view.text({ start: at, end: at + 1 }),
        role: turn.role,
        turn_tokens: turn.contentEnd - turn.contentStart,
        closed: turn.endToken >= 0,
        tail: view.text({
          start: Math.max(at < turn.contentStart ? turn.start : turn.contentStart, at - 16),
          end: at + 1,
        }),
      },
    })
  },
}

/** The last turn, where the environment wrote it, or was cut before it wrote anything. */
function environmentTail({ segmentation }: TrajectoryView): Turn | null {
  const turn = segmentation?.turns.at(-1)
  if (turn === undefined || turn.header !== 'present') return null
  if (turn.contentEnd <= turn.contentStart && turn.endToken >= 0) return null
  return turn.kind === 'tool' || turn.kind === 'user' ? turn : null
}

/** Index of the row's last token, where it is the only one of its turn that carries loss; else null. A reply trained whole is M01. */
function loneTrainedTail({ mask, segmentation, provenance }: TrajectoryView, turn: Turn): number | null {
  if (mask === null || segmentation === null) return null
  const last = mask.length - segmentation.padding.right - 1
  const at = mask[last] === 1 ? last : turn.endToken
  // The first token of a header may be what the loss runs over into (M08), or how the model ends its turn.
  const first = turn.contentEnd > turn.contentStart ? turn.contentStart : turn.start + 1
  if (at < first || mask[at] !== 1 || provenance?.[at] === Provenance.sampled) return null
  // A reply of a single token is trained whole.
  const whole = turn.contentEnd - turn.contentStart === 1 && at === turn.contentStart
  return !whole && countOf(mask, 1, turn.start, turn.end) === 1 ? at : null
}

/** Whether a turn's only trained token is the one that M17 reports. */
export function isLoneTail(view: TrajectoryView, turn: Turn): boolean {
  return environmentTail(view) === turn && loneTrainedTail(view, turn) !== null
}
