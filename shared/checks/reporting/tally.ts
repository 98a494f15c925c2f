import { Hash64 } from '../../model/hash.ts'
import type { CountedFinding, Finding, Severity } from '../../model/report.ts'
import type { Span, Turn } from '../../model/tokens.ts'
import { weightUnits } from '../../model/weight.ts'
import type { AuditSettings, Check, CheckTally, FaultAt, PlaceAt, Reporter, TrajectoryView } from '../check.ts'
import { rowEnd } from '../oracles/edges.ts'
import type { SoundPlaces } from '../oracles/plain-turns.ts'
import { countOf, joined, lengthOf } from '../oracles/spans.ts'

export function createTally(): CheckTally {
  return {
    checked: 0,
    affected: 0,
    intended: 0,
    placesChecked: 0,
    placesAffected: 0,
    affectedTokens: 0,
    affectedWeight: 0n,
    byTurn: {},
    byTurnAtEnd: {},
    byTurnChecked: {},
    byTurnCheckedAtEnd: {},
    byBoundary: {},
  }
}

/** Adds `from` to `into`. */
export function addTally(into: CheckTally, from: CheckTally): void {
  into.checked += from.checked
  into.affected += from.affected
  into.intended += from.intended
  into.placesChecked += from.placesChecked
  into.placesAffected += from.placesAffected
  into.affectedTokens += from.affectedTokens
  into.affectedWeight += from.affectedWeight
  // In loops and not one by one: it is compiled in each run, and what it calls with it.
  for (let i = 0; i < BY_TURN.length; i++) addCounts(into[BY_TURN[i] as ByTurn], from[BY_TURN[i] as ByTurn])
  for (const boundary in from.byBoundary) {
    const sum = boundaryIn(into, boundary)
    const { checked, affected } = boundaryIn(from, boundary)
    sum.checked += checked
    sum.affected += affected
  }
}

const BY_TURN = ['byTurn', 'byTurnAtEnd', 'byTurnChecked', 'byTurnCheckedAtEnd'] as const satisfies (keyof CheckTally)[]
type ByTurn = (typeof BY_TURN)[number]

function addCounts(into: Record<string, number>, from: Readonly<Record<string, number>>): void {
  // A pair for each turn would be the most that reading leaves behind it.
  for (const turn in from) into[turn] = (into[turn] ?? 0) + (from[turn] as number)
}

export function boundaryIn(tally: CheckTally, boundary: string): { checked: number; affected: number } {
  tally.byBoundary[boundary] ??= { checked: 0, affected: 0 }
  return tally.byBoundary[boundary]
}

/** Names a finding for good: 16 hex digits over the record's content, the part, the code, the turn and the tokens. */
export function fingerprint(
  recordHash: string,
  part: number,
  code: string,
  turn: number | null,
  tokens: Span | null,
): string {
  return fingerprintIn(hashOfPart(recordHash, part), code, turn, tokens)
}

/** What the fingerprints of all findings of one trajectory begin with. */
function hashOfPart(recordHash: string, part: number): Hash64 {
  return new Hash64().text(recordHash).word(part)
}

function fingerprintIn(ofPart: Hash64, code: string, turn: number | null, tokens: Span | null): string {
  return ofPart
    .fork()
    .text(code)
    .word(turn ?? -1)
    .word(tokens?.start ?? -1)
    .word(tokens?.end ?? -1)
    .digest()
}

/**
 * Gathers what one check says of one trajectory. The unit is the trajectory: it counts as looked at once something was reported,
 * and as affected once, however many faults it has. Faults that the policy intends are listed and counted apart.
 */
export class TrajectoryReporter implements Reporter {
  /** Null before the first fault: nearly every check of nearly every trajectory has none. */
  private found: Found | null = null
  private readonly view: TrajectoryView
  private readonly settings: AuditSettings
  private check: Check
  private tally: CheckTally
  private looked = false
  /** Those that the check has told so far, and which of them are affected. */
  private readonly placed: PlaceAt[] = []
  private readonly affects: boolean[] = []
  private places = 0
  /** A place was the whole row. */
  private whole = false
  /** By assistant turn, the check that looked there last (`looks`) times 2, and 1 more where it saw the end of the row alone. */
  private readonly lookedAt: number[] = []
  private looks = 1
  /** That of the last place, and its sums in the tally: one check looks at edges of one kind, or nearly so. */
  private boundary = ''
  private ofBoundary: { checked: number; affected: number } | null = null
  private end: number | null = null
  /** Tokens that the loss covers, or leaves out, because the run means it: those of all checks of masks so far. */
  readonly meant: Span[] = []
  /** Trained tokens of which a check knows, beyond the oracles, that the model did not write them. */
  readonly unwritten: Span[] = []
  /** Null before the first fault. */
  private ofPart: Hash64 | null = null

  /** Where faults are counted alone: no finding is made of them. */
  private readonly counted: CountedFinding[] | null

  /**
   * @param tally what is added to: that of all trajectories, or one of its own
   * @param counted what every fault is added to in place of being told; null where they are told
   */
  constructor(
    check: Check,
    view: TrajectoryView,
    settings: AuditSettings,
    tally: CheckTally = createTally(),
    counted: CountedFinding[] | null = null,
  ) {
    this.check = check
    this.view = view
    this.tally = tally
    this.settings = settings
    this.counted = counted
  }

  /** Goes on with another check of the same trajectory. Call once the one before is finished, or where it has not spoken. */
  turnTo(check: Check, tally: CheckTally): void {
    this.check = check
    this.tally = tally
    this.looks++
  }

  /** The check told of something: else there is nothing to finish. */
  get hasSpoken(): boolean {
    return this.looked || this.places > 0
  }

  /**
   * Kept until the check is done. Every check calls this in its loop: what it does is compiled into each of them, and compiling is most of what a
   * check costs in a dump of some hundred rollouts.
   */
  place(affected: boolean, at: PlaceAt = WHOLE_ROW): void {
    this.affects[this.places] = affected
    this.placed[this.places++] = at
  }

  private countPlaces(): void {
    const isGiven = this.isGiven()
    for (let index = 0; index < this.places; index++) {
      this.countPlace((this.affects[index] as boolean) && !isGiven, this.placed[index] as PlaceAt)
    }
    this.places = 0
  }

  private countPlace(counts: boolean, { turn, boundary, token }: PlaceAt): void {
    this.looked = true
    this.tally.placesChecked++
    if (counts) this.tally.placesAffected++
    if (turn === undefined) this.whole = true
    else {
      this.tally.byTurn[turn] ??= 0
      this.lookAt(turn, this.check.ofRowEnd ?? (token !== undefined && token >= this.rowEnd()))
    }
    if (boundary === undefined) return
    const sums = this.sumsAt(boundary)
    sums.checked++
    if (counts) sums.affected++
  }

  private sumsAt(boundary: string): { checked: number; affected: number } {
    if (this.ofBoundary === null || this.boundary !== boundary) {
      this.boundary = boundary
      this.ofBoundary = boundaryIn(this.tally, boundary)
    }
    return this.ofBoundary
  }

  sound({ count, ordinals, edges, counts, endsRow }: SoundPlaces, byEdge = true): void {
    if (count === 0) return
    const { tally } = this
    this.looked = true
    tally.placesChecked += count
    for (let i = 0; byEdge && i < edges.length; i++)
      boundaryIn(tally, edges[i] as string).checked += counts[i] as number
    for (let i = 0; i < ordinals.length; i++) {
      const turn = ordinals[i] as number
      tally.byTurn[turn] ??= 0
      this.lookAt(turn, endsRow && i === ordinals.length - 1)
    }
  }

  fault(fault: FaultAt): void {
    this.looked = true
    const turn = fault.turn ?? null
    const tokens = fault.tokens ?? null
    const { trajectory } = this.view
    this.found ??= { findings: [], affected: [], turns: new Map(), faults: 0 }
    const found = this.found
    // A check that knows better than the policy's list of codes says so itself.
    const intended = this.isGiven() || (fault.intended ?? this.settings.policy.intended.includes(this.check.code))
    const severity = fault.severity ?? this.check.severity
    if (intended) this.keepMeant(fault, turn, tokens)
    if (this.counted !== null) {
      this.counted.push(countedAs(this.check.code, severity, intended))
      if (!intended) this.count(found, fault, turn, tokens)
      return
    }
    this.ofPart ??= hashOfPart(trajectory.recordHash, trajectory.place.part)
    const finding: Finding = {
      code: this.check.code,
      severity,
      scope: fault.scope ?? (tokens !== null ? 'tokens' : turn !== null ? 'turn' : 'trajectory'),
      source: trajectory.place.source,
      record: trajectory.place.record,
      part: trajectory.place.part,
      trajectory: trajectory.id,
      group: trajectory.group,
      members: null,
      turn: turn?.index ?? null,
      tokens: tokens === null ? null : [tokens.start, tokens.end],
      fingerprint: fingerprintIn(this.ofPart, this.check.code, turn?.index ?? null, tokens),
      message: typeof fault.message === 'string' ? fault.message : fault.message(),
      evidence: typeof fault.evidence === 'function' ? fault.evidence() : (fault.evidence ?? {}),
    }
    if (intended) {
      found.findings.push({ ...finding, intended })
      return
    }
    found.findings.push(finding)
    this.count(found, fault, turn, tokens)
  }

  private keepMeant({ affected }: FaultAt, turn: Turn | null, tokens: Span | null): void {
    const { code, hypotheses } = this.check
    // A loss on observations is one on replies, whole with their frames: no prompt is meant by it.
    if (!hypotheses.includes('H02') || (code === 'M01' && turn?.kind !== 'tool')) return
    for (const span of affected ?? (tokens === null ? [] : [tokens])) this.meant.push(span)
  }

  private count(found: Found, fault: FaultAt, turn: Turn | null, tokens: Span | null): void {
    found.faults++
    for (const span of fault.affected ?? (tokens === null ? [] : [tokens])) {
      found.affected.push(span)
      if (this.check.namesUnwritten) this.unwritten.push(span)
    }
    if (turn === null) return
    const atEnd = this.check.ofRowEnd ?? (tokens !== null && tokens.start >= this.rowEnd())
    found.turns.set(turn.ordinal, atEnd && (found.turns.get(turn.ordinal) ?? true))
  }

  private rowEnd(): number {
    this.end ??= rowEnd(this.view)
    return this.end
  }

  /** Counts a turn once for each check, at the end of the row where the check saw nothing else of it. */
  private lookAt(turn: number, atEnd: boolean): void {
    const { byTurnChecked, byTurnCheckedAtEnd } = this.tally
    const before = this.lookedAt[turn] ?? 0
    if (before >> 1 !== this.looks) {
      byTurnChecked[turn] = (byTurnChecked[turn] ?? 0) + 1
      if (atEnd) byTurnCheckedAtEnd[turn] = (byTurnCheckedAtEnd[turn] ?? 0) + 1
    } else if (!atEnd && (before & 1) === 1) {
      byTurnCheckedAtEnd[turn] = (byTurnCheckedAtEnd[turn] as number) - 1
    } else return
    this.lookedAt[turn] = 2 * this.looks + (atEnd ? 1 : 0)
  }

  /** The person said that the run means it. */
  private isGiven(): boolean {
    return this.settings.options.intend?.includes(this.check.code) ?? false
  }

  /** The sums and the findings, in the order of their tokens. Call once. */
  finish(): { tally: CheckTally; findings: readonly Finding[] } {
    const { tally, found } = this
    this.countPlaces()
    if (this.looked) tally.checked++
    if (this.whole) for (let turn = 1; turn <= this.view.facts.assistantTurns; turn++) this.lookAt(turn, false)
    const findings = found === null ? NO_FINDINGS : this.settle(found, tally)
    this.looked = false
    this.whole = false
    this.ofBoundary = null
    this.found = null
    return { tally, findings }
  }

  private settle(found: Found, tally: CheckTally): readonly Finding[] {
    const { findings } = found
    if (found.faults > 0) tally.affected++
    else tally.intended++
    for (const [ordinal, atEnd] of found.turns) {
      this.lookAt(ordinal, atEnd)
      tally.byTurn[ordinal] = (tally.byTurn[ordinal] ?? 0) + 1
      if (atEnd) tally.byTurnAtEnd[ordinal] = (tally.byTurnAtEnd[ordinal] ?? 0) + 1
    }
    const affected = joined(found.affected)
    let weight = 0
    tally.affectedTokens += lengthOf(affected)
    for (const span of affected) weight += lossWeight(this.view, span)
    tally.affectedWeight += weightUnits(weight)
    return inOrder(findings)
  }
}

const NO_FINDINGS: readonly Finding[] = []

const firstToken = ({ tokens }: Finding) => tokens?.[0] ?? -1

/** By their first tokens. Checks go through a rollout from its start: what they find is in order already. */
function inOrder(findings: Finding[]): readonly Finding[] {
  for (let i = 1; i < findings.length; i++) {
    if (firstToken(findings[i] as Finding) < firstToken(findings[i - 1] as Finding)) {
      return findings.sort((a, b) => firstToken(a) - firstToken(b))
    }
  }
  return findings
}

/** With every field, so that places are objects of as few kinds as V8 tells apart at once. */
const WHOLE_ROW: PlaceAt = { turn: undefined, boundary: undefined, token: undefined }

/** By code; those that count alike are one object, of which a batch has a handful. */
const kinds = new Map<string, CountedFinding[]>()

function countedAs(code: string, severity: Severity, intended: boolean): CountedFinding {
  let known = kinds.get(code)
  if (known === undefined) kinds.set(code, (known = []))
  let kind = known.find((each) => each.severity === severity && (each.intended ?? false) === intended)
  if (kind === undefined) known.push((kind = intended ? { code, severity, intended } : { code, severity }))
  return kind
}

interface Found {
  readonly findings: Finding[]
  readonly affected: Span[]
  /** By the ordinals of the turns that a fault names, whether all of them stand at the end of the row. */
  readonly turns: Map<number, boolean>
  /** Findings that the policy does not intend. */
  faults: number
}

/** Sum of the loss weights in a range of tokens. */
export function lossWeight({ mask, weights }: Pick<TrajectoryView, 'mask' | 'weights'>, span: Span): number {
  if (mask === null) return 0
  if (weights === null) return countOf(mask, 1, span.start, span.end)
  let sum = 0
  for (let i = span.start; i < span.end; i++) if (mask[i] === 1) sum += weights[i] as number
  return sum
}
