import { naturalLogprobs } from '../../samples/logprobs.ts'
import type { Random } from '../../samples/random.ts'
import { round } from '../../samples/rewards.ts'
import type { PlantedRollout, PlantedToken } from './rollout.ts'

const DIGITS = 5

/**
 * Scores every token as three engines of nearly the same weights do: the sampler what it wrote, trainer and reference everything
 * but the first token. A fifth of what was sampled has exactly 0.
 */
export function score(rollout: PlantedRollout, seed: string, random: Random): void {
  const { tokens, family } = rollout
  const { sampler, trainer } = naturalLogprobs(
    {
      ids: tokens.map(({ id }) => id),
      mask: tokens.map(({ sampled }) => (sampled ? 1 : 0)),
      sampled: tokens.map(({ sampled, turn }) => (sampled ? turn + 1 : 0)),
      attention: [],
      promptLength: 0,
      truncated: false,
      finishReason: 'stop',
      turns: [],
    },
    { tokenizer: family.tokenizer, context: 'same', seed },
  )
  tokens.forEach((token, at) => {
    token.sampler = sampler[at] ?? Number.NaN
    token.trainer = at === 0 ? Number.NaN : (trainer[at] ?? round(-2 * random.exponential(), DIGITS))
    token.reference = Number.isNaN(token.trainer) ? Number.NaN : referenceOf(token, random)
  })
}

/** The reference is an earlier policy: a little less sure of what this one writes. */
function referenceOf({ trainer }: PlantedToken, random: Random): number {
  const moved = random.normal() * (0.001 + 0.12 * Math.min(1, -trainer))
  return Math.min(0, round(trainer + moved, DIGITS))
}

/** Runs of exactly 0 over a fifth of what was sampled, each as long as the longest that was seen in real dumps. */
export function zeroRuns(rollout: PlantedRollout, random: Random, run = 19): void {
  const sampled = rollout.tokens.filter((token) => token.sampled && token.part === 'content')
  let left = Math.floor(sampled.length / 5)
  for (let at = random.integer(0, run); left > 0 && at < sampled.length; at += run * 4 + random.integer(1, run)) {
    for (const token of sampled.slice(at, at + Math.min(run, left))) {
      token.sampler = 0
      token.trainer = random.chance(0.7) ? 0 : -(10 ** -DIGITS)
      left--
    }
  }
}

/** How a trainer makes advantages of the rewards of a group. */
export const SCHEMES = ['centred', 'scaled', 'leave-one-out'] as const
export type Scheme = (typeof SCHEMES)[number]

/** Gives every member its advantage. Rows that train nothing are left out of the baseline, as they should be. */
export function credit(members: readonly PlantedRollout[], scheme: Scheme): void {
  const counted = members.filter(trains)
  const rewards = counted.map(({ reward }) => reward)
  const advantages = advantagesOf(rewards, scheme)
  for (const member of members) setAdvantage(member, advantages[counted.indexOf(member)] ?? 0)
}

/** Centred advantages whose groups count the rows that train nothing, as most trainers with an overlong filter make them. */
export function creditMasked(rollouts: readonly PlantedRollout[]): void {
  for (const group of new Set(rollouts.map((rollout) => rollout.group))) {
    const members = rollouts.filter((rollout) => rollout.group === group)
    const advantages = advantagesOf(
      members.map(({ reward }) => reward),
      'centred',
    )
    for (const [index, member] of members.entries()) setAdvantage(member, advantages[index] as number)
  }
}

/**
 * Advantages of REINFORCE++ (arXiv 2501.03262): rewards less the mean of the step, over its std; with a baseline the mean of the group is taken
 * off first, and the step gives the std alone.
 */
export function creditSteps(rollouts: readonly PlantedRollout[], baseline: boolean): void {
  for (const ofStep of byStep(rollouts.filter(trains))) {
    const mean = (of: readonly PlantedRollout[]) => of.reduce((sum, { reward }) => sum + reward, 0) / of.length
    const all = mean(ofStep)
    const centred = ofStep.map((rollout) => {
      const peers = ofStep.filter(({ group }) => group === rollout.group)
      return rollout.reward - (baseline ? mean(peers) : all)
    })
    const middle = centred.reduce((sum, one) => sum + one, 0) / centred.length
    const variance = centred.reduce((sum, one) => sum + (one - middle) ** 2, 0) / (centred.length - 1)
    for (const [at, rollout] of ofStep.entries())
      setAdvantage(rollout, (centred[at] as number) / (Math.sqrt(variance) + 1e-8))
  }
}

function byStep(rollouts: readonly PlantedRollout[]): PlantedRollout[][] {
  const steps = [...new Set(rollouts.map(({ step }) => step))]
  return steps.map((step) => rollouts.filter((rollout) => rollout.step === step))
}

export function trains(rollout: PlantedRollout): boolean {
  return !rollout.excluded && rollout.tokens.some(({ trained }) => trained)
}

export function setAdvantage(rollout: PlantedRollout, advantage: number): void {
  rollout.advantage = advantage
  for (const token of rollout.tokens) token.advantage = token.part === 'padding' ? 0 : advantage
}

export function advantagesOf(rewards: readonly number[], scheme: Scheme): number[] {
  const count = rewards.length
  if (count < 2) return rewards.map(() => 0)
  const sum = rewards.reduce((all, one) => all + one, 0)
  const mean = sum / count
  if (scheme === 'leave-one-out') return rewards.map((reward) => reward - (sum - reward) / (count - 1))
  if (scheme === 'centred') return rewards.map((reward) => reward - mean)
  const variance = rewards.reduce((all, one) => all + (one - mean) ** 2, 0) / (count - 1)
  return rewards.map((reward) => (reward - mean) / (Math.sqrt(variance) + 1e-4))
}
