import { severalText } from '../../exports/phrases.ts'
import type { SecondRun } from '../../hypotheses/hypothesis.ts'
import { loggedOf } from '../../hypotheses/logged.ts'
import { count } from '../../model/number-text.ts'
import { PART_WORDS } from '../../model/part-words.ts'
import type { CheckResult, HypothesisId, Report } from '../../model/report.ts'
import { RUN_METRICS } from '../../model/run-log.ts'
import { LIMIT_NAMES, type LimitName } from '../../model/streams.ts'
import { PARTS } from '../../model/tokens.ts'
import { maskedTokens, type TokenSums } from '../../model/trained-share.ts'
import type { BoundaryRow } from '../protocol.ts'
import type { ComparedMeasure } from '../requests/compare.ts'
import { restsOnBoth } from './conclusion.ts'
import type { Both, ComparedSide } from './pair.ts'
import { comparedMean, comparedNumber, comparedShare, comparedText, type Sample } from './statistics.ts'

/** What both runs together decide. */
export const TOGETHER: readonly HypothesisId[] = ['H06-library', 'H07', 'H08']

/** More turns than these are told by the others. */
const MOST_TURNS = 8

/** The verdicts that a run decides by itself. */
export function verdictMeasures({ here, there }: Both): ComparedMeasure[] {
  return here.report.hypotheses
    .filter((result) => !TOGETHER.includes(result.id) || (result.id === 'H07' && !restsOnBoth(result)))
    .map((own) => {
      const other = there.report.hypotheses.find(({ id }) => id === own.id)
      const known = (result: typeof other) =>
        result === undefined || result.verdict === 'not-checkable' ? null : result.verdict
      return comparedText(
        { section: 'verdicts', id: own.id, label: `${own.id} ${own.title}` },
        known(own),
        known(other),
        { here: lackOf(own), there: other === undefined ? null : lackOf(other) },
      )
    })
}

function lackOf({ missing }: Report['hypotheses'][number]): string {
  const [first] = missing
  return first === undefined ? 'not checkable' : `not checkable without ${first}`
}

/** Where the loss falls: by part of the conversation and by assistant turn. */
export function lossMeasures(two: Both): ComparedMeasure[] {
  const section = 'loss' as const
  const units = two.each(({ report }) => report.totals.trajectories)
  const [a, b] = two.each(({ report }) => report.totals)
  const share = (id: string, label: string, x: TokenSums, y: TokenSums, codes: readonly string[] = []) =>
    comparedShare({ section, id, label, codes }, sampleOf(x), sampleOf(y), {
      errors: two.errors,
      lacks: two.lacks('mask'),
      units,
    })
  const whole = ({ tokens }: Report['totals']): TokenSums => ({
    // Of a token without a mask nobody knows whether it is trained.
    total: tokens.trained + tokens.masked,
    trained: tokens.trained + tokens.masked > 0 ? tokens.trained : null,
  })
  const turnNumbers = [...new Set([...Object.keys(a.by_turn), ...Object.keys(b.by_turn)])]
    .map(Number)
    .sort((x, y) => x - y)
    .slice(0, MOST_TURNS)
  return [
    share('trained', 'trained share of all tokens with a mask, padding left out', whole(a), whole(b)),
    ...PARTS.map((part) =>
      share(`part ${part}`, `trained share of ${PART_LABELS[part]}`, a.by_part[part], b.by_part[part]),
    ),
    ...turnNumbers.map((turn) =>
      share(
        `turn ${turn}`,
        `trained share of assistant turn ${turn}`,
        a.by_turn[turn] ?? NOTHING,
        b.by_turn[turn] ?? NOTHING,
      ),
    ),
    comparedShare(
      { section, id: 'padding', label: 'padding among all tokens' },
      sampleOf({ total: a.tokens.total, trained: a.tokens.padding }),
      sampleOf({ total: b.tokens.total, trained: b.tokens.padding }),
      { errors: two.errors, lacks: two.lacks('ids'), units },
    ),
    two.mean(
      { section, id: 'lost', label: 'tokens known to be lost, per rollout' },
      'tokens',
      (facts) => facts.filter(({ idsHash }) => idsHash !== null).map((row) => row.lost),
      'ids',
    ),
  ]
}

const NOTHING: TokenSums = { total: 0, trained: null }

function sampleOf(sums: TokenSums): (Sample & { kind: 'share' }) | null {
  const known = maskedTokens(sums)
  return known === 0 || sums.trained === null ? null : { kind: 'share', of: known, affected: sums.trained }
}

/** As they read behind “trained share of”. */
const PART_LABELS = { ...PART_WORDS, end: 'ends of turns', other: 'other tokens' }

/** What stands at turn edges, by kind of edge. */
export function edgeMeasures({ here, there }: Both): ComparedMeasure[] {
  const kinds = [...new Set([...here.boundaries, ...there.boundaries].map(({ boundary }) => boundary))].sort()
  const columns = [
    ['header', 'with a header'],
    ['end', 'with an end token'],
    ['newline', 'with the newline after it'],
    ['mask', 'masked as they should be'],
  ] as const
  return kinds.flatMap((boundary) => {
    const a = here.boundaries.find((row) => row.boundary === boundary)
    const b = there.boundaries.find((row) => row.boundary === boundary)
    const words = boundary.replace('>', ' → ')
    return columns.map(([column, label]) =>
      comparedNumber(
        { section: 'edges', id: `${boundary} ${column}`, label: `edges ${words} ${label}` },
        'share',
        a?.[column] ?? null,
        b?.[column] ?? null,
        { here: lackOfEdge(a), there: lackOfEdge(b) },
      ),
    )
  })
}

function lackOfEdge(row: BoundaryRow | undefined): string {
  return row === undefined ? 'no such edge in this run' : 'nothing to look at'
}

/** The rate of every check. */
export function checkMeasures({ here, there, errors }: Both): ComparedMeasure[] {
  return here.report.checks.map((own) => {
    const other = there.report.checks.find(({ code }) => code === own.code)
    const sample = (check: CheckResult | undefined): (Sample & { kind: 'share' }) | null =>
      check === undefined || check.checked === 0 ? null : { kind: 'share', of: check.checked, affected: check.affected }
    return comparedShare(
      {
        section: 'checks',
        id: own.code,
        label: `${own.code} ${own.title}`,
        codes: own.affected + own.intended > 0 ? [own.code] : [],
      },
      sample(own),
      sample(other),
      { errors, lacks: { here: reasonOf(own), there: isJudgedBeside(own, other) ? JUDGED_BESIDE : reasonOf(other) } },
    )
  })
}

/** A11 looks at both runs where it is judged in the open one, and at the second by itself there. */
function isJudgedBeside({ code, checked }: CheckResult, other: CheckResult | undefined): boolean {
  return code === 'A11' && checked > 0 && other?.status === 'not-checkable'
}

const JUDGED_BESIDE = 'told of the open run, which is judged beside this one'

function reasonOf(check: CheckResult | undefined): string | null {
  if (check === undefined) return 'not run'
  return check.reason ?? (check.status === 'not-applicable' ? 'nothing to look at' : null)
}

/** By the last third of its steps: how a run went stands beside it as a series. */
export function logMeasures(two: Both): ComparedMeasure[] {
  return RUN_METRICS.map((metric) => {
    const [a, b] = two.each(({ run }) => {
      const logged = loggedOf(run.logs, metric)
      return logged === null ? [] : logged.values.slice(-Math.max(1, Math.floor(logged.values.length / 3)))
    })
    const lacks = { here: 'not logged by this run', there: 'not logged by this run' }
    const label = `logged ${metric.replaceAll('-', ' ')}, last third of the steps`
    return comparedMean({ section: 'logs', id: metric, label }, 'number', a, b, { errors: two.errors, lacks })
  })
}

/** What the results of both runs rest on. */
export function settingMeasures({ here, there }: Both): ComparedMeasure[] {
  const section = 'setting' as const
  const text = (id: string, label: string, of: (side: ComparedSide) => string | null, lack = 'not known') =>
    comparedText({ section, id, label }, of(here), of(there), { here: lack, there: lack })
  return [
    text('format', 'format', ({ report }) =>
      listed(report.sources.flatMap(({ format }) => (format === null ? [] : [format.id]))),
    ),
    text('tokenizer', 'tokenizer', ({ report }) => report.tokenizer.id),
    text('model', 'model', ({ run }) => modelOf(run)),
    text('temperature', 'temperature', ({ run }) =>
      listed(run.dump.facts.flatMap(({ temperature }) => (temperature == null ? [] : String(temperature)))),
    ),
    text('policy', 'mask policy', ({ report }) => report.policy.id),
    text('alignment', 'mask alignment', ({ report }) => report.policy.mask_alignment),
    ...LIMIT_NAMES.map((name) => {
      const named = { section, id: name, label: `limit ${name}` } as const
      const lacks = { here: 'not known', there: 'not known' }
      const [a, b] = [here, there].map(({ report }) => report.limits[name]?.value ?? null)
      // Where rollouts of one run have several, both are told in words.
      return [here, there].some(({ report }) => report.limits_by_rollout?.[name] !== undefined)
        ? comparedText(named, limitTextOf(here, name), limitTextOf(there, name), lacks)
        : comparedNumber(named, 'number', a ?? null, b ?? null, lacks)
    }),
    comparedNumber(
      { section, id: 'group size', label: 'rollouts of a group' },
      'number',
      here.run.dump.groupSize,
      there.run.dump.groupSize,
      { here: 'no groups in this run', there: 'no groups in this run' },
    ),
    text('streams', 'streams that only one run carries', (side) => {
      const other = side === here ? there : here
      return [...side.run.streams].filter((stream) => !other.run.streams.has(stream)).join(', ') || 'none'
    }),
  ]
}

/** `4,096`, `768 in 96 rollouts, 2,048 in 12 rollouts`; null where the limit is not known. */
function limitTextOf({ report }: ComparedSide, name: LimitName): string | null {
  const limit = report.limits[name]
  if (limit !== null) return count(limit.value)
  const several = report.limits_by_rollout?.[name]
  return several === undefined ? null : severalText(several, report.limits_left_out?.[name])
}

/** The models that the rollouts of a run name; null where none does. */
export function modelOf({ dump }: SecondRun): string | null {
  return listed(dump.facts.flatMap(({ model }) => model ?? []))
}

const MOST_LISTED = 3

function listed(values: readonly string[]): string | null {
  const distinct = [...new Set(values)].sort()
  if (distinct.length === 0) return null
  const more = distinct.length - MOST_LISTED
  return `${distinct.slice(0, MOST_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
