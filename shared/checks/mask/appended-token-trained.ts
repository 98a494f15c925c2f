import { finite } from '../../model/finite.ts'
import { Provenance } from '../../model/tokens.ts'
import type { Check, TrajectoryView } from '../check.ts'
import { edgeAfter, writtenTurns } from '../edges.ts'
import { haveUnfitLogprobs } from '../layout/unfit-arrays.ts'
import { isPlaceholder, pairsOf } from '../logprobs/scored.ts'
import { isExample } from '../prompt-end.ts'
import { hidesEdges, isSwallowed } from '../shape.ts'
import { storedResponse } from '../template/drift.ts'

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
  trajectory(view, _settings, report) {
    const { segmentation, trajectory } = view
    if (segmentation === null || hidesEdges(view)) return
    if (trajectory.sampled === null && trajectory.logprobs.sampler === null) return
    for (const turn of writtenTurns(segmentation)) {
      const at = turn.endToken
      if (at < 0 || view.mask?.[at] !== 1 || isSwallowed(view, turn)) continue
      // A turn of which nothing was sampled is no turn that a framework closed: an example that is trained is M01.
      if (isExample(view, turn)) continue
      if (trajectory.sampled !== null && trajectory.sampled[turn.contentEnd - 1] !== 1) continue
      const proof = appendedBy(view, at)
      report.place(proof !== null, { turn: turn.ordinal, boundary: edgeAfter(segmentation, turn), token: at })
      if (proof === null) continue
      report.fault({
        turn,
        tokens: { start: at, end: at + 1 },
        message: `The end token of assistant turn ${turn.ordinal} carries loss and was not sampled: ${proof}`,
        evidence: {
          id: view.ids[at],
          sampler_logprob: finite(trajectory.logprobs.sampler?.[at]),
          trainer_logprob: finite(trajectory.logprobs.trainer?.[at]),
          finish_reason: trajectory.finishReason,
        },
      })
    }
  },
  dump({ streams }, report) {
    if (!streams.has('sampled') && !streams.has('logprobs.sampler')) {
      report.abstain('not-checkable', 'the dump carries neither sampled flags nor sampler logprobs')
    }
  },
}

/** What says that the token at `at` was not sampled; null where nothing does, or one witness alone that can be wrong. */
function appendedBy(view: TrajectoryView, at: number): string | null {
  const { sampled, logprobs } = view.trajectory
  if (sampled !== null) return sampled[at] === 0 ? 'the dump flags it as not sampled' : null
  if (haveUnfitLogprobs(view.trajectory)) return null
  const stored = storedResponse(view.trajectory)
  if (stored !== null && logprobs.sampler?.[at] === 0 && endsBefore(view.ids, at, stored.ids)) {
    return `its sampler logprob is exactly 0, and ${stored.name} ends before it`
  }
  const trainer = logprobs.trainer?.[at] ?? Number.NaN
  // A trainer that disagrees all over the row is no witness for one of its tokens.
  const pairs = pairsOf(view)
  if (!(trainer < view.thresholds['contradicts-zero']) || pairs?.trainerIsOff) return null
  if (logprobs.sampler?.[at] === 0) {
    // Where the words before it have none either, it is not the end that was appended (L05).
    if (pairs === null || pairs.onlyFillers || !isPlaceholder(pairs, at) || isPlaceholder(pairs, at - 1)) return null
    return `its sampler logprob is exactly 0, the trainer's ${trainer.toFixed(2)}`
  }
  if (view.provenance?.[at] !== Provenance.notSampled) return null
  return `the sampler has no logprob for it, the trainer's is ${trainer.toFixed(2)}`
}

/** The stored ids are those of the sequence up to the token at `at`, which they do not have. */
function endsBefore(ids: Int32Array, at: number, stored: Int32Array): boolean {
  const start = at - stored.length
  return start >= 0 && stored.every((id, i) => ids[start + i] === id)
}
