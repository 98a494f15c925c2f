import { copyOf } from '../dump.ts'
import type { Plant } from '../plant.ts'
import { type PlantedRollout, turnsBy } from '../rollout.ts'

import {
  fewTokens,
  filled,
  found,
  LONG_ANSWERS,
  logprobOf,
  oddsOf,
  rounded,
  sampledIn,
  sampledSpan,
  shift,
  stepByGroup,
  surprise,
  unsettle,
  writtenIn,
} from './logprob-changes.ts'

const BOTH = ['mask', 'sampler', 'trainer'] as const

export const LOGPROB_PLANTS: readonly Plant[] = [
  {
    code: 'L01',
    title: 'the trainer runs in another precision',
    needs: BOTH,
    // A mean over a few tokens is not sure.
    plan: LONG_ANSWERS,
    rollout: (rollout, { random }) => {
      unsettle(sampledIn(rollout), 1.2, random)
      return [sampledSpan(rollout)]
    },
  },
  {
    code: 'L02',
    title: 'the trainer does not see the replies: it agrees in the first turn and not in those after',
    needs: BOTH,
    perTurn: true,
    rollout: (rollout, { random }) => {
      const spans = turnsBy(rollout, 'assistant').slice(1).map(writtenIn)
      for (const span of spans) surprise(sampledIn(rollout, span), random)
      return spans.length === 0 ? null : spans
    },
    verdicts: { H07: 'supported' },
  },
  {
    code: 'L02',
    title:
      'the trainer lacks the headers of later turns: it is surprised by their first words, and agrees again behind them',
    needs: BOTH,
    perTurn: true,
    rollout: (rollout, { random }) => {
      const spans = turnsBy(rollout, 'assistant').slice(1).map(writtenIn)
      // What the sampler was sure of in the first words of a short turn tells too little.
      if (spans.length === 0 || spans.some((span) => sampledIn(rollout, span).length < 16)) return null
      for (const span of spans) surprise(sampledIn(rollout, span).slice(0, 7), random)
      return spans
    },
    verdicts: { H07: 'supported' },
  },
  {
    code: 'L02',
    title: 'the trainer sees its own words alone: it is surprised at the start of every turn',
    needs: BOTH,
    perTurn: true,
    rollout: (rollout, { random }) => {
      const spans = turnsBy(rollout, 'assistant').map(writtenIn)
      for (const span of spans) surprise(sampledIn(rollout, span), random)
      return spans
    },
  },
  {
    code: 'L03',
    title: 'the trainer divides logprobs by a temperature, and the sampler reports raw ones',
    needs: BOTH,
    plan: LONG_ANSWERS,
    rollout: (rollout, { random }) => {
      rollout.temperature = random.pick([0.6, 0.7, 1.3])
      for (const token of sampledIn(rollout)) found(token, token.trainer / rollout.temperature)
      return [sampledSpan(rollout)]
    },
  },
  {
    code: 'L03',
    title: 'the trainer divides logits by a temperature, and the sampler does not',
    needs: BOTH,
    // Odds are told from tokens that are neither certain nor all but impossible, and of these a short rollout has few.
    plan: LONG_ANSWERS,
    rollout: (rollout, { random }) => {
      rollout.temperature = random.pick([0.5, 0.6])
      for (const token of sampledIn(rollout)) {
        if (token.sampler < -1e-4) found(token, logprobOf(oddsOf(token.trainer) / rollout.temperature))
      }
      return [sampledSpan(rollout)]
    },
  },
  {
    code: 'L04',
    title: 'the sampler reports logprobs of what a top-p of 0.9 left over',
    needs: BOTH,
    rollout: (rollout, { random }) => {
      for (const token of sampledIn(rollout)) {
        const kept = 0.9 + 0.1 * random.next()
        // A token that makes up the nucleus alone has a probability of one in it.
        token.sampler = token.trainer >= Math.log(0.9) ? 0 : rounded(token.trainer - Math.log(kept))
      }
      return [sampledSpan(rollout)]
    },
  },
  {
    code: 'L04',
    title: 'the sampler divides every probability by the same mass that it kept',
    needs: BOTH,
    plan: LONG_ANSWERS,
    rollout: (rollout) => {
      // What comes out above one is cut off, which bends the odds of likely tokens as a temperature would.
      for (const token of sampledIn(rollout)) token.sampler = rounded(token.trainer + 0.3)
      return [sampledSpan(rollout)]
    },
  },
  {
    code: 'L04',
    title: 'the sampler reports logprobs of what a top-k of 2 left over',
    needs: BOTH,
    plan: LONG_ANSWERS,
    // A few rollouts do not tell it by themselves: there it is a mismatch.
    patterns: ['systematic'],
    rollout: (rollout, { random }) => {
      for (const token of sampledIn(rollout)) {
        const own = Math.exp(token.trainer)
        // Either another token has most of the rest, or those that were kept are about as likely as this one.
        const beside = random.chance(0.5)
          ? (1 - own) * (0.5 + 0.4 * random.next())
          : Math.min(1 - own, own * (0.2 + 0.9 * random.next()))
        token.sampler = rounded(token.trainer - Math.log(own + beside))
      }
      return [sampledSpan(rollout)]
    },
  },
  {
    code: 'L05',
    title: 'a sentinel of 1 was left in the logprobs',
    needs: ['mask', 'sampler'],
    // There it says that a token was not sampled.
    notIn: ['atropos'],
    perTurn: true,
    rollout: filled(1),
  },
  {
    code: 'L05',
    title: 'the sampler reports minus infinity',
    needs: ['mask', 'sampler'],
    perTurn: true,
    rollout: filled(Number.NEGATIVE_INFINITY),
  },
  {
    code: 'L05',
    title: 'a filler of a large negative number stands for a logprob',
    needs: ['mask', 'sampler'],
    perTurn: true,
    rollout: filled(-9999),
  },
  {
    code: 'L05',
    title: 'a filler that could be a logprob stands where the trainer finds a token likely',
    needs: BOTH,
    perTurn: true,
    rollout: (rollout, { random }) => {
      const span = fewTokens(rollout, random.integer(1, 2), random)
      if (span === null) return null
      const value = random.pick([-20, -30, -50, -100])
      for (const token of rollout.tokens.slice(span.start, span.end)) {
        token.sampler = value
        found(token, -2 * random.next())
      }
      return [span]
    },
  },
  {
    code: 'L05',
    title: 'sampled tokens have no logprob at all',
    needs: ['mask', 'sampler', 'more'],
    perTurn: true,
    rollout: (rollout, context) => {
      rollout.more = { ...rollout.more, sampled: rollout.tokens.map(({ sampled }) => (sampled ? 1 : 0)) }
      return filled(Number.NaN)?.(rollout, context) ?? null
    },
  },
  {
    code: 'L05',
    title: 'the trainer found no number for a few tokens that it trains',
    needs: [...BOTH, 'more'],
    perTurn: true,
    rollout: (rollout, { random }) => {
      const span = fewTokens(rollout, random.integer(1, 3), random)
      if (span === null) return null
      for (const token of rollout.tokens.slice(span.start, span.end)) token.trainer = Number.NaN
      return [span]
    },
  },
  {
    code: 'L05',
    title: 'the trainer found no number for anything in a rollout',
    needs: [...BOTH, 'more'],
    patterns: ['sporadic'],
    rollout: (rollout) => {
      for (const token of rollout.tokens) token.trainer = Number.NaN
      return []
    },
  },
  {
    code: 'L05',
    title: 'an exact 0 stands where the trainer finds a token unlikely',
    needs: BOTH,
    perTurn: true,
    rollout: (rollout, { random }) => {
      const span = fewTokens(rollout, 2, random)
      if (span === null) return null
      for (const token of rollout.tokens.slice(span.start, span.end)) {
        token.sampler = 0
        found(token, -3 - 4 * random.next())
      }
      return [span]
    },
  },
  {
    code: 'L05',
    title: 'the trainer’s own logprobs are NaN where its forward pass overflowed',
    needs: ['mask', 'sampler', 'trainer', 'more'],
    perTurn: true,
    rollout: (rollout, { random }) => {
      const span = fewTokens(rollout, 2, random)
      if (span === null) return null
      for (const token of rollout.tokens.slice(span.start, span.end)) token.trainer = Number.POSITIVE_INFINITY
      return [span]
    },
  },
  {
    code: 'L06',
    title: 'the trainer’s logprobs lie a few tokens beside the sampler’s',
    needs: BOTH,
    rollout: (rollout, { random }) => {
      shift(rollout, random.pick([-3, -2, -1, 1, 2, 3]))
      return [sampledSpan(rollout)]
    },
    alongside: { L10: 'a token is held against what the reference finds of another' },
  },
  {
    code: 'L07',
    title: 'the sampler’s logprobs were stored in both places',
    needs: BOTH,
    rollout: (rollout) => {
      for (const token of sampledIn(rollout)) token.trainer = token.sampler
      return [sampledSpan(rollout)]
    },
  },
  {
    code: 'L08',
    title: 'the adapter never reaches the sampler: the gap grows with every step',
    needs: BOTH,
    // Their rows do not say their step.
    notIn: ['nemo-rl', 'openrlhf'],
    patterns: ['sporadic'],
    dump: (dump, { random }) => {
      const groups = stepByGroup(dump)
      for (const [step, members] of groups.entries()) {
        for (const member of members) unsettle(sampledIn(member), 0.2 * step, random)
      }
      // The gap is told of the later half of the steps.
      return groups.slice(groups.length / 2).flat()
    },
    alongside: { L01: 'in the later steps the gap is beyond what engines leave' },
    verdicts: { 'H06-lora': 'supported' },
  },
  {
    code: 'L08',
    title: 'the sampler scores a question of an earlier step bit by bit as it did then, though the trainer moved',
    needs: [...BOTH, 'more'],
    patterns: ['sporadic'],
    dump: (dump, { random }) => {
      const [first, , third] = stepByGroup(dump) as [PlantedRollout[], PlantedRollout[], PlantedRollout[]]
      return first.map((original, index) => {
        const again = copyOf(original)
        again.id = `${original.id} again`
        again.step = third[0]?.step ?? 0
        again.group = third[0]?.group ?? ''
        for (const token of sampledIn(again)) {
          if (token.sampler < -0.001) found(token, token.trainer - 0.12 * random.exponential())
        }
        dump.rollouts[dump.rollouts.indexOf(third[index] as PlantedRollout)] = again
        return again
      })
    },
    alongside: {
      S04: 'the same ids stand in two steps',
      A06: 'the same ids stand in two steps',
      L01: 'the trainer has moved away from the sampler',
    },
  },
]
