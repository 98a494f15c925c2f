import { finite } from '../../model/finite.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Check, DumpReporter, DumpView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { endsDenied } from '../logprobs/lone-zeros.ts'
import { edgeAfter, writtenTurns } from '../oracles/edges.ts'
import { hidesEdges } from '../oracles/shape.ts'
import { appendedBy, type DeniedEnd, denial, isAsked } from './appended-by.ts'

export const M14: Check = {
  code: 'M14',
  name: 'appended-token-trained',
  title: 'An end token that was appended is trained',
  hypotheses: ['H02'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'tokenizer'],
  looksAt: 'trained end tokens of assistant turns that can be told from sampled ones',
  why: 'The framework closed the turn in place of the model; training that token rewards a stop that was never chosen.',
  fix: 'Leave the loss mask 0 on end tokens that the framework appends.',
  cite: 'SkyRL#758, SkyRL#508, open-instruct#1876',
  hiddenBy: ['M06', 'M07'],
  namesUnwritten: true,
  trajectory(view, _settings, report) {
    const { segmentation, trajectory } = view
    if (segmentation === null || hidesEdges(view)) return
    if (trajectory.sampled === null && trajectory.logprobs.sampler === null) return
    // Of the only one that the trainer alone denies the other rollouts tell whether it is noise.
    const open = view.facts.deniedEnd?.token
    for (const turn of writtenTurns(segmentation)) {
      if (!isAsked(view, turn)) continue
      const at = turn.endToken
      const proof = at === open ? null : appendedBy(view, at)
      report.place(proof !== null, { turn: turn.ordinal, boundary: edgeAfter(segmentation, turn), token: at })
      if (proof === null) continue
      report.fault({
        turn,
        tokens: { start: at, end: at + 1 },
        message: described(turn.ordinal, proof.says),
        evidence: {
          id: view.ids[at],
          sampler_logprob: finite(trajectory.logprobs.sampler?.[at]),
          trainer_logprob: finite(trajectory.logprobs.trainer?.[at]),
          finish_reason: trajectory.finishReason,
        },
      })
    }
  },
  dump: lookOverRollouts,
}

function* lookOverRollouts({ streams, facts, settings }: DumpView, report: DumpReporter): Steps<void> {
  if (!streams.has('sampled') && !streams.has('logprobs.sampler')) {
    report.abstain('not-checkable', 'the dump carries neither sampled flags nor sampler logprobs')
  }
  const found = yield* within(0, 0.5, endsDenied(facts, settings.thresholds))
  yield* within(
    0.5,
    1,
    forEachOf(found, (member) => tellDenied(member, report)),
  )
}

function tellDenied(member: TrajectoryFacts, report: DumpReporter): void {
  const { token, id, trainer, turn, ordinal, boundary, endsRow } = member.deniedEnd as DeniedEnd
  report.unitAfterAll({ turn: ordinal, boundary, endsRow })
  report.fault({
    member,
    scope: 'tokens',
    turn: { index: turn },
    tokens: { start: token, end: token + 1 },
    affectedTokens: 1,
    affectedWeight: (member.weight ?? 0) / (member.trained || 1),
    message: described(ordinal, denial(trainer)),
    evidence: { id, sampler_logprob: 0, trainer_logprob: trainer, finish_reason: member.finishReason },
  })
}

function described(ordinal: number, proof: string): string {
  return `The end token of assistant turn ${ordinal} carries loss and was not sampled: ${proof}`
}
