import { queryOf } from '../../renderer/state/query-text.ts'
import type { DumpView } from '../../shared/checks/check.ts'
import { cutAgainstSiblings } from '../../shared/checks/truncation/prompt-cut-left.ts'
import { toldEnds } from '../../shared/checks/truncation/told-ends.ts'
import type { RolloutFilter } from '../../shared/model/report.ts'
import { RolloutColumns } from '../../shared/query/columns.ts'
import type { QueryNode } from '../../shared/query/language/ast.ts'
import { parseQuery } from '../../shared/query/language/parse.ts'
import { planQuery } from '../../shared/query/plan.ts'
import { NO_MARKS, Verdict, verdictsOf } from '../../shared/query/verdicts.ts'

/** Indices of the rollouts that the screen lists for a number with such a filter. */
export function foundBy(dump: DumpView, where: RolloutFilter | undefined): number[] {
  const { facts } = dump
  const columns = new RolloutColumns({
    facts,
    codeLists: () => ({ lists: [[]], at: new Int32Array(facts.length) }),
    worstRanks: () => new Uint8Array(facts.length),
    beginLater: () => cutAgainstSiblings(dump),
    openEnds: () => toldEnds(dump).open,
    refutedStops: () => toldEnds(dump).refuted,
    limits: () => dump,
    sourceName: () => '',
  })
  columns.at(1)
  const { root } = parseQuery(queryOf({ where: where ?? null }))
  const known = { columns, marks: NO_MARKS, probed: () => new Uint8Array(0), answered: new Map() }
  const verdicts = verdictsOf(planQuery(root as QueryNode).whole, known)
  return facts.flatMap((_, index) => (verdicts[index] === Verdict.yes ? [index] : []))
}
