import { count, counted } from '../../model/number-text.ts'
import { forEachOf, type Steps } from '../../model/steps.ts'
import type { Check, DumpReporter, DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { saysBroken } from './broken-prefix.ts'

/** S06. Several rows of one rollout, by declaration: no fault, but what counts rows counts it more than once. */
export const S06: Check = {
  code: 'S06',
  name: 'branching-rollouts',
  title: 'One rollout is several rows',
  hypotheses: [],
  severity: 'info',
  unit: 'trajectory',
  needs: ['ids'],
  looksAt: 'rollouts that declare their branches',
  why: 'Branches and compacted histories share a start and a reward: rates by row weigh such a rollout more than others.',
  fix: 'Nothing, if it is meant; average over rollouts and not over rows.',
  cite: 'verifiers#549, rllm#272, tinker-cookbook#142',
  dump: lookAtBranches,
}

/** One finding tells it for a whole source: it is how the run is written, and not what is wrong with a row. */
function* lookAtBranches(view: DumpView, report: DumpReporter): Steps<void> {
  const sources = new Map<number, Map<string, TrajectoryFacts[]>>()
  const add = (facts: TrajectoryFacts) => {
    const rollout = facts.branchOf as string
    let rollouts = sources.get(facts.place.source)
    if (rollouts === undefined) sources.set(facts.place.source, (rollouts = new Map()))
    const rows = rollouts.get(rollout)
    if (rows === undefined) rollouts.set(rollout, [facts])
    else rows.push(facts)
  }
  yield* forEachOf(new FactColumns(view.facts).having('branchOf'), add)
  for (const rollouts of sources.values()) {
    const branching = [...rollouts].filter(([, rows]) => rows.length > 1)
    for (const [, rows] of rollouts) {
      report.unit(rows.length > 1)
      report.place(rows.length > 1)
    }
    const first = branching[0]
    if (first === undefined) continue
    const rows = branching.reduce((sum, [, each]) => sum + each.length, 0)
    const broken = branching.flatMap(([, each]) => each.filter(({ prefixBroken }) => prefixBroken !== undefined))
    report.fault({
      member: first[1][0] as TrajectoryFacts,
      message: `${count(branching.length)} of ${counted(rollouts.size, 'rollout')} ${severalRows(branching.length, rows)} ${first[0]} with ${count(first[1].length)}${broken[0] === undefined ? '' : ` (${saysBroken(broken[0])})`}`,
      evidence: {
        rollouts: Object.fromEntries(branching.slice(0, 16).map(([id, each]) => [id, each.map(({ place }) => place)])),
        ...(broken.length === 0
          ? {}
          : {
              prefix_broken: broken.length,
              other_splits: broken.filter(({ splitsPrefix }) => splitsPrefix === true).length,
              breaks: broken.slice(0, 16).map(saysBroken),
            }),
        shared_prompt: branching.filter(([, each]) => new Set(each.map(({ promptHash }) => promptHash)).size === 1)
          .length,
      },
    })
  }
}

function severalRows(rollouts: number, rows: number): string {
  return rollouts === 1 ? 'is several rows:' : `are several rows each, ${count(rows)} in all; the first is`
}
