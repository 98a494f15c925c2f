import type { DumpView } from '../../checks/check.ts'
import { FactColumns } from '../../checks/facts/fact-columns.ts'
import { toldOfNameless } from '../../checks/oracles/nameless-turns.ts'
import { CHECKS } from '../../checks/registry.ts'
import { type DumpVerdict, findingUnproved, runningDumpCheck } from '../../checks/reporting/dump-reporter.ts'
import { addTally, createTally } from '../../checks/reporting/tally.ts'
import { checksToRun } from '../../hypotheses/checks-to-run.ts'
import type { CheckResult, Finding } from '../../model/report.ts'
import { type Steps, within } from '../../model/steps.ts'
import type { Stream } from '../../model/streams.ts'
import type { LossStream } from '../../model/trajectory.ts'
import { countSeverity, type RolloutSums } from '../audit/collected.ts'
import { besideOthers, checkResult } from './check-result.ts'

/** What the checks say of everything that was read. */
export interface CheckConclusion {
  /** One for each check that was asked for, in the order of `CHECKS`. */
  readonly results: readonly CheckResult[]
  /** Those that rest on groups or on the whole dump. */
  readonly dumpFindings: readonly Finding[]
  /** Loss weight, in the units of `weightUnits`, of trained tokens of which only the dump as a whole tells that the model did not write them. */
  readonly unwrittenWeight: bigint
}

/** What a check that looks at rollouts alone says of the dump. */
const NO_VERDICT: DumpVerdict = { tally: createTally(), findings: [], abstained: null, context: null }

/**
 * Puts what each check found in single rollouts beside what it finds in the dump as a whole.
 *
 * @param isUnframed there is a tokenizer, and it frames none of the ids
 */
export function* concludingChecks(
  dump: DumpView,
  { tallies, totals, severities: ofRollouts }: RolloutSums,
  isUnframed: boolean,
): Steps<CheckConclusion> {
  const { settings, streams } = dump
  const codes = checksToRun(settings.options)
  const severities = structuredClone(ofRollouts)
  const dumpFindings: Finding[] = []
  const results: CheckResult[] = []
  let unwrittenWeight = 0n
  const isUnspelt = !isUnframed && streams.has('ids') && !streams.has('tokenizer')
  const lacks = { isUnframed, isUnspelt, isTurnless: isTurnless(dump), withoutNumbers: withoutNumbers(dump) }
  const unfit = unfitMasks(dump)
  const asked = CHECKS.filter(({ code }) => codes === null || codes.includes(code))
  for (const check of asked) {
    const tally = createTally()
    const gathered = tallies[check.code]
    if (gathered !== undefined) addTally(tally, gathered)
    const missing = check.needs.filter((stream) => !streams.has(stream))
    const share = [results.length / asked.length, (results.length + 1) / asked.length] as const
    const looksAtDump = check.dump !== undefined && missing.length === 0
    const verdict = looksAtDump ? yield* within(...share, runningDumpCheck(check, dump)) : NO_VERDICT
    addTally(tally, verdict.tally)
    if (check.namesUnwritten && !settings.policy.intended.includes(check.code)) {
      unwrittenWeight += verdict.tally.affectedWeight
    }
    for (const finding of verdict.findings) {
      dumpFindings.push(finding)
      if (!finding.intended) countSeverity(severities, finding)
    }
    const severity = severities[check.code]
    const { abstained, context } = verdict
    const leftOut = check.trajectory !== undefined && check.needs.includes('mask') && !check.ofLengths ? unfit : 0
    const result = checkResult(
      check,
      tally,
      missing,
      abstained,
      settings,
      totals.weight,
      severity,
      lacks,
      leftOut,
      dump.facts.length,
    )
    const isSilent = result.status === 'pass' || result.status === 'not-applicable'
    const nameless = check.ofRoles && isSilent ? toldOfNameless(dump) : null
    const unproved = nameless ?? (result.status === 'pass' ? yield* findingUnproved(check, tally, dump) : null)
    results.push({
      ...result,
      ...(unproved === null ? {} : { status: 'not-checkable' as const, reason: unproved }),
      ...(context === null ? {} : { context }),
    })
    yield results.length / asked.length
  }
  const byCode = new Map(results.map((result) => [result.code, result]))
  return {
    results: results.map((result, i) => besideOthers(result, asked[i] as (typeof asked)[number], byCode, settings)),
    dumpFindings,
    unwrittenWeight,
  }
}

/** Streams that no rollout has a number of, though some store a value or an array. */
function withoutNumbers({ facts, streams }: DumpView): ReadonlySet<Stream> {
  const columns = new FactColumns(facts)
  const blank = columns.having('noNumbers')
  const isBlank = (name: LossStream) => blank.some(({ noNumbers }) => noNumbers?.includes(name))
  const found = new Set<Stream>()
  if (!streams.has('advantages') && (!columns.isEmpty('brokenAdvantage') || isBlank('advantages')))
    found.add('advantages')
  if (!streams.has('logprobs.trainer') && isBlank('trainer')) found.add('logprobs.trainer')
  return found
}

/** No rollout has a turn in its ids, of those that were looked at for turns. */
function isTurnless({ facts, streams }: DumpView): boolean {
  return streams.has('tokenizer') && new FactColumns(facts).numbers('turns').every((turns) => turns === 0)
}

/** Rollouts of which nobody knows what they train, because their mask does not fit, in a dump that has masks. */
function unfitMasks({ facts, streams }: DumpView): number {
  return streams.has('mask') ? new FactColumns(facts).having('unfitMask').length : 0
}
