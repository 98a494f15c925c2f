import type { AuditSettings, Check, CheckTally } from '../../checks/check.ts'
import { patternOf } from '../../checks/reporting/systematic.ts'
import { count, counted } from '../../model/number-text.ts'
import type { CheckResult, Severity } from '../../model/report.ts'
import { NO_FITTING_TOKENIZER, type Stream } from '../../model/streams.ts'
import { weightOf } from '../../model/weight.ts'
import { STREAM_TITLES } from '../audit/streams.ts'

/** Why the dump lacks what it does. */
interface Lacks {
  /** There is a tokenizer, and it frames turns in none of the ids. */
  readonly isUnframed?: boolean
  /** There are ids, and no tokenizer is known that made them. */
  readonly isUnspelt?: boolean
  /** There is one that could, and there are none. */
  readonly isTurnless?: boolean
  /** Missing streams that are stored, and hold no number. */
  readonly withoutNumbers?: ReadonlySet<Stream>
}

const NO_STREAMS: ReadonlySet<Stream> = new Set()

/**
 * What a report says of one check.
 *
 * @param tally over all rollouts, and over the dump where the check looks at it as a whole
 * @param missing streams that the check needs and the dump does not carry
 * @param abstained why the check had nothing to say of the dump as a whole; null where it had, or does not look at it
 * @param totalWeight loss weight of all tokens of the dump, as `weightOf` reads it
 * @param leftOut rollouts that a check of masks was not put to, because their mask does not fit their ids
 * @param leftOutOf all rollouts
 * @param severities findings of the check that are not intended, by severity
 */
export function checkResult(
  check: Check,
  tally: CheckTally,
  missing: readonly Stream[],
  abstained: { status: 'not-checkable' | 'not-applicable'; reason: string } | null,
  settings: AuditSettings,
  totalWeight: bigint,
  severities: Record<Severity, number> | undefined,
  { isUnframed = false, isUnspelt = false, isTurnless = false, withoutNumbers = NO_STREAMS }: Lacks = {},
  leftOut = 0,
  leftOutOf = leftOut,
): CheckResult {
  const undecided = check.code === 'M06' && settings.alignmentUndecided
  let status: CheckResult['status'] = tally.affected > 0 ? 'fail' : 'pass'
  let reason: string | null = null
  if (missing.length > 0) {
    status = 'not-checkable'
    const ofTurns = missing.filter(
      (stream) => (isUnframed || isUnspelt) && (stream === 'tokenizer' || stream === 'template'),
    )
    const stored = missing.filter((stream) => withoutNumbers.has(stream))
    const lacked = missing.filter((stream) => !ofTurns.includes(stream) && !stored.includes(stream))
    const listed = (streams: readonly Stream[]) => streams.map((stream) => STREAM_TITLES[stream]).join(', ')
    reason = [
      ...(ofTurns.length > 0 && isUnframed ? ['the tokenizer frames no turns in the ids'] : []),
      ...(lacked.length > 0 ? [`the dump does not carry ${listed(lacked)}`] : []),
      ...(stored.length > 0 ? [`none of the stored ${listed(stored)} is a number`] : []),
      // It ends with what to do.
      ...(ofTurns.length > 0 && !isUnframed ? [NO_FITTING_TOKENIZER] : []),
    ].join(', and ')
  } else if (undecided) {
    status = 'not-checkable'
    const whose = settings.alignmentUndecidedIn === undefined ? '' : ` of ${settings.alignmentUndecidedIn}`
    reason = `every mask${whose} lies one token before the turns, which is how a target-aligned mask looks: declare the alignment with --mask-alignment target (taken for now) or token`
  } else if (tally.checked === 0 && leftOut * 2 > leftOutOf) {
    status = 'not-checkable'
    reason = `in ${counted(leftOut, 'rollout')} the mask does not fit the ids (S03), and there are no ${check.looksAt} elsewhere`
  } else if (tally.checked === 0) {
    status = abstained?.status ?? 'not-applicable'
    // Base models are asked without frames: there is a mask, and it lies in no turn.
    const isOfTurns = check.needs.includes('tokenizer') && check.needs.includes('mask')
    const lacks = isTurnless && isOfTurns ? 'the ids have no turns' : `no ${check.looksAt} in this dump`
    const beside = leftOut === 0 ? '' : `, but for ${counted(leftOut, 'rollout')} whose mask does not fit the ids (S03)`
    reason = abstained?.reason ?? `nothing to look at: ${lacks}${beside}`
  }
  return {
    code: check.code,
    name: check.name,
    title: check.title,
    hypotheses: [...check.hypotheses],
    severity: loweredSeverity(check.severity, severities),
    status,
    needs: [...check.needs],
    reason,
    unit: check.unit,
    checked: tally.checked,
    affected: tally.affected,
    rate: tally.checked === 0 ? null : tally.affected / tally.checked,
    pattern: patternOf(tally, settings.thresholds),
    places: { checked: tally.placesChecked, affected: tally.placesAffected },
    affected_tokens: tally.affectedTokens,
    affected_weight: totalWeight > 0n ? weightOf(tally.affectedWeight) / weightOf(totalWeight) : null,
    by_turn: tally.byTurn,
    ...(Object.keys(tally.byTurnAtEnd).length === 0 ? {} : { by_turn_at_end: tally.byTurnAtEnd }),
    ...turnsLookedAt(tally),
    by_boundary: tally.byBoundary,
    intended: tally.intended,
    ...(leftOut > 0 && missing.length === 0 ? { left_out: leftOut } : {}),
  }
}

/**
 * A result as it stands beside the others: what found no fault because nearly all rollouts have one that hides its own proves nothing. Where it found nothing to
 * look at, rollouts with such a fault, be they few, may be all that had something.
 *
 * @param results of all checks, by code
 */
export function besideOthers(
  result: CheckResult,
  { hiddenBy = [], toldBy = [] }: Pick<Check, 'hiddenBy' | 'toldBy'>,
  results: ReadonlyMap<string, CheckResult>,
  { thresholds }: Pick<AuditSettings, 'thresholds'>,
): CheckResult {
  const { status, checked } = result
  if (status !== 'pass' && (status !== 'not-applicable' || checked > 0)) return result
  for (const code of [...hiddenBy, ...toldBy]) {
    const by = results.get(code)
    if (by === undefined || by.status !== 'fail') continue
    if (checked > 0 && by.affected < thresholds['systematic-share'] * by.checked) continue
    const reason = `${toldBy.includes(code) ? 'told by another check' : 'hidden by another fault'}, in ${count(by.affected)} of ${counted(by.checked, 'rollout')}: ${by.title} (${code})`
    return { ...result, status: 'not-checkable', reason }
  }
  return result
}

/** The code's own severity, unless every finding has another one (C04, M04 and M10 may be lowered): then the worst of those. */
function loweredSeverity(own: Severity, found: Record<Severity, number> | undefined): Severity {
  if (found === undefined || found[own] > 0) return own
  for (const severity of ['error', 'warning', 'info'] as const) if (found[severity] > 0) return severity
  return own
}

/** Nothing where no fault or place has a turn: then the check has no rates by turn. */
function turnsLookedAt({
  byTurn,
  byTurnChecked,
  byTurnCheckedAtEnd,
}: CheckTally): Pick<CheckResult, 'by_turn_checked' | 'by_turn_checked_at_end'> {
  if (Object.keys(byTurn).length === 0) return { by_turn_checked: {} }
  if (Object.keys(byTurnCheckedAtEnd).length === 0) return { by_turn_checked: byTurnChecked }
  return { by_turn_checked: byTurnChecked, by_turn_checked_at_end: byTurnCheckedAtEnd }
}
