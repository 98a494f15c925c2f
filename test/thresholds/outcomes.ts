import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { gapOf } from '../../shared/checks/logprobs/gap.ts'
import { patternOf } from '../../shared/checks/reporting/systematic.ts'
import type { SecondRun } from '../../shared/hypotheses/hypothesis.ts'
import { HYPOTHESES } from '../../shared/hypotheses/registry.ts'
import type { AuditOptions } from '../../shared/model/policy.ts'
import type { CheckResult, HypothesisId } from '../../shared/model/report.ts'
import type { Limits } from '../../shared/model/streams.ts'
import { resolveThresholds, type ThresholdId } from '../../shared/model/thresholds/registry.ts'
import { auditDump } from '../checks/audit.ts'
import type { CheckFixture, FixtureDump } from '../fixtures/checks/fixture.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf } from '../helpers/facts.ts'
import { type InputOptions, inputWith } from '../hypotheses/input.ts'
import { type SimulatedScores, viewOf } from '../logprobs/simulated.ts'
import { audited } from '../session/dumps.ts'

/** Thresholds that are not at their default. */
export type Set = Partial<Record<ThresholdId, number>>

/** What is said of one dump under these thresholds. */
export type Outcome = (set: Set) => unknown

const fixtures = import.meta.glob<CheckFixture>('../fixtures/checks/[A-Z][0-9][0-9].ts', {
  eager: true,
  import: 'default',
})

/** The findings of a code on a fixture of a check: `3`, or why there are none. */
export function onFixture(name: `${string}.${'trips' | 'nearMiss'}`, code = name.slice(0, 3)): Outcome {
  const [fixture = '', which] = name.split('.')
  const found = fixtures[`../fixtures/checks/${fixture}.ts`]
  if (found === undefined) throw new Error(`no fixture ${fixture}`)
  return onRows(code, which === 'trips' ? found.trips : found.nearMiss)
}

export function onRows(code: string, dump: Omit<FixtureDump, 'story'>): Outcome {
  return async (set) => {
    const options = { ...dump.options, thresholds: set }
    const result = (await auditDump({ ...dump, story: '', options })).byCode.get(code)
    const findings = result?.findings.filter(({ intended }) => !intended).length ?? 0
    return findings > 0 ? findings : (result?.abstained?.status ?? 'silent')
  }
}

/** The severities of a check's findings over the whole dump. */
export function severitiesOnFacts(code: string, facts: readonly TrajectoryFacts[]): Outcome {
  return (set) => runOver(code, dumpUnder(facts, set, {})).findings.map(({ severity }) => severity)
}

/** The findings of a code on a record that no tokenizer which comes along fits; its status where there are none. */
export function onRecord(code: string, record: Readonly<Record<string, unknown>>): Outcome {
  return async (set) => {
    const session = await audited(JSON.stringify(record), { thresholds: set })
    const { checks, findings } = session.report()
    const found = findings.filter((finding) => finding.code === code).length
    return found > 0 ? found : checks.find((check) => check.code === code)?.status
  }
}

/** Whether a fault is systematic on a fixture of its check. */
export function patternOn(code: string): Outcome {
  return async (set) => {
    const dump = fixtures[`../fixtures/checks/${code}.ts`]!.trips
    const { byCode, settings } = await auditDump({ ...dump, options: { ...dump.options, thresholds: set } })
    return patternOf(byCode.get(code)!.tally, settings.thresholds)
  }
}

export interface FactsOptions {
  readonly options?: AuditOptions
  readonly limits?: Partial<Limits>
}

const dumpUnder = (facts: readonly TrajectoryFacts[], set: Set, { options = {}, limits }: FactsOptions) =>
  dumpOf(facts, { options: { ...options, thresholds: set }, ...(limits ? { limits } : {}) })

/** The findings of a check over the whole dump. */
export function onFacts(
  code: string,
  facts: readonly TrajectoryFacts[],
  more: FactsOptions & { readonly against?: readonly TrajectoryFacts[] } = {},
): Outcome {
  return (set) => {
    const against = more.against === undefined ? null : dumpUnder(more.against, set, {})
    const { findings, abstained } = runOver(code, { ...dumpUnder(facts, set, more), against })
    return findings.length > 0 ? findings.length : (abstained?.status ?? 'silent')
  }
}

export interface SecondRunOptions {
  readonly against?: readonly TrajectoryFacts[]
  readonly checksAgainst?: readonly CheckResult[]
}

export function verdict(
  id: HypothesisId,
  facts: readonly TrajectoryFacts[],
  more: FactsOptions & InputOptions & SecondRunOptions = {},
): Outcome {
  return (set) => judged(id, facts, set, more).verdict
}

export function confidence(id: HypothesisId, facts: readonly TrajectoryFacts[]): Outcome {
  return (set) => judged(id, facts, set, {}).confidence
}

function judged(
  id: HypothesisId,
  facts: readonly TrajectoryFacts[],
  set: Set,
  more: Parameters<typeof verdict>[2] = {},
) {
  const second = more.against
  const against: SecondRun | null =
    second === undefined
      ? null
      : { dump: dumpUnder(second, set, {}), checks: more.checksAgainst ?? [], streams: new Set(), tokenizer: 'qwen2.5' }
  const input = { ...inputWith(dumpUnder(facts, set, more), more), tokenizer: 'qwen2.5', against }
  return HYPOTHESES.find((each) => each.id === id)!.judge(input)
}

/** What the gap of a row is put down to. */
export function cause(scores: SimulatedScores, model: string | null = null): Outcome {
  return (set) => gapOf({ ...viewOf(scores, model), thresholds: resolveThresholds(set) })?.cause ?? 'too few tokens'
}
