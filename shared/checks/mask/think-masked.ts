import type { Check } from '../check.ts'
import { tokenCount, writtenTurns } from '../oracles/edges.ts'
import { type LookedAtThoughts, lookedAtThoughts } from './masked-thoughts.ts'
import { toldOfNulls } from './nulls-as-mask.ts'
import { isHole, lookAtHoles, maskedTag } from './ratio-holes.ts'

export const M16: Check = {
  code: 'M16',
  name: 'think-masked',
  title: 'Reasoning is masked while the rest of its turn is trained',
  hypotheses: ['H02'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'tokenizer'],
  looksAt: 'trained assistant turns with a thought',
  why: 'The model is credited for what it answered and not for the reasoning that led there, or never learns to end a thought.',
  fix: 'Include the sampled thought and its closing tag in the trained span; declare --intend M16 if history thoughts are masked on purpose.',
  cite: 'unsloth#6695, slime#1490, SkyRL#117',
  unproved: (_tally, { facts }) => toldOfNulls(facts, 'heads'),
  trajectory(view, _settings, report) {
    if (view.segmentation === null) return
    const last = writtenTurns(view.segmentation).at(-1)
    for (const looked of lookedAtThoughts(view)) {
      const { turn, masked, trainedBeside } = looked
      // Of a closing tag that may be rejected by its ratio the other rollouts tell.
      const tells = masked.length > 0 && !isHole(view.facts.ratioHoles, 'M16', turn.ordinal)
      report.place(tells, { turn: turn.ordinal })
      if (!tells) continue
      report.fault({
        turn,
        tokens: { start: masked[0]!.start, end: masked.at(-1)!.end },
        affected: masked,
        message: described(looked),
        evidence: {
          masked_reasoning_tokens: tokensOf(looked),
          closing_tag_only: !masked.some(({ whole }) => whole),
          trained_outside: trainedBeside,
          history: turn !== last,
        },
      })
    }
  },
  dump: (view, report) => lookAtHoles('M16', view, report),
}

function tokensOf({ masked }: LookedAtThoughts): number {
  return masked.reduce((sum, { tokens }) => sum + tokens, 0)
}

function described(looked: LookedAtThoughts): string {
  const { turn, masked, isMaskedWhole } = looked
  if (!masked.some(({ whole }) => whole)) return maskedTag(turn.ordinal)
  const tokens = tokensOf(looked)
  const rest = isMaskedWhole
    ? 'and there is nothing else in it; what stands beside the thoughts of other turns is trained'
    : 'the rest of the turn is trained'
  return `${tokenCount(tokens)} of reasoning in assistant turn ${turn.ordinal} ${tokens === 1 ? 'is' : 'are'} masked, ${rest}`
}
