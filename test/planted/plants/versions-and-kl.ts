import type { Plant } from '../plant.ts'
import { turnsBy } from '../rollout.ts'
import { EXPERTS, fewTokens, found, sampledSpan, scattered, storeKl, storeMean } from './logprob-changes.ts'

const BOTH = ['mask', 'sampler', 'trainer'] as const

/** What belongs to a version of the policy (L09) or to what is stored of KL and entropy (L10, L11), and experts that went other ways (L12). */
export const VERSION_AND_KL_PLANTS: readonly Plant[] = [
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
