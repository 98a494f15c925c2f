import { forEachOf, type Steps } from '../../model/steps.ts'
import type { Check, DumpReporter, DumpView } from '../check.ts'
import type { TrajectoryFacts } from '../facts.ts'
import { equalByChance, sampledTokens } from '../groups/copies.ts'

/**
 * S04. The same ids again. The first copy is not counted: it is the others that should not be there. Short answers are the same by chance,
 * and those that the policy gives often: they are copies where a record is in two files.
 */
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
  const isChance = chances(view)
  return forEachOf(view.facts, (facts) => {
    const { idsHash } = facts
    // Rows of nothing but padding are all alike, and copies of none.
    if (idsHash === null || facts.realLength === 0) return
    const original = first.get(idsHash)
    if (original === undefined) first.set(idsHash, facts)
    const isCopy = !isChance(facts) && original !== undefined
    report.unit(isCopy)
    report.place(isCopy)
    if (!isCopy) return
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

/** Tells, rollout by rollout, whether another one like it would be there by chance. */
function chances({ groups, settings: { thresholds } }: DumpView): (facts: TrajectoryFacts) => boolean {
  const often = new Set(groups.flatMap((group) => equalByChance(group, thresholds)))
  const sources = new Map<string, number>()
  return (facts) => {
    const sampled = sampledTokens(facts)
    if (!often.has(facts) && (sampled === 0 || sampled >= thresholds['duplicate-tokens'])) return false
    const source = sources.get(facts.recordHash)
    if (source === undefined) sources.set(facts.recordHash, facts.place.source)
    return source === undefined || source === facts.place.source
  }
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
