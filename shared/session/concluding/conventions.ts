import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import { isCut } from '../../checks/limits/limits.ts'
import { isLengthStop } from '../../checks/oracles/end-reason.ts'
import { count, counted, isOrAre } from '../../model/number-text.ts'
import type { SuggestedConvention } from '../../model/policy.ts'
import type { CheckResult } from '../../model/report.ts'
import { PART, type Part } from '../../model/tokens.ts'
import type { TokenTotals } from '../audit/plan.ts'
import type { Kin } from '../opening/kin.ts'

/** What is known of a dump that a way to train may show in. */
interface Shown {
  readonly facts: readonly TrajectoryFacts[]
  readonly checks: readonly CheckResult[]
  readonly totals: TokenTotals
  readonly kins: readonly Kin[]
  /** Of what is looked at, that must have a shape before it is the run's convention. */
  readonly share: number
}

/**
 * Ways to train that are right where they are meant, and that the dump looks like. Each is named by the check that fails because of it,
 * so that nothing is suggested where nothing fails, or where it was declared.
 */
export function suggestedConventions(shown: Shown): SuggestedConvention[] {
  const known: readonly [SuggestedConvention['id'], readonly string[], (shown: Shown) => string | null][] = [
    ['history-thoughts-masked', ['M16'], historyThoughts],
    ['truncated-rows-masked', ['M04'], truncatedRows],
    ['observation-loss', ['M01'], observations],
    ['branching-rows', ['S06'], branches],
  ]
  const fails = (code: string) => shown.checks.some((check) => check.code === code && check.status === 'fail')
  return known.flatMap(([id, intend, look]) => {
    const evidence = intend.some(fails) ? look(shown) : null
    return evidence === null ? [] : [{ id, intend, evidence }]
  })
}

function historyThoughts({ kins, share }: Shown): string | null {
  const sum = (name: 'earlierThoughts' | 'earlierThoughtsMasked' | 'lastThoughts' | 'lastThoughtsMasked') =>
    kins.reduce((total, { evidence }) => total + evidence.shapes[name], 0)
  const [earlier, earlierMasked] = [sum('earlierThoughts'), sum('earlierThoughtsMasked')]
  const [last, lastMasked] = [sum('lastThoughts'), sum('lastThoughtsMasked')]
  const shaped = earlier > 1 && last > 0 && earlierMasked >= share * earlier && lastMasked <= (1 - share) * last
  if (!shaped) return null
  return `${count(earlierMasked)} of ${count(earlier)} thoughts before the last turn are masked, and ${count(last - lastMasked)} of ${count(last)} in it are trained`
}

function truncatedRows({ facts, share }: Shown): string | null {
  const known = facts.filter(({ trained }) => trained !== null)
  const wasCut = (row: TrajectoryFacts) => row.isTruncated === true || isLengthStop(row.finishReason) || isCut(row)
  const trains = ({ trained, excluded }: TrajectoryFacts) => (trained ?? 0) > 0 && !excluded
  const cut = known.filter(wasCut)
  const others = known.filter((row) => !wasCut(row))
  const masked = cut.filter((row) => !trains(row)).length
  const training = others.filter(trains).length
  const shaped =
    cut.length > 1 && others.length > 0 && masked >= share * cut.length && training >= share * others.length
  if (!shaped) return null
  return `${count(masked)} of ${count(cut.length)} rows that were cut train nothing, and ${count(training)} of the ${count(others.length)} others do`
}

function observations({ totals, share }: Shown): string | null {
  const [tool, system, user, assistant] = (['tool', 'system', 'user', 'assistant'] as const).map((part: Part) => ({
    // Of a token without a mask nobody knows whether it is trained.
    total: (totals.byPart[PART[part]] as number) - (totals.unknownByPart[PART[part]] as number),
    trained: totals.trainedByPart[PART[part]] as number,
  })) as [Trained, Trained, Trained, Trained]
  const prompt = { total: system.total + user.total, trained: system.trained + user.trained }
  const shaped =
    tool.total > 0 &&
    tool.trained >= share * tool.total &&
    assistant.trained >= share * assistant.total &&
    prompt.trained <= (1 - share) * prompt.total
  if (!shaped) return null
  return `${count(tool.trained)} of ${count(tool.total)} tokens of tool replies are trained as what the model wrote is, and the prompt is not`
}

interface Trained {
  readonly total: number
  readonly trained: number
}

function branches({ checks }: Shown): string | null {
  const check = checks.find(({ code }) => code === 'S06')
  if (!check) return null
  return `${count(check.affected)} of ${counted(check.checked, 'rollout')} ${isOrAre(check.affected)} several rows, each counted as a rollout here, none of which need extend another`
}
