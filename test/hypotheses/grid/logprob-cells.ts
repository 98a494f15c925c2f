import type { PlantedDump } from '../../planted/dump.ts'
import { sampledIn, storeKl, unsettle } from '../../planted/plants/logprob-changes.ts'
import { type Cell, random } from './cell.ts'
import { groupsOf, mean, stepPerGroup } from './runs.ts'

const kl = (formula: (d: number) => number, more: Record<string, unknown> = {}) => ({
  change: ({ rollouts }: PlantedDump) => {
    const own = random()
    for (const rollout of rollouts) storeKl(rollout, formula, own, more)
  },
})
const k3 = (d: number) => Math.exp(d) - d - 1
const k3s = ({ rollouts }: PlantedDump) =>
  rollouts.flatMap((rollout) => sampledIn(rollout).map(({ reference, trainer }) => k3(reference - trainer)))

export const H03: readonly Cell[] = [
  {
    id: 'H03',
    verdict: 'supported',
    title: 'the exponent of the stored KL is turned round',
    run: { family: 'llama3', format: 'native', ...kl((d) => Math.exp(-d) + d - 1) },
    says: (dump) => [
      [/^formula that the stored KL follows/, /reversed/],
      [/^mean KL over trained tokens/, mean(k3s(dump))],
    ],
  },
  {
    id: 'H03',
    verdict: 'supported',
    title: 'the policy is far from the reference, by more than ten nats a token',
    run: {
      family: 'qwen2.5',
      format: 'native',
      change: ({ rollouts }) => {
        for (const rollout of rollouts) for (const token of sampledIn(rollout)) token.reference = token.trainer + 2.9
      },
    },
    says: (dump) => [[/^mean KL over trained tokens/, mean(k3s(dump))]],
    // A small KL alone does not rule the hypothesis out, as the run below shows.
    changes: /^contradicted if the mean KL .* is below 1, and a stored KL follows k3$/,
    lacks: ['kl'],
    recorded: /^kl: in the field kl/,
  },
  {
    id: 'H03',
    verdict: 'contradicted',
    title: 'k3 is declared and stored',
    run: { family: 'qwen3', format: 'native', ...kl(k3, { kl_penalty: 'low_var_kl' }) },
    says: (dump) => [
      [/^formula that the stored KL follows \(declared: k3\)/, /^k3/],
      [/^mean KL over trained tokens/, mean(k3s(dump))],
      [/^least stored KL/, Math.min(...k3s(dump))],
    ],
  },
  {
    id: 'H03',
    verdict: 'inconclusive',
    title: 'both logprobs are there, and the KL that the loss used is not',
    run: { family: 'llama3', format: 'native' },
    lacks: ['kl'],
    recorded: /^kl: in the field kl/,
  },
  {
    id: 'H03',
    verdict: 'not-checkable',
    title: 'the trainer writes no logprobs of the reference',
    run: { family: 'qwen2.5', format: 'nemo-rl' },
    lacks: ['logprobs.reference'],
  },
]

const gaps = ({ rollouts }: PlantedDump) =>
  rollouts.flatMap((rollout) => sampledIn(rollout).map(({ sampler, trainer }) => Math.abs(sampler - trainer)))
/** The trainer's logits lie apart by noise of this size at every step. */
const apart = (size: (step: number) => number) => (dump: PlantedDump) => {
  stepPerGroup(dump)
  const own = random()
  for (const [step, members] of groupsOf(dump).entries())
    for (const member of members) unsettle(sampledIn(member), size(step), own)
}

export const H06_LORA: readonly Cell[] = [
  {
    id: 'H06-lora',
    verdict: 'supported',
    title: 'the gap of sampler and trainer grows with every step',
    run: { family: 'llama3', format: 'native', change: apart((step) => 0.2 * step) },
    says: (dump) => [
      [/^mean gap of sampler and trainer logprobs/, mean(gaps(dump))],
      [/^rank correlation of the gap with the step, over 8 steps/, 1],
    ],
  },
  {
    id: 'H06-lora',
    verdict: 'contradicted',
    title: 'sampler and trainer agree at every step',
    run: { family: 'qwen3', format: 'native', change: stepPerGroup },
    says: (dump) => [[/^mean gap of sampler and trainer logprobs/, mean(gaps(dump))]],
    changes: /^supported if the gap grows with the step, and is above 0\.05/,
  },
  {
    id: 'H06-lora',
    verdict: 'inconclusive',
    title: 'the gap is large at every step alike',
    run: { family: 'qwen2.5', format: 'native', change: apart((step) => 1.5 - (step % 2) * 0.1) },
    says: (dump) => [[/^mean gap .*it counts only where it grows/, mean(gaps(dump))]],
  },
  {
    id: 'H06-lora',
    verdict: 'not-checkable',
    title: 'the rows do not say the step',
    run: { family: 'llama3', format: 'nemo-rl' },
    lacks: [
      /^rollouts of at least 8 training steps, for a trend \(this dump does not say which step a rollout is of\)/,
    ],
  },
]
