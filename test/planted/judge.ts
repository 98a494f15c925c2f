import { checkByCode } from '../../shared/checks/registry.ts'
import type { Finding, HypothesisResult } from '../../shared/model/report.ts'
import type { Span } from '../../shared/model/tokens.ts'
import { type AuditedDump, faultsOf, summary, told, verdictOf } from './audit.ts'
import { copyOf, inGroups, type PlantedDump } from './dump.ts'
import type { Pattern, Plant, PlantContext } from './plant.ts'
import type { PlantedRollout } from './rollout.ts'
import { credit } from './scores.ts'
import type { FormatName } from './writers/registry.ts'

/** A damaged dump, and what must be reported of it. */
export interface Damaged {
  readonly dump: PlantedDump
  /** Indices of the rollouts that have the fault, with the tokens within which it must be found; null: not to be held against. */
  readonly planted: ReadonlyMap<number, readonly Span[]> | null
  /** Keys of the groups that have it, for faults of groups. */
  readonly groups: ReadonlySet<string>
}

/** Of 64 rollouts, or of the groups of a dump. */
const SPORADIC = 2

/** Damages copies of what a clean dump holds: everywhere, or in two places. */
export function damage(clean: PlantedDump, plant: Plant, context: PlantContext): Damaged {
  const rollouts = [...clean.rollouts]
  const dump: PlantedDump = { ...clean, rollouts }
  const most = context.pattern === 'systematic' ? Number.POSITIVE_INFINITY : SPORADIC
  if (plant.dump) {
    rollouts.splice(0, rollouts.length, ...rollouts.map(copyOf))
    const named = plant.dump(dump, context)
    if (!plant.keepAdvantages) for (const members of inGroups(rollouts)) credit(members, dump.scheme)
    const planted = named && new Map(named.map((rollout) => [rollouts.indexOf(rollout), []]))
    return { dump, planted, groups: new Set() }
  }
  if (plant.group) {
    const groups = new Set<string>()
    for (const members of context.random.shuffle(inGroups(clean.rollouts))) {
      if (groups.size >= most) break
      const copies = members.map(copyOf)
      if (plant.group(copies, context) === null) continue
      if (!plant.keepAdvantages) credit(copies, dump.scheme)
      for (const [index, member] of members.entries())
        rollouts[rollouts.indexOf(member)] = copies[index] as PlantedRollout
      groups.add(copies[0]?.group ?? '')
    }
    return { dump, planted: null, groups }
  }
  const planted = new Map<number, readonly Span[]>()
  for (const index of context.random.shuffle([...rollouts.keys()])) {
    if (planted.size >= most) break
    const copy = copyOf(rollouts[index] as PlantedRollout)
    const place = plant.rollout?.(copy, context) ?? null
    if (place === null) continue
    rollouts[index] = copy
    planted.set(index, place)
  }
  if (!plant.keepAdvantages) creditAgain(dump, planted)
  return { dump, planted, groups: new Set() }
}

/** The trainer computes advantages of what it has: groups with a damaged member get theirs anew. */
function creditAgain({ rollouts, scheme }: PlantedDump, planted: ReadonlyMap<number, readonly Span[]>): void {
  const touched = new Set([...planted.keys()].map((index) => rollouts[index]?.group))
  for (const [index, rollout] of rollouts.entries()) {
    if (touched.has(rollout.group) && !planted.has(index)) rollouts[index] = copyOf(rollout)
  }
  for (const members of inGroups(rollouts)) if (touched.has(members[0]?.group)) credit(members, scheme)
}

/** Everything in which a report differs from what was planted, in sentences. */
export function misses(
  { dump, planted, groups }: Damaged,
  audited: AuditedDump,
  plant: Plant,
  { format, pattern }: { readonly format: FormatName; readonly pattern: Pattern },
): string[] {
  const { code } = plant
  const problems: string[] = []
  const check = audited.report.checks.find((each) => each.code === code)
  const faults = faultsOf(audited)
  const own = faults.filter((fault) => fault.code === code)
  const count = planted?.size ?? groups.size
  if ((planted !== null || groups.size > 0) && count === 0) problems.push('nothing could be planted')
  if (check?.status !== 'fail') {
    problems.push(`${code} is ${check?.status ?? 'not listed'}${check?.reason ? ` (${check.reason})` : ''}`)
  } else if (check.pattern !== (pattern === 'sporadic' ? ofTwo(plant, format) : pattern)) {
    problems.push(
      `${code} is ${check.pattern}: ${check.affected} of ${check.checked} units, ${check.places.affected} of ${check.places.checked} places`,
    )
  }
  if (planted !== null)
    problems.push(...wrongUnits(audited, own, planted), ...wrongPlaces(dump, audited, own, planted, plant))
  if (groups.size > 0) problems.push(...wrongGroups(dump, own, groups))
  const severity = severityOf(plant, format)
  problems.push(...own.filter((fault) => fault.severity !== severity).map((fault) => `not ${severity}: ${told(fault)}`))
  problems.push(...summary(faults.filter((fault) => fault.code !== code && !(fault.code in (plant.alongside ?? {})))))
  if (pattern === (plant.patterns?.[0] ?? 'systematic')) {
    for (const [id, verdict] of Object.entries(plant.verdicts ?? {})) {
      const said = verdictOf(audited, id as HypothesisResult['id'])
      if (said !== verdict) problems.push(`${id} is ${said}, not ${verdict}`)
    }
  }
  return problems
}

function ofTwo({ patternOfTwo = 'sporadic' }: Plant, format: FormatName): Pattern {
  return typeof patternOfTwo === 'function' ? patternOfTwo(format) : patternOfTwo
}

function severityOf({ severity, code }: Plant, format: FormatName) {
  if (typeof severity === 'function') return severity(format)
  return severity ?? checkByCode(code)?.severity
}

function keyOf({ record, part }: Finding): string {
  return `${record}.${part}`
}

function wrongUnits({ written, report }: AuditedDump, own: readonly Finding[], planted: ReadonlyMap<number, unknown>) {
  const expected = new Set([...planted.keys()].map((index) => written.places[index] as string))
  const found = new Set(own.flatMap(named))
  const missed = [...expected].filter((place) => !found.has(place))
  const wrong = [...found].filter((place) => !expected.has(place))
  const affected = report.checks.find(({ code }) => code === own[0]?.code)?.affected
  return [
    ...(missed.length > 0 ? [`missed in ${missed.length} of ${expected.size} rollouts: ${missed.slice(0, 5)}`] : []),
    ...(wrong.length > 0 ? [`reported in ${wrong.length} rollouts that are clean: ${wrong.slice(0, 5)}`] : []),
    ...(own[0]?.record !== null && affected !== undefined && affected !== expected.size
      ? [`${affected} units affected, ${expected.size} planted`]
      : []),
  ]
}

/** Places of the rollouts that a finding is about. */
function named(finding: Finding): string[] {
  if (finding.record !== null) return [keyOf(finding)]
  return (finding.members ?? []).map(({ record, part }) => `${record}.${part}`)
}

function wrongPlaces(
  { rollouts }: PlantedDump,
  { written }: AuditedDump,
  own: readonly Finding[],
  planted: ReadonlyMap<number, readonly Span[]>,
  { perTurn }: Plant,
): string[] {
  const problems: string[] = []
  for (const [index, spans] of planted) {
    if (spans.length === 0) continue
    const findings = own
      .filter((finding) => keyOf(finding) === written.places[index])
      .map((finding) => movedBack(finding, written.moved?.[index] ?? 0))
    const hull = { start: Math.min(...spans.map(({ start }) => start)), end: Math.max(...spans.map(({ end }) => end)) }
    const within = ({ tokens }: Finding, { start, end }: Span) =>
      tokens !== null && start <= tokens[0] && tokens[0] < tokens[1] && tokens[1] <= end
    const outside = findings.find((finding) => !(perTurn ? spans : [hull]).some((span) => within(finding, span)))
    if (outside !== undefined) problems.push(`outside ${hull.start}-${hull.end}: ${told(outside)}`)
    const turnAt = (token: number) => rollouts[index]?.tokens[token]?.turn
    const elsewhere = perTurn && findings.find(({ turn, tokens }) => tokens && turn !== turnAt(tokens[0]))
    if (elsewhere) problems.push(`not turn ${turnAt(elsewhere.tokens?.[0] ?? 0)}: ${told(elsewhere)}`)
    if (perTurn && findings.length !== spans.length)
      problems.push(`${findings.length} findings for ${spans.length} places of rollout ${written.places[index]}`)
  }
  return problems.slice(0, 5)
}

function movedBack(finding: Finding, by: number): Finding {
  const { tokens } = finding
  return tokens === null ? finding : { ...finding, tokens: [tokens[0] - by, tokens[1] - by] }
}

function wrongGroups({ rollouts }: PlantedDump, own: readonly Finding[], groups: ReadonlySet<string>): string[] {
  const expected = new Set([...groups].map((key) => rollouts.findIndex(({ group }) => group === key)))
  const found = new Set(own.map(({ members }) => members?.[0]?.record ?? -1))
  const sizes = rollouts[0]?.groupSize ?? 8
  // A format that holds a group in one record counts records by groups.
  const same = [expected, new Set([...expected].map((index) => index / sizes))].some(
    (places) => places.size === found.size && [...places].every((place) => found.has(place)),
  )
  return same ? [] : [`groups that begin with records ${[...found]}, planted were ${[...expected]}`]
}
