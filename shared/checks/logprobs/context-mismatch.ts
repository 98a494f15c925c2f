import { count, counted } from '../../model/number-text.ts'
import { type Steps, within } from '../../model/steps.ts'
import type { Check, DumpFault, DumpReporter, DumpView, Reporter, TrajectoryView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { edgeBefore, writtenTurns } from '../oracles/edges.ts'
import { type ContextOfAll, contextOfAll } from './context-of-all.ts'
import { type GapShape, gapOf } from './gap.ts'
import type { TurnGap } from './gap-turns.ts'
import { type DeniedLater, deniedLater, type LaterDenials } from './later-denials.ts'
import { unprovedByOneArray } from './one-array.ts'
import { pairsOf } from './scored.ts'
import { digits } from './text.ts'

/** L02. The trainer computed its logprobs behind another context than the one that was sampled from. */
export const L02: Check = {
  code: 'L02',
  name: 'gap-after-boundary',
  title: "Trainer logprobs lie below the sampler's, as behind another context",
  hypotheses: ['H02', 'H07'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'logprobs.sampler', 'logprobs.trainer'],
  looksAt: 'assistant turns with enough tokens that both sampler and trainer scored',
  why: 'What was sampled is scored behind a prompt, schema or reply that the trainer does not see as the sampler did: the gradient is for another question.',
  fix: 'Compare the ids and the attention mask of the forward pass with what was sent to the sampler, at the first turn named here.',
  cite: 'prime-rl#1352, prime-rl#1402, rllm#272',
  hiddenBy: ['L06'],
  trajectory(view, { thresholds }, report) {
    const gap = gapOf(view)
    if (gap === null) return
    // Turns are measured only where the gap is large enough to ask; elsewhere they have been looked at as one.
    if (gap.turns.length === 0) placeScoredTurns(view, report)
    const means = gap.affectedTurns.length === 0 ? [] : gap.turns.map(({ mean }) => mean)
    for (const each of gap.turns) {
      const { turn } = each
      const affected = gap.affectedTurns.includes(each)
      report.place(
        affected,
        turn === null || view.segmentation === null
          ? undefined
          : { turn: turn.ordinal, boundary: edgeBefore(view.segmentation, turn) },
      )
      if (!affected) continue
      report.fault({
        turn,
        tokens: { start: each.start, end: each.end },
        message: () => describe(each, gap, thresholds['turn-gap-times']),
        evidence: () => ({
          mean_gap: each.mean,
          mean_gap_of_first_tokens: each.head,
          mean_gap_of_the_rest: each.tail,
          tokens: each.count,
          seen: gap.contextSeen,
          onset: gap.affectedTurns[0]?.start,
          mean_gap_by_turn: means,
          attention_mask_stored: view.trajectory.attentionMask !== null,
        }),
      })
    }
  },
  dump: lookOverRollouts,
  unproved: unprovedByOneArray,
}

function* lookOverRollouts(dump: DumpView, report: DumpReporter): Steps<void> {
  const later = yield* within(0, 0.4, deniedLater(dump))
  tellLater(later, report)
  const found = yield* within(0.4, 1, contextOfAll(dump))
  const isTold = new Set(later?.members)
  for (const member of found?.members ?? []) {
    if (isTold.has(member)) continue
    report.unitAfterAll()
    report.fault(asInOthers(member, found as ContextOfAll))
  }
}

function asInOthers(member: TrajectoryFacts, { shown, scored }: ContextOfAll): DumpFault {
  const { tilt, weight } = member
  const { count: tokens = 0, sum = 0, absolute = 0 } = member.gap ?? {}
  return {
    member,
    tokens: tilt === undefined ? null : { start: tilt.span[0], end: tilt.span[1] },
    affectedTokens: tokens,
    affectedWeight: weight ?? 0,
    message: `The trainer finds the trained tokens less likely than the sampler did, by ${digits(sum / tokens)} a token on average, as ${count(shown)} of ${counted(scored, 'rollout')} show it: a context that differs, or weights that the sampler never got`,
    evidence: {
      mean_gap: sum / tokens,
      mean_absolute_gap: absolute / tokens,
      tokens,
      shown_in: shown,
      rollouts: scored,
    },
  }
}

/** Where too few tokens of a turn are off to tell by themselves, all rollouts tell together. */
function tellLater(found: DeniedLater | null, report: DumpReporter): void {
  for (const member of found?.members ?? []) {
    const { first, later, turn, span } = member.laterDenials as LaterDenials
    const [tokens = 0, denied = 0] = later
    report.unitAfterAll({ turn })
    report.fault({
      member,
      tokens: { start: span[0], end: span[1] },
      affectedTokens: denied,
      affectedWeight: ((member.weight ?? 0) * denied) / (member.trained || 1),
      message: `From assistant turn ${turn} on the trainer finds ${count(denied)} of ${counted(tokens, 'token')} that the sampler was sure of half as likely or less, in turn 1 ${count(first[1] ?? 0)} of ${count(first[0] ?? 0)}; so it is in all ${counted(found?.asked ?? 0, 'such rollout')} together`,
      evidence: {
        sure_tokens: tokens,
        denied,
        sure_tokens_of_first_turn: first[0],
        denied_in_first_turn: first[1],
        share_in_all: found?.laterShare,
        share_in_all_first_turns: found?.firstShare,
        rollouts: found?.asked,
      },
    })
  }
}

function placeScoredTurns(view: TrajectoryView, report: Reporter): void {
  const { segmentation } = view
  const tokens = pairsOf(view)?.tokens ?? new Int32Array(0)
  if (segmentation === null) {
    report.place(false)
    return
  }
  let at = 0
  for (const turn of writtenTurns(segmentation)) {
    while (at < tokens.length && (tokens[at] as number) < turn.contentStart) at++
    if (at === tokens.length) return
    if ((tokens[at] as number) < turn.end) {
      report.place(false, { turn: turn.ordinal, boundary: edgeBefore(segmentation, turn) })
    }
  }
}

function describe({ turn, mean, head, tail }: TurnGap, { turns, contextSeen }: GapShape, times: number): string {
  const where = turn === null ? 'the trained tokens' : `assistant turn ${turn.ordinal}`
  const first = turns[0] as TurnGap
  if (contextSeen === 'in every turn') {
    const all = turns.length > 1 ? ' and no turn of the rollout much better' : ''
    return `The trainer finds ${where} less likely than the sampler did, by ${digits(mean)} a token from its beginning to its end${all}: a context that differs from the start, or weights that the sampler never got`
  }
  if (first.turn !== turn && first.meanAbsolute * times <= mean) {
    return `The trainer finds ${where} less likely than the sampler did, by ${digits(mean)} a token on average; in turn 1 they differ by ${digits(first.meanAbsolute)}`
  }
  return `The trainer finds the beginning of ${where} less likely than the sampler did, by ${digits(head)} a token, and by ${digits(tail)} after it`
}
