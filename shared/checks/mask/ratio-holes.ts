import { counted } from '../../model/number-text.ts'
import type { Severity } from '../../model/report.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { DumpReporter, DumpView, TrajectoryView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { edgeAfter } from '../oracles/edges.ts'
import { hidesEdges } from '../oracles/shape.ts'
import { turnEnds } from './ends-left-out.ts'
import { type RatiosBySide, ratiosBeyondTrained } from './left-out-ratios.ts'
import { lookedAtThoughts } from './masked-thoughts.ts'
import { leavesBand, type RatioBand, ratioBand, rejection } from './rejected-tokens.ts'
import { unprovedEnd } from './zero-ends.ts'

/** The checks of single tokens of a turn. */
export const HOLE_CODES = ['M10', 'M16'] as const
export type HoleCode = (typeof HOLE_CODES)[number]

/** Tokens without loss that one of these checks looks at, each of a ratio that no trained token of the rollout has. */
export interface RatioHole extends RatiosBySide {
  readonly code: HoleCode
  /** Place of its turn among all, and among those of the model from 1 on. */
  readonly index: number
  readonly turn: number
  readonly start: number
  readonly end: number
  /** The edge behind an end token; empty of any other. */
  readonly boundary: string
  /** The dump says that the model wrote an end token. */
  readonly isSampled: boolean
  /** The check finds more in the rollout, which nothing but the rollout tells. */
  readonly isBeside: boolean
}

/** Whether a turn has such tokens, so that the check leaves them to the dump. */
export function isHole(holes: readonly RatioHole[] | undefined, of: HoleCode, ordinal: number): boolean {
  return holes?.some(({ code, turn }) => code === of && turn === ordinal) === true
}

export function ratioHoleFact(view: TrajectoryView): Pick<TrajectoryFacts, 'ratioHoles'> | null {
  const { ratioRange, leftOutRatios } = view.facts
  if (ratioRange === undefined || leftOutRatios === undefined) return null
  const holes = [...endHoles(view), ...tagHoles(view)]
  return holes.length === 0 ? null : { ratioHoles: holes }
}

function endHoles(view: TrajectoryView): RatioHole[] {
  const { segmentation, facts } = view
  if (segmentation === null || hidesEdges(view)) return []
  const isZero = (at: number) => facts.zeroEnds?.some(({ token }) => token === at) === true
  const ends = turnEnds(view).filter(({ isMasked, turn }) => isMasked && !isZero(turn.endToken))
  const holes = ends.flatMap(({ turn, start, isSampled }) => {
    const span = { start, end: turn.endToken + 1 }
    const ratios = ratiosBeyondTrained(view, span)
    const boundary = edgeAfter(segmentation, turn)
    const at = { code: 'M10' as const, index: turn.index, turn: turn.ordinal, ...span, boundary, isSampled }
    return ratios === null ? [] : [{ ...at, ...ratios }]
  })
  return holes.map((hole) => ({ ...hole, isBeside: holes.length < ends.length }))
}

function tagHoles(view: TrajectoryView): RatioHole[] {
  const faulty = lookedAtThoughts(view).filter(({ masked }) => masked.length > 0)
  const holes = faulty.flatMap(({ turn, masked }) => {
    const [only] = masked
    if (only === undefined || masked.length > 1 || only.whole) return []
    const ratios = ratiosBeyondTrained(view, only)
    const at = { code: 'M16' as const, index: turn.index, turn: turn.ordinal, start: only.start, end: only.end }
    return ratios === null ? [] : [{ ...at, boundary: '', isSampled: true, ...ratios }]
  })
  return holes.map((hole) => ({ ...hole, isBeside: holes.length < faulty.length }))
}

/** Tells of such tokens: as a note where the whole dump shows that they were rejected, else as the check does. */
export function* lookAtHoles(code: HoleCode, view: DumpView, report: DumpReporter): Steps<void> {
  const columns = new FactColumns(view.facts)
  if (columns.isEmpty('ratioHoles')) return
  const band = yield* within(0, 0.5, ratioBand(view))
  yield* within(
    0.5,
    1,
    forEachOf(columns.having('ratioHoles'), (member) => {
      const holes = member.ratioHoles?.filter((hole) => hole.code === code) ?? []
      for (const [i, hole] of holes.entries()) tell(member, hole, { band, isFirst: i === 0 }, report)
    }),
  )
}

function tell(
  member: TrajectoryFacts,
  hole: RatioHole,
  { band, isFirst }: { readonly band: RatioBand | null; readonly isFirst: boolean },
  report: DumpReporter,
): void {
  const { index, turn, start, end, boundary, isBeside } = hole
  const at = boundary === '' ? { turn } : { turn, boundary, endsRow: boundary.endsWith('>end') }
  if (isFirst && !isBeside) report.unitAfterAll(at)
  else report.placeAfterAll(at)
  const rejected = band !== null && leavesBand(hole, band)
  report.fault({
    member,
    turn: { index },
    tokens: { start, end },
    affectedTokens: end - start,
    ...(rejected
      ? { severity: 'info', message: `${subject(hole)}${rejection(hole, band)}` }
      : { severity: severityOf(hole), message: described(hole) }),
    evidence: {
      log_ratio: hole.below ?? hole.above,
      ...(rejected ? { trained_log_ratios: [band.least, band.greatest] } : {}),
    },
  })
}

function severityOf({ code, isSampled }: RatioHole): Severity {
  return code === 'M10' && isSampled ? 'error' : 'warning'
}

function described({ code, turn, start, end, isSampled }: RatioHole): string {
  return code === 'M10' ? maskedEnd(turn, isSampled, end - 1 - start) : maskedTag(turn)
}

function subject({ code, turn }: RatioHole): string {
  return code === 'M10'
    ? `The end token of assistant turn ${turn} is not trained`
    : `The closing tag of the thought in assistant turn ${turn} is masked`
}

/** @param beside masked tokens before the end */
export function maskedEnd(ordinal: number, isSampled: boolean, beside: number): string {
  if (!isSampled) return unprovedEnd(ordinal)
  const told = beside === 1 ? ', nor is the token before it' : `, nor are the ${counted(beside, 'token')} before it`
  return `The end token of assistant turn ${ordinal} was sampled and is not trained${beside === 0 ? '' : told}`
}

export function maskedTag(ordinal: number): string {
  return `The closing tag of the thought in assistant turn ${ordinal} is masked, the thought and the rest of the turn are trained`
}
