import { forEachOf, type Steps } from '../../model/steps.ts'
import type { Check, DumpReporter, DumpView } from '../check.ts'
import type { TrajectoryFacts } from '../facts.ts'

/** S04. The same ids again. The first copy is not counted: it is the others that should not be there. */
export const duplicates: Check = {
  code: 'S04',
  name: 'duplicate-rows',
  title: 'The same rollout is present more than once',
  hypotheses: [],
  severity: 'info',
  unit: 'trajectory',
  needs: ['ids'],
  looksAt: 'rollouts',
  why: 'A replayed rollout is trained twice, and a group with copies holds fewer samples than it claims.',
  fix: 'Look for a row that was written or loaded twice; within a group, look at the temperature and the sampling seed.',
  cite: 'ms-swift#3450',
  dump: lookAtRows,
}

function lookAtRows(view: DumpView, report: DumpReporter): Steps<void> {
  const first = new Map<string, TrajectoryFacts>()
  return forEachOf(view.facts, (facts) => {
    const { idsHash } = facts
    // Rows of nothing but padding are all alike, and copies of none.
    if (idsHash === null || facts.realLength === 0) return
    const original = first.get(idsHash)
    if (original === undefined) first.set(idsHash, facts)
    report.unit(original !== undefined)
    report.place(original !== undefined)
    if (original === undefined) return
    const sameSource = facts.place.source === original.place.source
    const sameGroup =
      sameSource && facts.group !== null && facts.group === original.group && facts.step === original.step
    report.fault({
      member: facts,
      affectedTokens: facts.trained ?? 0,
      affectedWeight: facts.weight ?? 0,
      message: `All ${facts.realLength} ids are those of ${nameOf(original)}${sameGroup ? ', of the same group' : sameSource ? '' : ', of another file'}`,
      evidence: {
        copy_of: original.id,
        copy_of_place: original.place,
        same_group: sameGroup,
        ids_hash: idsHash,
        rewards: [original.reward, facts.reward],
        identical_records: facts.recordHash === original.recordHash && !isOfOneRecord(facts, original),
      },
    })
  })
}

/** An id may be there and be empty: then its place tells which one is meant. */
function nameOf({ id, line, place }: TrajectoryFacts): string {
  if (id.trim() !== '') return `rollout ${id}`
  return line === undefined ? `record ${place.record}` : `the rollout of line ${line}`
}

/** Two trajectories of one record, such as the members of a group line. */
function isOfOneRecord(a: TrajectoryFacts, b: TrajectoryFacts): boolean {
  return a.place.source === b.place.source && a.place.record === b.place.record
}
