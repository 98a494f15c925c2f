import { counted } from '../../model/number-text.ts'
import { Expected, Provenance, type Turn } from '../../model/tokens.ts'
import { LARGEST_LAG } from '../alignment.ts'
import type { Check, TrajectoryView } from '../check.ts'
import { edgeAfter, writtenTurns } from '../edges.ts'
import { plainTurns } from '../plain-turns.ts'
import { hidesEdges } from '../shape.ts'
import { MASK_UNKNOWN } from '../states.ts'
import { choosesTokens } from './by-token.ts'
import { toldOfNulls } from './nulls-as-mask.ts'
import { lookAtSilentEnds } from './silent-ends.ts'
import { lookAtZeroEnds, unprovedEnd } from './zero-ends.ts'

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
    const { expectedRl, provenance, facts } = view
    const mask = view.mask as Uint8Array
    for (const turn of writtenTurns(view.segmentation)) {
      const { endToken } = turn
      if (endToken < 0 || mask[endToken] === MASK_UNKNOWN) continue
      // One that is trained was looked at, whoever wrote it; of a masked one the dump must say that it was to be trained.
      if (expectedRl?.[endToken] !== Expected.trained && mask[endToken] !== 1) continue
      const start = trainedUpTo(view, turn)
      if (start < 0) continue
      const masked = mask[endToken] === 0
      if (masked && choosesTokens(view)) return
      // Of those that may be appended the other rollouts tell.
      const tells = masked && facts.zeroEnds?.some(({ token }) => token === endToken) !== true
      report.place(tells, { turn: turn.ordinal, boundary: edgeAfter(view.segmentation, turn), token: endToken })
      if (!tells) continue
      const sampled = provenance?.[endToken] === Provenance.sampled
      report.fault({
        turn,
        tokens: { start, end: endToken + 1 },
        severity: sampled ? 'error' : 'warning',
        message: sampled
          ? `The end token of assistant turn ${turn.ordinal} was sampled and is not trained${besideText(endToken - start)}`
          : unprovedEnd(turn.ordinal),
        evidence: { id: view.ids[endToken], sampled: sampled ? true : null },
      })
    }
  },
  *dump(view, report) {
    yield* lookAtSilentEnds(view, report)
    yield* lookAtZeroEnds(view, report)
    const untold = toldOfNulls(view.facts, 'ends')
    if (untold !== null) report.abstain('not-checkable', untold)
  },
  unproved: (_tally, { facts }) => toldOfNulls(facts, 'ends'),
}

/**
 * Behind the last trained token of a turn, up to as many before its end as whoever strips a closing mark takes along: of those the dump must say that they
 * were sampled, since a framework writes line breaks and marks before the end token itself. -1 where more is masked: the turn as a whole is another fault's.
 */
function trainedUpTo({ mask, provenance }: TrajectoryView, { contentStart, contentEnd, endToken }: Turn): number {
  const first = Math.max(contentStart, contentEnd - LARGEST_LAG)
  let start = contentEnd
  while (start > first && mask?.[start - 1] === 0 && provenance?.[start - 1] === Provenance.sampled) start--
  const isProved = start === contentEnd || provenance?.[endToken] === Provenance.sampled
  return start > contentStart && mask?.[start - 1] === 1 && isProved ? start : -1
}

function besideText(tokens: number): string {
  if (tokens === 0) return ''
  return tokens === 1 ? ', nor is the token before it' : `, nor are the ${counted(tokens, 'token')} before it`
}
