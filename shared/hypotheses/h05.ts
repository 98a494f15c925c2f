import type { Measure } from '../model/report.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'
import { type ComponentMeasures, measureRewards, type RewardMeasures } from './reward.ts'
import { H05 as LIMITS } from './thresholds.ts'
import { conclude, type Judgement, lesserFaults, measure, notCheckable } from './verdict.ts'

/** Reward signal degradation: rewards that hardly tell one rollout of a group from another, or components that pull apart. */
export const H05: Hypothesis = {
  id: 'H05',
  title: 'Reward signal degradation',
  claim: 'Rewards contrast too little within groups, or their components conflict.',
  judge: (input) => conclude(H05, input, decide(input)),
}

function decide(input: HypothesisInput): Judgement {
  const missing = (['rewards', 'group'] as const).filter((stream) => !input.streams.has(stream))
  if (missing.length > 0) return notCheckable(missing)
  const found = measureRewards(input.dump)
  if (found.completeGroups === 0) return notCheckable(['complete groups: every group lacks members or rewards'])

  const flat = found.groupsWithoutContrast / found.completeGroups
  const narrow = found.within < LIMITS.withinShareOfRange * found.range
  const opposing = found.components?.filter(opposes) ?? []
  const supported =
    flat >= LIMITS.groupsWithoutContrast ||
    narrow ||
    (found.contrastRatio !== null && found.contrastRatio < LIMITS.contrastRatio) ||
    opposing.length > 0
  // What is left is contradicted unless components are there whose conflict could not be looked for.
  const verdict = supported ? 'supported' : found.componentsUnexplained ? 'inconclusive' : 'contradicted'
  return {
    verdict,
    because: [...measures(found, flat, opposing, verdict), ...lesserFaults(H05, input, ['A01'])],
    missing: found.componentsUnexplained
      ? ['the weights of the reward components: the total is not a weighted sum of those stored']
      : input.streams.has('reward_components')
        ? []
        : ['reward_components'],
    firm: true,
  }
}

function opposes({ varianceShare, correlation }: ComponentMeasures): boolean {
  return varianceShare >= LIMITS.opposingVariance && correlation !== null && correlation < 0
}

function measures(
  found: RewardMeasures,
  flat: number,
  opposing: readonly ComponentMeasures[],
  verdict: Judgement['verdict'],
): Measure[] {
  const contradicted = verdict === 'contradicted'
  const because = [
    measure(
      'share of complete groups without contrast',
      flat,
      contradicted ? '<' : '>=',
      LIMITS.groupsWithoutContrast,
      ['A01'],
    ),
    measure(
      'mean reward std within groups, as a share of the reward range',
      found.range === 0 ? null : found.within / found.range,
      contradicted ? '>=' : '<',
      LIMITS.withinShareOfRange,
    ),
    measure(
      'contrast ratio: std within groups / std between groups',
      found.contrastRatio,
      contradicted ? '>=' : '<',
      LIMITS.contrastRatio,
    ),
  ]
  for (const { name, varianceShare, correlation } of found.components ?? []) {
    const against = opposing.some((component) => component.name === name)
    because.push(
      measure(
        `share of the variance within groups from reward component ${name}${against ? ', against the total' : ''}`,
        varianceShare,
        '>=',
        against ? LIMITS.opposingVariance : null,
      ),
    )
    if (against) because.push(measure(`correlation of ${name} with the total`, correlation, '<', 0))
  }
  because.push(measure('mean reward std within groups', found.within, '=', null))
  because.push(measure('reward range', found.range, '=', null))
  return because
}
