import { Hash64 } from '../../model/hash.ts'
import type { CheckStatus, Finding } from '../../model/report.ts'
import type { Steps } from '../../model/steps.ts'
import { weightUnits } from '../../model/weight.ts'
import type { Check, CheckTally, DumpFault, DumpReporter, DumpView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { boundaryIn, createTally } from './tally.ts'

/** What a check over the whole dump said: its sums, its findings, and whether it could decide at all. */
export interface DumpVerdict {
  readonly tally: CheckTally
  readonly findings: readonly Finding[]
  readonly abstained: {
    readonly status: Extract<CheckStatus, 'not-checkable' | 'not-applicable'>
    readonly reason: string
  } | null
  /** Numbers over the whole dump that belong to every finding; null where the check states none. */
  readonly context: Readonly<Record<string, unknown>> | null
}

/** Runs the part of a check that looks at groups or at the whole dump, in its steps. */
export function* runningDumpCheck(check: Check, view: DumpView): Steps<DumpVerdict> {
  const tally = createTally()
  const findings: Finding[] = []
  let abstained: DumpVerdict['abstained'] = null
  let context: DumpVerdict['context'] = null
  const allIntended = view.settings.policy.intended.includes(check.code)
  const report: DumpReporter = {
    unit(affected) {
      tally.checked++
      if (affected && allIntended) tally.intended++
      else if (affected) tally.affected++
    },
    unitAfterAll(at) {
      if (allIntended) tally.intended++
      else tally.affected++
      report.placeAfterAll(at)
    },
    placeAfterAll({ turn, boundary, endsRow } = {}) {
      tally.placesAffected++
      if (turn !== undefined) countTurn(tally.byTurn, turn)
      if (turn !== undefined && endsRow) countTurn(tally.byTurnAtEnd, turn)
      if (boundary !== undefined) boundaryIn(tally, boundary).affected++
    },
    place(affected, at) {
      tally.placesChecked++
      if (affected) tally.placesAffected++
      if (at?.turn !== undefined) {
        countTurn(tally.byTurnChecked, at.turn)
        if (check.ofRowEnd) countTurn(tally.byTurnCheckedAtEnd, at.turn)
        if (affected) countTurn(tally.byTurn, at.turn)
        if (affected && check.ofRowEnd) countTurn(tally.byTurnAtEnd, at.turn)
      }
      if (at?.boundary !== undefined) {
        const count = boundaryIn(tally, at.boundary)
        count.checked++
        if (affected) count.affected++
      }
    },
    fault(fault) {
      tally.affectedTokens += fault.affectedTokens ?? 0
      tally.affectedWeight += weightUnits(fault.affectedWeight ?? 0)
      findings.push(findingOf(check, fault, allIntended || fault.intended === true))
    },
    context(numbers) {
      context = numbers
    },
    abstain(status, reason) {
      abstained = { status, reason }
    },
  }
  const steps = check.dump?.(view, report)
  if (steps) yield* steps
  return { tally, findings, abstained, context }
}

/** Why it proves nothing that a check found nothing, in a sentence; null where it does prove something. */
export function* findingUnproved(check: Check, tally: CheckTally, view: DumpView): Steps<string | null> {
  const told = check.unproved?.(tally, view) ?? null
  return told === null || typeof told === 'string' ? told : yield* told
}

function countTurn(counts: Record<string, number>, turn: number): void {
  counts[turn] = (counts[turn] ?? 0) + 1
}

function findingOf(check: Check, fault: DumpFault, intended: boolean): Finding {
  const member = fault.member ?? null
  const group = fault.group ?? null
  const scope = fault.scope ?? (member !== null ? 'trajectory' : group !== null ? 'group' : 'source')
  const place = member?.place ?? null
  const source = place?.source ?? group?.members[0]?.place.source ?? 0
  const hash = new Hash64().text(check.code)
  if (member !== null) hash.text(member.recordHash).word(member.place.part)
  else for (const { recordHash, place } of inAnyOrder(group?.members ?? [])) hash.text(recordHash).word(place.part)
  if (fault.turn) hash.word(fault.turn.index)
  if (fault.tokens) hash.word(fault.tokens.start).word(fault.tokens.end)
  return {
    code: check.code,
    severity: fault.severity ?? check.severity,
    scope,
    source,
    record: place?.record ?? null,
    part: place?.part ?? null,
    trajectory: member?.id ?? null,
    group: group?.id ?? member?.group ?? null,
    members:
      scope === 'group' && group !== null
        ? group.members.map((sibling) => ({ ...sibling.place, trajectory: sibling.id }))
        : null,
    turn: fault.turn?.index ?? null,
    tokens: fault.tokens ? [fault.tokens.start, fault.tokens.end] : null,
    fingerprint: hash.digest(),
    message: fault.message,
    evidence: fault.evidence ?? {},
    ...(intended ? { intended: true } : {}),
  }
}

/** As their records order them: a trainer that writes rollouts as they finish lists those of a group otherwise each time. */
function inAnyOrder(members: readonly TrajectoryFacts[]): TrajectoryFacts[] {
  const before = (a: TrajectoryFacts, b: TrajectoryFacts) =>
    a.recordHash === b.recordHash ? a.place.part - b.place.part : a.recordHash < b.recordHash ? -1 : 1
  return [...members].sort(before)
}
