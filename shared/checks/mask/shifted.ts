import { counted } from '../../model/number-text.ts'
import type { Check, CheckTally } from '../check.ts'
import { LARGEST_LAG } from '../oracles/alignment.ts'
import { tokenCount } from '../oracles/edges.ts'
import { hidesTurns, shapeOf } from '../oracles/shape.ts'
import { MASK_UNKNOWN } from '../oracles/states.ts'
import { isDisplacedByBlock } from './drift-by-prefill.ts'
import { toldOfNulls } from './nulls-as-mask.ts'

export const M06: Check = {
  code: 'M06',
  name: 'mask-shifted',
  title: 'Loss mask is shifted',
  hypotheses: ['H02'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'tokenizer'],
  looksAt: 'rollouts with edges between trained and masked tokens',
  why: 'The first sampled token of each turn is not trained, or a token of the template is: the loss is aligned to the wrong index.',
  fix: 'Align the mask to the tokens (or declare --mask-alignment target); shift mask and labels together, once.',
  cite: 'verl#3287, OpenRLHF#973, TRL#2058',
  unproved: ({ byBoundary }, { facts }) => toldOfNulls(facts, 'heads') ?? toldOfThoughts(byBoundary),
  trajectory(view, settings, report) {
    if (view.expected === null || view.segmentation === null || hidesTurns(view)) return
    if (settings.alignmentUndecided) return
    const shape = shapeOf(view)
    const { lag, lagScores, lagScore, lagAgainst, lagOfOthers, hidesLag, lacksEnds, lateStart, lateTurns } = shape
    // It lies off by what the template writes, and has a name of its own (M07).
    if (Math.abs(lag) > LARGEST_LAG && isDisplacedByBlock(view)) {
      report.place(false)
      return
    }
    // Where the others lie off, one that cannot show it says nothing.
    if (hidesLag && lateStart === 0) return
    const mayLieLate = lateStart === 0 && shape.mayLieLate
    report.place(lag !== 0 || lateStart !== 0, mayLieLate ? { boundary: BEHIND_THOUGHTS } : {})
    if (lag === 0 && lateStart === 0) return
    if (lateTurns !== null) {
      for (const turn of lateTurns) {
        const tokens = { start: turn.contentStart, end: turn.contentStart + lateStart }
        const message = `${lateText(lateStart, `assistant turn ${turn.ordinal}`)}, as in every turn from ${lateTurns[0]?.ordinal} on: their trained spans begin ${tokenCount(lateStart)} too late, and those before begin where they should`
        report.fault({ turn, tokens, message, evidence: { lag, first_tokens_untrained: lateStart } })
      }
      return
    }
    const mask = view.mask as Uint8Array
    const { left } = view.segmentation.padding
    const affected = differences(mask, lagAgainst ?? view.expected)
    report.fault({
      scope: 'trajectory',
      tokens: affected.length === 0 ? null : { start: affected[0]!.start, end: affected.at(-1)!.end },
      affected,
      message:
        lateStart > 0
          ? lateStartText(lateStart)
          : `The loss mask is shifted: every edge lies ${tokenCount(Math.abs(lag))} too ${lag > 0 ? 'late' : 'early'}${
              lag === -left && left > LARGEST_LAG
                ? ', as many as stand on the left as padding, which it does not count'
                : ''
            }${
              lacksEnds ? ', and no end token is meant to be trained' : ''
            }${lagOfOthers ? ', as in the other rollouts; by itself this one may as well lie in place' : ''}`,
      evidence: {
        lag,
        ...(lateStart > 0 ? { first_tokens_untrained: lateStart } : {}),
        ...(lacksEnds ? { end_tokens_left_out: true } : {}),
        ...(lagOfOthers ? { as_other_rollouts: true } : {}),
        padding_left: left,
        edges_found_at_lag: {
          ...Object.fromEntries(lagScores.map((score, i) => [i - LARGEST_LAG, score])),
          ...(Math.abs(lag) > LARGEST_LAG ? { [lag]: lagScore } : {}),
        },
      },
    })
  },
  dump({ settings }, report) {
    if (settings.alignmentUndecided) {
      report.abstain(
        'not-checkable',
        'declare the alignment: every mask lies one token early, as a target-aligned mask does (--mask-alignment token or target)',
      )
    }
  },
}

/** Where places are counted of which it is not known whether they lie late. */
const BEHIND_THOUGHTS = 'assistant>tool'

/** Rollouts that mask thoughts with the line behind each, and train the newline behind turns. */
function toldOfThoughts(byBoundary: CheckTally['byBoundary']): string | null {
  const { checked = 0 } = byBoundary[BEHIND_THOUGHTS] ?? {}
  return checked === 0
    ? null
    : `in ${counted(checked, 'rollout')} thoughts and the line behind each have no loss, and the newline behind turns has: a mask of thoughts that lies one token late looks like that, and so does one that takes the line along, of turns that are trained with their newline`
}

function lateStartText(late: number): string {
  return `${lateText(late, 'every assistant turn')}, while every turn ends where it should: trained spans begin ${tokenCount(late)} too late`
}

function lateText(late: number, where: string): string {
  return `${late === 1 ? 'The first token' : `The first ${late} tokens`} of ${where} ${late === 1 ? 'carries' : 'carry'} no loss`
}

/** Runs where the mask and the oracle disagree. */
function differences(mask: Uint8Array, expected: Uint8Array) {
  const spans: { start: number; end: number }[] = []
  for (let i = 0; i < mask.length; i++) {
    const should = expected[i] as number
    if (should > 1 || mask[i] === MASK_UNKNOWN || mask[i] === should) continue
    const last = spans.at(-1)
    if (last !== undefined && last.end === i) last.end = i + 1
    else spans.push({ start: i, end: i + 1 })
  }
  return spans
}
