import { END_REASONS, type TrajectoryFacts } from '../checks/facts.ts'
import { isCut } from '../checks/limits.ts'
import { hasHiddenDocuments, hasLostText } from '../checks/rollout-filter.ts'
import type { SecondRun } from '../hypotheses/hypothesis.ts'
import { loggedOf } from '../hypotheses/logged.ts'
import { measureRewards, type RewardMeasures } from '../hypotheses/reward.ts'
import type { CheckResult, HypothesisId, Report } from '../model/report.ts'
import { RUN_METRICS } from '../model/run-log.ts'
import { LIMIT_NAMES, type Stream } from '../model/streams.ts'
import { PARTS } from '../model/tokens.ts'
import {
  byDifference,
  comparedMean,
  comparedNumber,
  comparedShare,
  comparedText,
  percentile95,
  type Sample,
} from './comparison-statistics.ts'
import { lengthsOf } from './lengths.ts'
import type { BoundaryRow } from './protocol.ts'
import type { ComparedMeasure } from './requests/compare.ts'
import { STREAM_TITLES } from './streams.ts'

/** A run as it is compared: its report, and what that was made of. */
export interface ComparedSide {
  readonly report: Report
  readonly run: SecondRun
  readonly boundaries: readonly BoundaryRow[]
}

/** What both runs together decide. */
export const TOGETHER: readonly HypothesisId[] = ['H06-library', 'H07', 'H08']

/** More turns than these are told by the others. */
const MOST_TURNS = 8

/** Every measure of which at least one run tells, the largest difference that is more than chance first. */
export function comparedMeasures(here: ComparedSide, there: ComparedSide): ComparedMeasure[] {
  const errors = here.run.dump.settings.thresholds['run-standard-errors']
  const two = new Both(here, there, errors)
  return [
    ...verdicts(two),
    ...rewards(two),
    ...ends(two),
    ...lengths(two),
    ...loss(two),
    ...turns(two),
    ...logprobs(two),
    ...edges(two),
    ...checks(two),
    ...documents(two),
    ...logs(two),
    ...setting(two),
  ]
    .filter((each) => each.here !== null || each.there !== null)
    .sort(byDifference)
}

type Facts = readonly TrajectoryFacts[]

/** Two runs, asked the same question. */
class Both {
  constructor(
    readonly here: ComparedSide,
    readonly there: ComparedSide,
    readonly errors: number,
  ) {}

  get facts(): readonly [Facts, Facts] {
    return [this.here.run.dump.facts, this.there.run.dump.facts]
  }

  each<Value>(of: (side: ComparedSide) => Value): readonly [Value, Value] {
    return [of(this.here), of(this.there)]
  }

  /** Why a run does not tell, where a stream is what it takes. */
  lacks(stream: Stream) {
    const lack = ({ run }: ComparedSide) =>
      run.streams.has(stream) ? 'nothing to take it from' : `no ${STREAM_TITLES[stream]} in this run`
    const [here, there] = this.each(lack)
    return { here, there }
  }

  mean(
    named: Parameters<typeof comparedMean>[0],
    unit: Parameters<typeof comparedMean>[1],
    of: (facts: Facts) => readonly number[],
    stream: Stream,
  ): ComparedMeasure {
    const [a, b] = this.facts
    return comparedMean(named, unit, of(a), of(b), { errors: this.errors, lacks: this.lacks(stream) })
  }

  share(
    named: Parameters<typeof comparedShare>[0],
    of: (facts: Facts) => readonly boolean[],
    stream: Stream,
  ): ComparedMeasure {
    const [a, b] = this.facts
    const sample = (flags: readonly boolean[]): (Sample & { kind: 'share' }) | null =>
      flags.length === 0 ? null : { kind: 'share', of: flags.length, affected: flags.filter(Boolean).length }
    return comparedShare(named, sample(of(a)), sample(of(b)), { errors: this.errors, lacks: this.lacks(stream) })
  }
}

function verdicts({ here, there }: Both): ComparedMeasure[] {
  return here.report.hypotheses
    .filter(({ id }) => !TOGETHER.includes(id))
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

function rewards(two: Both): ComparedMeasure[] {
  const section = 'reward' as const
  const [a, b] = two.each(({ run }) => measureRewards(run.dump))
  const noGroups = two.lacks('group')
  const of = (measures: RewardMeasures, value: number | null) => (measures.completeGroups === 0 ? null : value)
  const flat = (measures: RewardMeasures): (Sample & { kind: 'share' }) | null =>
    measures.completeGroups === 0
      ? null
      : { kind: 'share', of: measures.completeGroups, affected: measures.groupsWithoutContrast }
  const names = new Set(two.facts.flatMap((facts) => componentNames(facts)))
  return [
    two.mean({ section, id: 'mean', label: 'mean reward' }, 'number', finiteRewards, 'rewards'),
    comparedShare(
      { section, id: 'dead', label: 'dead groups (all rewards the same)', codes: ['A01'] },
      flat(a),
      flat(b),
      {
        errors: two.errors,
        lacks: noGroups,
      },
    ),
    comparedNumber(
      { section, id: 'within', label: 'mean std of rewards within groups' },
      'number',
      of(a, a.within),
      of(b, b.within),
      noGroups,
    ),
    comparedNumber(
      { section, id: 'contrast', label: 'std within groups ÷ between groups' },
      'number',
      of(a, a.contrastRatio),
      of(b, b.contrastRatio),
      noGroups,
    ),
    comparedNumber(
      { section, id: 'range', label: 'range of rewards' },
      'number',
      of(a, a.range),
      of(b, b.range),
      noGroups,
    ),
    ...[...names].sort().map((name) =>
      two.mean(
        { section, id: `component ${name}`, label: `mean of the component ${name}` },
        'number',
        (facts) =>
          facts.flatMap(({ rewards: own }) => {
            const value = own !== null && Object.hasOwn(own, name) ? own[name] : undefined
            return value !== undefined && Number.isFinite(value) ? value : []
          }),
        'reward_components',
      ),
    ),
    two.mean(
      { section, id: 'advantage', label: 'mean |advantage|' },
      'number',
      (facts) =>
        facts.flatMap(({ advantage }) =>
          advantage === null || !Number.isFinite(advantage) ? [] : Math.abs(advantage),
        ),
      'advantages',
    ),
  ]
}

function finiteRewards(facts: Facts): number[] {
  return facts.flatMap(({ reward }) => (reward === null || !Number.isFinite(reward) ? [] : reward))
}

function componentNames(facts: Facts): string[] {
  const names = new Set<string>()
  for (const { rewards: own } of facts) for (const name of Object.keys(own ?? {})) names.add(name)
  return [...names]
}

const END_LABELS: Readonly<Record<(typeof END_REASONS)[number], string>> = {
  stop: 'rollouts that end properly',
  'cut-prose': 'rollouts cut in prose',
  'cut-call': 'rollouts cut in a tool call',
  'cut-reply': 'rollouts cut in a reply',
  'prompt-only': 'rollouts without anything after the prompt',
  unknown: 'rollouts whose end the ids do not tell',
}

function ends(two: Both): ComparedMeasure[] {
  const section = 'ends' as const
  const telling = (facts: Facts) => facts.filter(({ endReason }) => endReason !== 'unknown')
  return [
    two.share(
      { section, id: 'cut', label: 'rollouts that a limit cut', codes: ['C03', 'C05'] },
      (facts) => telling(facts).map(isCut),
      'tokenizer',
    ),
    ...END_REASONS.filter((end) => end !== 'unknown').map((end) =>
      two.share(
        { section, id: end, label: END_LABELS[end] },
        (facts) => telling(facts).map(({ endReason }) => endReason === end),
        'tokenizer',
      ),
    ),
    two.share(
      { section, id: 'flagged', label: 'rollouts that the run flags as truncated' },
      (facts) => facts.flatMap(({ isTruncated }) => isTruncated ?? []),
      'finish_reason',
    ),
    two.share(
      { section, id: 'lost', label: 'rollouts that lost text' },
      (facts) => facts.filter(({ idsHash }) => idsHash !== null).map(hasLostText),
      'ids',
    ),
    two.share(
      { section, id: 'excluded', label: 'rollouts that the loss leaves out whole' },
      (facts) =>
        facts.filter(({ trained }) => trained !== null).map(({ trained, excluded }) => excluded || trained === 0),
      'mask',
    ),
  ]
}

function lengths(two: Both): ComparedMeasure[] {
  const section = 'lengths' as const
  const kinds = [
    ['sequence', 'whole rollout'],
    ['prompt', 'prompt'],
    ['assistant-turn', 'assistant turn'],
    ['tool-reply', 'tool reply'],
  ] as const
  return kinds.flatMap(([of, label]) => {
    const [a, b] = two.facts.map((facts) => lengthsOf(facts, of))
    return [
      comparedMean({ section, id: of, label: `${label}, mean length` }, 'tokens', a ?? [], b ?? [], {
        errors: two.errors,
        lacks: two.lacks(of === 'prompt' ? 'ids' : 'tokenizer'),
      }),
      comparedNumber(
        { section, id: `${of} p95`, label: `${label}, 95th percentile` },
        'tokens',
        percentile95(a ?? []),
        percentile95(b ?? []),
        two.lacks(of === 'prompt' ? 'ids' : 'tokenizer'),
      ),
    ]
  })
}

function loss(two: Both): ComparedMeasure[] {
  const section = 'loss' as const
  const units = two.each(({ report }) => report.totals.trajectories)
  const [a, b] = two.each(({ report }) => report.totals)
  const share = (id: string, label: string, x: Counted, y: Counted, codes: readonly string[] = []) =>
    comparedShare({ section, id, label, codes }, sampleOf(x), sampleOf(y), {
      errors: two.errors,
      lacks: two.lacks('mask'),
      units,
    })
  const whole = ({ tokens }: Report['totals']): Counted => ({
    total: tokens.total - tokens.padding,
    trained: tokens.trained + tokens.masked > 0 ? tokens.trained : null,
  })
  const turnNumbers = [...new Set([...Object.keys(a.by_turn), ...Object.keys(b.by_turn)])]
    .map(Number)
    .sort((x, y) => x - y)
    .slice(0, MOST_TURNS)
  return [
    share('trained', 'trained share of all tokens', whole(a), whole(b)),
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

interface Counted {
  readonly total: number
  readonly trained: number | null
}

const NOTHING: Counted = { total: 0, trained: null }

function sampleOf({ total, trained }: Counted): (Sample & { kind: 'share' }) | null {
  return total === 0 || trained === null ? null : { kind: 'share', of: total, affected: trained }
}

const PART_LABELS: Readonly<Record<(typeof PARTS)[number], string>> = {
  bos: 'BOS',
  header: 'turn headers',
  prefill: 'template prefill',
  system: 'system text',
  user: 'user text',
  tool: 'tool replies',
  assistant: 'assistant text',
  think: 'thinking',
  tool_call: 'tool calls',
  end: 'ends of turns',
  separator: 'separators',
  padding: 'padding',
  other: 'other tokens',
}

function turns(two: Both): ComparedMeasure[] {
  const section = 'turns' as const
  const framed = (facts: Facts) => facts.filter((row) => row.turns > 0)
  return [
    two.mean(
      { section, id: 'assistant', label: 'assistant turns per rollout' },
      'number',
      (facts) => framed(facts).map(({ assistantTurns }) => assistantTurns),
      'tokenizer',
    ),
    two.mean(
      { section, id: 'tool', label: 'tool replies per rollout' },
      'number',
      (facts) => framed(facts).map(({ toolTurns }) => toolTurns),
      'tokenizer',
    ),
    two.share(
      { section, id: 'several', label: 'rollouts of several assistant turns' },
      (facts) => framed(facts).map(({ assistantTurns }) => assistantTurns > 1),
      'tokenizer',
    ),
  ]
}

function logprobs(two: Both): ComparedMeasure[] {
  const section = 'logprobs' as const
  return [
    two.mean(
      { section, id: 'gap', label: 'mean |sampler − trainer| per rollout', codes: ['L01'] },
      'nats',
      (facts) => facts.flatMap(({ gap }) => (gap && gap.count > 0 ? gap.absolute / gap.count : [])),
      'logprobs.trainer',
    ),
    two.mean(
      { section, id: 'kl', label: 'mean KL to the reference (k3) per rollout' },
      'nats',
      // The third of `KL_FORMULAS`.
      (facts) => facts.flatMap(({ kl }) => (kl && kl.count > 0 ? (kl.formulas[2] as number) / kl.count : [])),
      'logprobs.reference',
    ),
  ]
}

function edges({ here, there }: Both): ComparedMeasure[] {
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

function checks({ here, there, errors }: Both): ComparedMeasure[] {
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
      { errors, lacks: { here: reasonOf(own), there: reasonOf(other) } },
    )
  })
}

function reasonOf(check: CheckResult | undefined): string | null {
  if (check === undefined) return 'not run'
  return check.reason ?? (check.status === 'not-applicable' ? 'nothing to look at' : null)
}

function documents(two: Both): ComparedMeasure[] {
  const section = 'documents' as const
  const documented = (facts: Facts) =>
    facts.filter(({ supportingDocuments: found }) => found !== null && found.available > 0)
  return [
    two.share(
      { section, id: 'visible', label: 'rollouts that see all supporting documents that were brought', codes: ['C12'] },
      (facts) => documented(facts).map((row) => !hasHiddenDocuments(row)),
      'documents',
    ),
    two.mean(
      { section, id: 'retrieved', label: 'share of supporting documents that were brought' },
      'number',
      (facts) =>
        documented(facts).flatMap(({ supportingDocuments: found }) =>
          found?.retrieved === null || found === null ? [] : found.retrieved / found.available,
        ),
      'documents',
    ),
    two.share(
      { section, id: 'answer', label: 'rollouts in which the model says the expected answer' },
      (facts) => facts.flatMap(({ answerPlace }) => (answerPlace ? answerPlace === 'model' : [])),
      'answer',
    ),
  ]
}

/** By the last third of its steps: how a run went stands beside it as a series. */
function logs(two: Both): ComparedMeasure[] {
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

function setting({ here, there }: Both): ComparedMeasure[] {
  const section = 'setting' as const
  const text = (id: string, label: string, of: (side: ComparedSide) => string | null, lack = 'not known') =>
    comparedText({ section, id, label }, of(here), of(there), { here: lack, there: lack })
  return [
    text('format', 'format', ({ report }) =>
      listed(report.sources.flatMap(({ format }) => (format === null ? [] : [format.id]))),
    ),
    text('tokenizer', 'tokenizer', ({ report }) => report.tokenizer.id),
    text('model', 'model', ({ run }) => listed(run.dump.facts.flatMap(({ model }) => model ?? []))),
    text('temperature', 'temperature', ({ run }) =>
      listed(run.dump.facts.flatMap(({ temperature }) => (temperature == null ? [] : String(temperature)))),
    ),
    text('policy', 'mask policy', ({ report }) => report.policy.id),
    text('alignment', 'mask alignment', ({ report }) => report.policy.mask_alignment),
    ...LIMIT_NAMES.map((name) =>
      comparedNumber(
        { section, id: name, label: `limit ${name}` },
        'number',
        here.report.limits[name]?.value ?? null,
        there.report.limits[name]?.value ?? null,
        { here: 'not known', there: 'not known' },
      ),
    ),
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

const MOST_LISTED = 3

function listed(values: readonly string[]): string | null {
  const distinct = [...new Set(values)].sort()
  if (distinct.length === 0) return null
  const more = distinct.length - MOST_LISTED
  return `${distinct.slice(0, MOST_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
