import type { DumpView } from '../../shared/checks/check.ts'
import { checkByCode } from '../../shared/checks/registry.ts'
import type { HypothesisInput } from '../../shared/hypotheses/hypothesis.ts'
import { rolloutsByTurn } from '../../shared/hypotheses/multi-step.ts'
import { HYPOTHESES } from '../../shared/hypotheses/registry.ts'
import type { CheckResult, HypothesisId, HypothesisResult } from '../../shared/model/report.ts'
import { STREAMS, type Stream } from '../../shared/model/streams.ts'

/** A result of a check, passing on 100 places unless told otherwise. */
export function resultOf(code: string, more: Partial<CheckResult> = {}): CheckResult {
  const check = checkByCode(code)
  if (check === null) throw new Error(`no check ${code}`)
  const affected = more.affected ?? 0
  return {
    code,
    name: check.name,
    title: check.title,
    hypotheses: [...check.hypotheses],
    severity: check.severity,
    status: affected > 0 ? 'fail' : 'pass',
    needs: [...check.needs],
    reason: null,
    unit: check.unit,
    checked: 100,
    affected,
    rate: affected / 100,
    pattern: affected === 0 ? null : affected >= 95 ? 'systematic' : 'sporadic',
    places: { checked: 100, affected },
    affected_tokens: 0,
    affected_weight: null,
    by_turn: {},
    by_turn_checked: {},
    by_boundary: {},
    intended: 0,
    ...more,
  }
}

/** A result that does not say which turns were looked at, as one of a check that looked at every turn of the dump. */
export function lookedAtAllTurns(check: CheckResult, { facts }: Pick<DumpView, 'facts'>): CheckResult {
  if (Object.keys(check.by_turn_checked).length > 0) return check
  const turns = rolloutsByTurn(facts).flatMap((rollouts, turn) => (turn === 0 ? [] : [[turn, rollouts] as const]))
  return { ...check, by_turn_checked: Object.fromEntries(turns) }
}

export interface InputOptions {
  readonly checks?: readonly CheckResult[]
  readonly without?: readonly Stream[]
  readonly totalWeight?: number | null
  readonly unsampledWeight?: number | null
  readonly untrainedShare?: number | null
  readonly lackOfTurns?: string | null
}

/** A sound dump as far as tokens go: a check of its turns (M02) looked and found nothing, 1,000 of loss weight, none of it on foreign tokens. */
export function inputWith(dump: DumpView, options: InputOptions = {}): HypothesisInput {
  return {
    dump,
    checks: (options.checks ?? [resultOf('M02')]).map((check) => lookedAtAllTurns(check, dump)),
    streams: new Set(STREAMS.filter((stream) => !options.without?.includes(stream))),
    totalWeight: options.totalWeight === undefined ? 1000 : options.totalWeight,
    unsampledWeight: options.unsampledWeight === undefined ? 0 : options.unsampledWeight,
    untrainedShare: options.untrainedShare ?? null,
    lackOfTurns: options.lackOfTurns ?? null,
  }
}

export function verdictOf(id: HypothesisId, dump: DumpView, options: InputOptions = {}): HypothesisResult {
  const hypothesis = HYPOTHESES.find((each) => each.id === id)
  if (hypothesis === undefined) throw new Error(`no hypothesis ${id}`)
  return hypothesis.judge(inputWith(dump, options))
}
