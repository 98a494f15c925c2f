import { copyOf } from '../dump.ts'
import type { Plant } from '../plant.ts'
import { type PlantedRollout, turnsBy } from '../rollout.ts'

import {
  EXPERTS,
  fewTokens,
  filled,
  found,
  LONG_ANSWERS,
  logprobOf,
  oddsOf,
  rounded,
  sampledIn,
  sampledSpan,
  scattered,
  shift,
  stepByGroup,
  storeKl,
  storeMean,
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
    // A row of NeMo-RL does not say its step.
    notIn: ['nemo-rl'],
    patterns: ['sporadic'],
    dump: (dump, { random }) => {
      const groups = stepByGroup(dump)
      for (const [step, members] of groups.entries()) {
        for (const member of members) unsettle(sampledIn(member), 0.12 * step, random)
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
  {
    code: 'L09',
    title: 'new weights arrived while a later turn was written',
    needs: ['mask', 'more'],
    alsoIn: ['slime-rollout'],
    // No other rollout names its version.
    patternOfTwo: (format) => (format === 'slime-rollout' ? 'sporadic' : 'systematic'),
    // Sampler and trainer agree on both sides of the edge; what slime samples no trainer has scored yet.
    severity: (format) => (format === 'slime-rollout' ? 'warning' : 'info'),
    rollout: (rollout, { format }) => {
      const turn = turnsBy(rollout, 'assistant')[1]
      if (turn === undefined) return null
      // The engine of slime names its version once for each call.
      const edge =
        format === 'slime-rollout' ? turn.contentStart : Math.floor((turn.contentStart + turn.contentEnd) / 2)
      const versions = rollout.tokens.map(({ sampled }, index) => (sampled ? (index < edge ? 7 : 8) : -1))
      rollout.more = { ...rollout.more, versions }
      return [sampledSpan(rollout)]
    },
  },
  {
    code: 'L10',
    title: 'policy and reference are exchanged in the exponent of the stored KL',
    needs: ['mask', 'trainer', 'reference', 'more'],
    alsoIn: ['slime-train', 'skyrl'],
    rollout: (rollout, { random }) => {
      const beta = 0.04
      storeKl(rollout, (d) => beta * (Math.exp(-d) + d - 1), random)
      return []
    },
    verdicts: { H03: 'supported' },
  },
  {
    code: 'L10',
    title: 'the stored KL has its sign turned',
    needs: ['mask', 'trainer', 'reference', 'more'],
    alsoIn: ['slime-train', 'skyrl'],
    rollout: (rollout, { random }) => {
      storeKl(rollout, (d) => d, random)
      return []
    },
    verdicts: { H03: 'supported' },
  },
  {
    code: 'L10',
    title: 'a small k3 is stored with its sign turned',
    needs: ['mask', 'trainer', 'reference', 'more'],
    rollout: (rollout, { random }) => {
      storeKl(rollout, (d) => -1e-5 * (Math.exp(d) - d - 1), random)
      const kl = rollout.more.kl as (number | null)[]
      // Streams are kept in single precision, in which two of the lowest may be the same.
      const single = (value: number | null | undefined) => Math.fround(value ?? 0)
      const least = kl.reduce<number>((at, value, token) => (single(value) < single(kl[at]) ? token : at), 0)
      return [{ start: least, end: least + 1 }]
    },
    verdicts: { H03: 'supported' },
  },
  {
    code: 'L10',
    title: 'k3 is declared and k1 is stored',
    needs: ['mask', 'trainer', 'reference', 'more'],
    rollout: (rollout, { random }) => {
      storeKl(rollout, (d) => -d, random, { kl_penalty: 'low_var_kl' })
      return []
    },
    verdicts: { H03: 'supported' },
  },
  {
    code: 'L10',
    title: 'k3 is stored without its linear part, and goes below 0',
    needs: ['mask', 'trainer', 'reference', 'more'],
    // SkyRL pads on the left, so that tokens lie elsewhere.
    alsoIn: ['slime-train'],
    rollout: (rollout, { random }) => {
      storeKl(rollout, (d) => Math.exp(d) - 1, random)
      const kl = rollout.more.kl as (number | null)[]
      // Streams are kept in single precision, in which two of the lowest may be the same.
      const single = (value: number | null | undefined) => Math.fround(value ?? 0)
      const least = kl.reduce<number>((at, value, token) => (single(value) < single(kl[at]) ? token : at), 0)
      return [{ start: least, end: least + 1 }]
    },
    verdicts: { H03: 'supported' },
  },
  {
    code: 'L10',
    title: 'one token has nearly all the KL of its rollout',
    needs: ['mask', 'trainer', 'reference', 'more'],
    // SkyRL pads on the left, so that tokens lie elsewhere.
    alsoIn: ['slime-train'],
    severity: 'info',
    rollout: (rollout, { random }) => {
      const span = fewTokens(rollout, 1, random)
      const token = span && rollout.tokens[span.start]
      if (!token) return null
      token.sampler = -5
      token.trainer = -5.02
      token.reference = -0.5
      return [span]
    },
  },
  {
    code: 'L11',
    title: 'a mean of entropy or KL counts what the model did not write',
    // No writer has the values by token and a mean of them for a row: means are written for whole steps.
    needs: ['mask', 'more'],
    patternOfTwo: 'systematic',
    rollout: (rollout, { random }) => {
      const [stream, field] = random.pick([
        ['entropy', 'entropy_mean'],
        ['entropy', 'mean_entropy'],
        ['kl', 'kl_mean'],
      ] as const)
      storeMean(rollout, stream, field, random)
      return []
    },
  },
  {
    code: 'L12',
    title: 'a few tokens of a mixture of experts went to other experts',
    needs: [...BOTH, 'more'],
    alsoIn: ['verifiers-v1'],
    plan: EXPERTS,
    rollout: (rollout, { random }) => {
      const moved = scattered(rollout, 4, random)
      if (moved === null) return null
      for (const [index, token] of moved.entries()) {
        const far = 1.2 + random.next()
        token.sampler = index % 2 === 0 ? -0.2 : -0.2 - far
        found(token, index % 2 === 0 ? -0.2 - far : -0.2)
      }
      return [sampledSpan(rollout)]
    },
  },
]
