import { FactColumns } from '../../checks/facts/fact-columns.ts'
import { END_REASONS } from '../../checks/facts/facts.ts'
import { hasHiddenDocuments, hasLostText } from '../../checks/facts/rollout-filter.ts'
import { isCutReason } from '../../checks/limits/limits.ts'
import { endOf, toldEnds } from '../../checks/truncation/told-ends.ts'
import { measureRewards, type RewardMeasures } from '../../hypotheses/reward.ts'
import { lengthsOf } from '../audit/lengths.ts'
import type { ComparedMeasure } from '../requests/compare.ts'
import type { Both, Facts } from './pair.ts'
import { comparedMean, comparedNumber, comparedShare, percentile95, type Sample } from './statistics.ts'

/** Rewards, their spread inside groups, their components, and advantages. */
export function* rewardMeasures(two: Both): Generator<ComparedMeasure, void> {
  const section = 'reward' as const
  const [a, b] = two.each(({ run }) => measureRewards(run.dump))
  const noGroups = two.lacks('group')
  const of = (measures: RewardMeasures, value: number | null) => (measures.completeGroups === 0 ? null : value)
  const flat = (measures: RewardMeasures): (Sample & { kind: 'share' }) | null =>
    measures.completeGroups === 0
      ? null
      : { kind: 'share', of: measures.completeGroups, affected: measures.groupsWithoutContrast }
  const names = new Set(two.facts.flatMap((facts) => componentNames(facts)))
  yield two.mean({ section, id: 'mean', label: 'mean reward' }, 'number', finiteRewards, 'rewards')
  yield comparedShare(
    { section, id: 'dead', label: 'dead groups (all rewards the same)', codes: ['A01'] },
    flat(a),
    flat(b),
    {
      errors: two.errors,
      lacks: noGroups,
    },
  )
  const spreads = [
    ['within', 'mean std of rewards within groups', a.within, b.within],
    ['contrast', 'std within groups ÷ between groups', a.contrastRatio, b.contrastRatio],
    ['range', 'range of rewards', a.range, b.range],
  ] as const
  for (const [id, label, ofA, ofB] of spreads) {
    yield comparedNumber({ section, id, label }, 'number', of(a, ofA), of(b, ofB), noGroups)
  }
  yield* [...names].sort().map((name) =>
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
  )
  yield two.mean(
    { section, id: 'advantage', label: 'mean |advantage| over all rollouts' },
    'number',
    (facts) =>
      facts.flatMap(({ advantage }) => (advantage === null || !Number.isFinite(advantage) ? [] : Math.abs(advantage))),
    'advantages',
  )
}

function finiteRewards(facts: Facts): number[] {
  const rewards: number[] = []
  for (const { reward } of facts) if (reward !== null && Number.isFinite(reward)) rewards.push(reward)
  return rewards
}

function componentNames(facts: Facts): string[] {
  return [...new FactColumns(facts).names('rewards').keys()]
}

const END_LABELS: Readonly<Record<(typeof END_REASONS)[number], string>> = {
  stop: 'rollouts that end properly',
  'cut-prose': 'rollouts cut in prose',
  'cut-call': 'rollouts cut in a tool call',
  'cut-reply': 'rollouts cut in a reply',
  'prompt-only': 'rollouts without anything after the prompt',
  unknown: 'rollouts whose end the ids do not tell',
}

/** How rollouts end, and what they lost. */
export function* endMeasures(two: Both): Generator<ComparedMeasure, void> {
  const section = 'ends' as const
  const tellings = new Map(two.facts.map((facts) => [facts, facts.filter(({ endReason }) => endReason !== 'unknown')]))
  const telling = (facts: Facts) => tellings.get(facts) ?? []
  const told = two.each(({ run }) => toldEnds(run.dump))
  const ends = {
    open: new Set(told.flatMap(({ open }) => [...open])),
    refuted: new Set(told.flatMap(({ refuted }) => [...refuted])),
  }
  yield two.share(
    { section, id: 'cut', label: 'rollouts that a limit cut', codes: ['C03', 'C05'] },
    (facts) => telling(facts).map((row) => isCutReason(endOf(row, ends))),
    'tokenizer',
  )
  yield* END_REASONS.filter((end) => end !== 'unknown').map((end) =>
    two.share(
      { section, id: end, label: END_LABELS[end] },
      (facts) => telling(facts).map((row) => endOf(row, ends) === end),
      'tokenizer',
    ),
  )
  yield two.share(
    { section, id: 'flagged', label: 'rollouts that the run flags as truncated' },
    (facts) => facts.flatMap(({ isTruncated }) => isTruncated ?? []),
    'finish_reason',
  )
  yield two.share(
    { section, id: 'lost', label: 'rollouts that lost text' },
    (facts) =>
      facts
        .filter((row) => row.idsHash !== null && (!ends.open.has(row) || hasLostText(row, ends)))
        .map((row) => hasLostText(row, ends)),
    'ids',
  )
  yield two.share(
    { section, id: 'excluded', label: 'rollouts that the loss leaves out whole' },
    (facts) =>
      facts.filter(({ trained }) => trained !== null).map(({ trained, excluded }) => excluded || trained === 0),
    'mask',
  )
}

/** Means and 95th percentiles of lengths. */
export function* lengthMeasures(two: Both): Generator<ComparedMeasure, void> {
  const section = 'lengths' as const
  const kinds = [
    ['sequence', 'whole rollout'],
    ['prompt', 'prompt'],
    ['assistant-turn', 'assistant turn'],
    ['tool-reply', 'tool reply'],
  ] as const
  for (const [of, label] of kinds) {
    const [a, b] = two.facts.map((facts) => lengthsOf(facts, of))
    yield comparedMean({ section, id: of, label: `${label}, mean length` }, 'tokens', a ?? [], b ?? [], {
      errors: two.errors,
      lacks: two.lacks(of === 'prompt' ? 'ids' : 'tokenizer'),
    })
    yield comparedNumber(
      { section, id: `${of} p95`, label: `${label}, 95th percentile` },
      'tokens',
      percentile95(a ?? []),
      percentile95(b ?? []),
      two.lacks(of === 'prompt' ? 'ids' : 'tokenizer'),
    )
  }
}

/** How many turns rollouts have. */
export function* turnMeasures(two: Both): Generator<ComparedMeasure, void> {
  const section = 'turns' as const
  const framed = (facts: Facts) => facts.filter((row) => row.turns > 0)
  yield two.mean(
    { section, id: 'assistant', label: 'assistant turns per rollout' },
    'number',
    (facts) => framed(facts).map(({ assistantTurns }) => assistantTurns),
    'tokenizer',
  )
  yield two.mean(
    { section, id: 'tool', label: 'tool replies per rollout' },
    'number',
    (facts) => framed(facts).map(({ toolTurns }) => toolTurns),
    'tokenizer',
  )
  yield two.share(
    { section, id: 'several', label: 'rollouts of several assistant turns' },
    (facts) => framed(facts).map(({ assistantTurns }) => assistantTurns > 1),
    'tokenizer',
  )
}

/** Distances between the policies, where the dump has their logprobs. */
export function* logprobMeasures(two: Both): Generator<ComparedMeasure, void> {
  const section = 'logprobs' as const
  yield two.mean(
    { section, id: 'gap', label: 'mean |sampler − trainer| per rollout', codes: ['L01'] },
    'nats',
    (facts) => facts.flatMap(({ gap }) => (gap && gap.count > 0 ? gap.absolute / gap.count : [])),
    'logprobs.trainer',
  )
  yield two.mean(
    { section, id: 'kl', label: 'mean KL to the reference (k3) per rollout' },
    'nats',
    // The third of `KL_FORMULAS`.
    (facts) => facts.flatMap(({ kl }) => (kl && kl.count > 0 ? (kl.formulas[2] as number) / kl.count : [])),
    'logprobs.reference',
  )
}

/** Which documents the model could see, and whether it said the answer. */
export function* documentMeasures(two: Both): Generator<ComparedMeasure, void> {
  const section = 'documents' as const
  const documented = (facts: Facts) =>
    facts.filter(({ supportingDocuments: found }) => found !== null && found.available > 0)
  yield two.share(
    { section, id: 'visible', label: 'rollouts that see all supporting documents that were brought', codes: ['C12'] },
    (facts) => documented(facts).map((row) => !hasHiddenDocuments(row)),
    'documents',
  )
  yield two.mean(
    { section, id: 'retrieved', label: 'share of supporting documents that were brought' },
    'number',
    (facts) =>
      documented(facts).flatMap(({ supportingDocuments: found }) =>
        found?.retrieved === null || found === null ? [] : found.retrieved / found.available,
      ),
    'documents',
  )
  yield two.share(
    { section, id: 'answer', label: 'rollouts in which the model says the expected answer' },
    (facts) => facts.flatMap(({ answerPlace }) => (answerPlace ? answerPlace === 'model' : [])),
    'answer',
  )
}
