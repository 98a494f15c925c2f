import { count } from '../../model/number-text.ts'
import type { Steps } from '../../model/steps.ts'
import type { AuditSettings, Check, DumpReporter, DumpView, Reporter, TrajectoryView } from '../check.ts'
import { lastWords } from '../texts/before-answer.ts'
import { documentFates } from '../texts/supporting-documents.ts'
import { limitsSoFar, reachedLimit } from './ending.ts'
import { rewardByVisibility } from './reward-splits.ts'

/**
 * C09. Supporting documents that the environment brought are not in the ids that the answer is trained on. A document that was never
 * retrieved is the policy's own failure and no fault; without messages nothing tells the two apart.
 */
export const evidenceLost: Check = {
  code: 'C09',
  name: 'evidence-lost',
  title: 'Retrieved evidence is not visible at the answer',
  hypotheses: ['H04'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'messages', 'documents', 'tokenizer'],
  looksAt: 'rollouts with retrieved supporting documents',
  why: 'The reward was earned with documents that the trained sequence does not hold: right answers are learned as guesses.',
  fix: 'Raise the sequence limit, return shorter replies, or leave rollouts out whose evidence was cut.',
  cite: 'bdsaglam/rlvr, hypothesis H04; verifiers#637',
  ofRoles: true,
  trajectory: lookAtDocuments,
  dump: stateRewards,
}

/** What visibility is worth: the question of H04. */
function* stateRewards({ facts }: DumpView, report: DumpReporter): Steps<void> {
  const split = yield* rewardByVisibility(facts)
  if (split !== null) report.context({ mean_reward: { all_visible: split.visible, some_hidden: split.hidden } })
}

function lookAtDocuments(view: TrajectoryView, settings: AuditSettings, report: Reporter): void {
  const { facts, segmentation, trajectory } = view
  const counts = facts.supportingDocuments
  if (segmentation === null || counts === null || (counts.retrieved ?? 0) === 0) return
  // A row that is masked whole learns nothing from it; a branch may have dropped its history on purpose.
  if (facts.trained === 0 || facts.excluded || facts.branchOf !== null) return
  const fates = documentFates(trajectory, view) ?? []
  const lost = fates.filter(({ retrieved, visible }) => retrieved && !visible)
  report.place(lost.length > 0)
  const answer = lastWords(segmentation, view)
  if (lost.length === 0 || answer === undefined) return
  report.fault({
    tokens: { start: answer.start, end: answer.end },
    message: `${count(lost.length)} of ${count(counts.retrieved as number)} supporting documents that were retrieved are not visible at the answer`,
    evidence: {
      available: fates.map(({ id }) => id),
      retrieved: fates.flatMap(({ id, retrieved }) => (retrieved ? [id] : [])),
      visible: fates.flatMap(({ id, visible }) => (visible ? [id] : [])),
      not_visible: lost.map(({ id, title }) => (title === null ? id : `${id}: ${title}`)),
      limit: reachedLimit(facts, limitsSoFar(settings), settings.thresholds),
      reward: facts.reward,
      end: facts.endReason,
      length: facts.realLength,
    },
  })
}
