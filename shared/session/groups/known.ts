import type { DumpView, GroupView } from '../../checks/check.ts'
import { copiesIn } from '../../checks/groups/copies.ts'
import { type GroupSpread, isNoise } from '../../checks/groups/scaling.ts'
import type { Finding, Severity } from '../../model/report.ts'
import { worstOf } from '../audit/collected.ts'
import type { GroupKind, GroupMark } from '../requests/groups.ts'

/** What is known of one group before anything of it is read again. */
export interface KnownGroup {
  readonly group: GroupView
  readonly kind: GroupKind
  /** Null in incomplete groups. */
  readonly spread: GroupSpread | null
  readonly copies: number
  readonly untrained: number
  readonly largestAdvantage: number | null
  readonly findings: readonly Finding[]
  readonly worst: Severity | null
}

/**
 * @param spread null in incomplete groups
 * @param named findings of groups of this id
 */
export function knownGroup(
  group: GroupView,
  spread: GroupSpread | null,
  named: readonly Finding[],
  { settings }: DumpView,
): KnownGroup {
  const findings = named.filter((finding) => isAbout(finding, group))
  return {
    group,
    spread,
    kind: kindOf(spread),
    copies: copiesIn(group, settings.thresholds).reduce((sum, same) => sum + same.length - 1, 0),
    untrained: untrainedIn(group),
    largestAdvantage: largestAdvantage(group),
    findings,
    worst: worstOf(findings),
  }
}

function kindOf(spread: GroupSpread | null): GroupKind {
  if (spread === null) return 'incomplete'
  if (!spread.contrast) return 'dead'
  return isNoise(spread) ? 'noise' : 'contrast'
}

export function marksOf({ copies, untrained, worst }: KnownGroup): GroupMark[] {
  return [
    ...(copies > 0 ? (['copies'] as const) : []),
    ...(untrained > 0 ? (['untrained'] as const) : []),
    ...(worst === 'error' || worst === 'warning' ? (['findings'] as const) : []),
  ]
}

/** Rollouts without a trained token, in groups where others train. */
export function untrainedIn({ complete, members }: GroupView): number {
  if (!complete || !members.some(({ trained }) => (trained ?? 0) > 0)) return 0
  return members.filter(({ trained }) => trained === 0).length
}

function largestAdvantage({ members }: GroupView): number | null {
  const sizes = members.flatMap(({ advantage, maxAdvantage }) =>
    advantage === null && maxAdvantage === null ? [] : Math.max(Math.abs(advantage ?? 0), maxAdvantage ?? 0),
  )
  return sizes.length === 0 ? null : sizes.reduce((a, b) => Math.max(a, b))
}

export function findingsByGroup(findings: readonly Finding[]): Map<string, Finding[]> {
  const found = new Map<string, Finding[]>()
  for (const finding of findings) {
    if (finding.scope !== 'group' || finding.group === null) continue
    const own = found.get(finding.group)
    if (own === undefined) found.set(finding.group, [finding])
    else own.push(finding)
  }
  return found
}

/** Groups of two files may have one id. */
function isAbout({ members }: Finding, group: GroupView): boolean {
  const first = group.members[0]?.place
  const named = members?.[0]
  if (first === undefined || named === undefined) return true
  return first.source === named.source && first.record === named.record && first.part === named.part
}
