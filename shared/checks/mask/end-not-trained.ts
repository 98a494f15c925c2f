import { counted } from '../../model/number-text.ts'
import { Expected, Provenance, type Turn } from '../../model/tokens.ts'
import { LARGEST_LAG } from '../alignment.ts'
import type { Check, TrajectoryView } from '../check.ts'
import { edgeAfter, writtenTurns } from '../edges.ts'
import { plainTurns } from '../plain-turns.ts'
import { hidesEdges } from '../shape.ts'
import { countOf } from '../spans.ts'
import { MASK_UNKNOWN } from '../states.ts'
import { stopsAmidCall } from '../truncation/amid-call.ts'
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
      if (masked && provenance?.[endToken] !== Provenance.sampled && stopsAmidCall(view, turn)) continue
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
 * Behind the last trained token of a turn. Of words that are masked before its end the dump must say that they and the end were sampled, since a framework
 * writes line breaks and marks before the end token itself: of all, where they are as many as whoever strips a closing mark takes along, and of most
 * where they are more, since a sampled token can have the number that a format writes where nothing was. -1 where it does not, and where nothing is trained.
 */
function trainedUpTo({ mask, provenance }: TrajectoryView, { contentStart, contentEnd, endToken }: Turn): number {
  let start = contentEnd
  while (start > contentStart && mask?.[start - 1] === 0) start--
  if (start === contentStart || mask?.[start - 1] !== 1) return -1
  const masked = contentEnd - start
  if (masked === 0) return start
  if (provenance?.[endToken] !== Provenance.sampled) return -1
  const sampled = countOf(provenance, Provenance.sampled, start, contentEnd)
  if (masked <= LARGEST_LAG) return sampled === masked ? start : -1
  const denied = countOf(provenance, Provenance.notSampled, start, contentEnd)
  return denied === 0 && sampled * 2 > masked ? start : -1
}

function besideText(tokens: number): string {
  if (tokens === 0) return ''
  return tokens === 1 ? ', nor is the token before it' : `, nor are the ${counted(tokens, 'token')} before it`
}
