import { count, counted } from '../../model/number-text.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { DumpReporter, DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { limitOfRow } from '../limits/limits.ts'
import { answeredEdges } from '../oracles/edges.ts'

/** Fewer siblings that have their end tokens show no custom. */
const FEWEST_CLOSED = 2

/** Answered turns without their end tokens, of which only other rollouts tell whether a stop string leaves them open. */
export function* lookAtOpenTurns(view: DumpView, report: DumpReporter): Steps<void> {
  const columns = new FactColumns(view.facts)
  if (columns.isEmpty('openTurns') && columns.isEmpty('openCalls')) return
  const later = new Set(laterCalls(view, columns))
  yield* within(0, 0.5, lookAtGroups(view, report, later))
  const look = (member: TrajectoryFacts) => {
    const end = (member.openCalls as readonly [number, number])[1]
    tell(report, member, {
      message: `Its calls have no end token from behind token ${count(end - 1)} on, and those before have theirs: so it is in ${counted(later.size, 'rollout')}, and in hardly any the other way round`,
      evidence: { rollouts: later.size },
    })
  }
  yield* within(0.5, 1, forEachOf([...later], look))
}

/**
 * Rollouts whose first calls alone have their end tokens, where hardly any has theirs the other way round: a string that ends a call now and then before
 * its end token does would leave the first open as often. Several, since a few fall so by chance.
 */
function laterCalls(view: DumpView, columns: FactColumns): TrajectoryFacts[] {
  const { 'systematic-share': share, 'systematic-subset-units': several } = view.settings.thresholds
  const rows = columns.having('openCalls').filter((row) => !mayReachLimit(view, row))
  if (rows.length < several) return []
  const others = columns.holds('openCalls', (place) => place === null).reduce((sum, holds) => sum + holds, 0)
  return rows.length >= share * (rows.length + others) ? rows : []
}

/**
 * Turns that are answered lack their end tokens, and those of most siblings of the rollout, answered by the same, have theirs. Within a group only: other
 * environments of a dump may stop on strings.
 */
function lookAtGroups(view: DumpView, report: DumpReporter, told: ReadonlySet<TrajectoryFacts>): Steps<void> {
  return forEachOf(view.groups, ({ members, id }) => {
    const kinds = new Map<number, TrajectoryFacts[]>()
    for (const member of members) {
      const kind = answeredEdges(member.edges ?? 0)
      if (kind !== 0) kinds.set(kind, [...(kinds.get(kind) ?? []), member])
    }
    for (const alike of kinds.values()) {
      const open = alike.filter(({ openTurns }) => openTurns !== undefined)
      const closed = alike.length - open.length
      if (closed < FEWEST_CLOSED || closed <= open.length) continue
      for (const member of open) {
        const place = member.openTurns ?? member.openCalls
        if (!place || told.has(member) || mayReachLimit(view, member)) continue
        tell(report, member, {
          message: `${member.openTurns ? 'Its answered turns' : 'Some of its calls'} have no end token, the first of them behind token ${count(place[1] - 1)}, and those of ${count(closed)} other rollouts of group ${id} have theirs`,
          evidence: {
            open_in_group: open.length,
            closed_in_group: closed,
            compared_with: alike.find(({ openTurns }) => openTurns === undefined)?.id ?? null,
          },
        })
      }
    }
  })
}

function mayReachLimit(view: DumpView, member: TrajectoryFacts): boolean {
  const limit = limitOfRow('max_completion_length', view, member)
  const near = view.settings.thresholds['near-limit-tokens']
  return member.assistantLengths.some((length) => length >= (limit ?? Infinity) - near)
}

function tell(
  report: DumpReporter,
  member: TrajectoryFacts,
  { message, evidence }: { readonly message: string; readonly evidence: Record<string, unknown> },
): void {
  const [start, end] = (member.openTurns ?? member.openCalls) as readonly [number, number]
  report.unitAfterAll()
  report.fault({ member, tokens: { start, end }, message, evidence })
}
