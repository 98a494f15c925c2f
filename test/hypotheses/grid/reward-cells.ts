import type { PlantedDump } from '../../planted/dump.ts'
import type { PlantedRollout } from '../../planted/rollout.ts'
import { credit, setAdvantage } from '../../planted/scores.ts'
import type { Cell } from './cell.ts'
import { groupsOf, LONG_SINGLE_TURN, mean, type Run, rewardGroups, shareOf, std, stepPerGroup } from './runs.ts'

/** Every third group differs by a hundredth, the others by much. */
const tinyInThird = (dump: PlantedDump) =>
  rewardGroups(dump, (group, member) =>
    group % 3 === 0 ? (member === 3 ? 0.61 : 0.6) : [0, 1, 0.5, 0.2, 0.9, 0.1, 1, 0][member % 8]!,
  )
const wide = (dump: PlantedDump) =>
  rewardGroups(dump, (group, member) => [0, 1, 0.5, 0.25, 0.9, 0.1, 1, 0][(member + group) % 8]!)

const stds = (dump: PlantedDump) => groupsOf(dump).map((members) => std(members.map(({ reward }) => reward)))
const rangeOf = ({ rollouts }: PlantedDump) =>
  Math.max(...rollouts.map(({ reward }) => reward)) - Math.min(...rollouts.map(({ reward }) => reward))

export const H01: readonly Cell[] = [
  {
    id: 'H01',
    verdict: 'supported',
    title: 'three groups in eight differ by a hundredth, and the trainer divides by their std',
    run: { family: 'qwen3', format: 'native', plan: { scheme: 'scaled' }, change: tinyInThird },
    says: (dump) => [
      [/^share of complete groups .* amplified 10 times/, shareOf(stds(dump), (each) => each < 0.05)],
      [/^advantage scheme$/, /std/],
      [/^noise floor/, Math.max(0.02, 0.05 * rangeOf(dump))],
      [/^mean reward std within groups/, mean(stds(dump))],
      [/^largest \|advantage\|$/, Math.max(...dump.rollouts.map(({ advantage }) => Math.abs(advantage)))],
      [/^bound of \|advantage\|/, 7 / Math.sqrt(8)],
    ],
    changes: /^contradicted if .*below 5 %/,
  },
  {
    id: 'H01',
    verdict: 'supported',
    title: 'an advantage is in the thousands',
    run: {
      family: 'llama3',
      format: 'nemo-rl',
      plan: { scheme: 'scaled' },
      change: (dump) => {
        wide(dump)
        for (const members of groupsOf(dump)) credit(members, 'scaled')
        setAdvantage(dump.rollouts[13] as PlantedRollout, 6123.7)
      },
      keepAdvantages: true,
    },
    says: () => [[/^groups with an advantage above its bound/, 1]],
  },
  {
    id: 'H01',
    verdict: 'contradicted',
    title: 'rewards are centred alone, however little they differ',
    run: { family: 'llama3', format: 'atropos', plan: { scheme: 'centred' }, change: tinyInThird },
    says: () => [[/^advantage scheme$/, /^centre \(fits 100 % of 8 groups/]],
    changes: /^supported if advantages are divided by the std of their group/,
  },
  {
    id: 'H01',
    verdict: 'inconclusive',
    title: 'three groups in eight differ by a hundredth, and no advantages are stored',
    run: { family: 'qwen2.5', format: 'nemo-gym', change: tinyInThird },
    says: (dump) => [
      [/^share of complete groups .*scaling unknown/, shareOf(stds(dump), (each) => each < 0.05)],
      [/^advantage scheme$/, 'unknown'],
    ],
    lacks: ['advantages'],
    recorded: /^advantages: NeMo-Gym /,
  },
  {
    id: 'H01',
    verdict: 'not-checkable',
    title: 'the trainer’s export of tokens has neither rewards nor groups',
    run: { family: 'qwen3', format: 'prime-rl-export' },
    lacks: ['rewards', 'group'],
    recorded: /^rewards: prime-rl /,
  },
]

export const H05: readonly Cell[] = [
  {
    id: 'H05',
    verdict: 'supported',
    title: 'in five groups of eight all rewards are the same',
    run: {
      family: 'qwen2.5',
      format: 'verifiers-legacy',
      change: (dump) =>
        rewardGroups(dump, (group, member) => (group < 5 ? group % 2 : [0, 1, 1, 0, 1, 0, 0, 1][member]!)),
    },
    says: (dump) => [
      [/^share of complete groups without contrast/, shareOf(stds(dump), (each) => each === 0)],
      [/^mean reward std within groups, as a share/, mean(stds(dump)) / rangeOf(dump)],
      [
        /^contrast ratio/,
        mean(stds(dump)) / std(groupsOf(dump).map((members) => mean(members.map((one) => one.reward)))),
      ],
    ],
    changes: /^contradicted if below 50 % \(now 62\.5 %\): share of complete groups without contrast/,
  },
  {
    id: 'H05',
    verdict: 'contradicted',
    title: 'rewards differ much within groups',
    run: { family: 'llama3', format: 'nemo-rl', change: wide },
    says: (dump) => [
      [/^share of complete groups without contrast/, 0],
      [/^mean reward std within groups, as a share/, mean(stds(dump)) / rangeOf(dump)],
    ],
  },
  {
    id: 'H05',
    verdict: 'inconclusive',
    title: 'the total is not made of the components that are stored',
    run: {
      family: 'qwen3',
      format: 'native',
      change: (dump) => {
        wide(dump)
        for (const [index, rollout] of dump.rollouts.entries())
          rollout.rewards = { format: (index * 37) % 11, exact: (index * 53) % 7 }
      },
    },
    lacks: [/^the weights of the reward components/],
  },
  {
    id: 'H05',
    verdict: 'not-checkable',
    title: 'the trainer’s export of tokens has neither rewards nor groups',
    run: { family: 'llama3', format: 'prime-rl-export' },
    lacks: ['rewards', 'group'],
    recorded: /^group: prime-rl /,
  },
]

/** Rewards by step, with a scatter that chance may bring. */
const byStep = (reward: (step: number) => number) => (dump: PlantedDump) => {
  stepPerGroup(dump)
  rewardGroups(dump, (step, member) => reward(step) + ((member * 5 + step * 3) % 8) * 0.01)
}
const level = byStep((step) => 0.6 + (step % 3) * 0.01)
const rising = byStep((step) => 0.3 + step * 0.02)
const multi = (change: (dump: PlantedDump) => void, groups = 24): Run => ({
  family: 'qwen2.5',
  format: 'native',
  plan: groups === 24 ? STEPS_24 : STEPS_9,
  change,
})
const STEPS_24 = { groups: 24 }
const STEPS_9 = { groups: 9 }
const single = (change: (dump: PlantedDump) => void): Run => ({
  family: 'llama3',
  format: 'native',
  plan: LONG_SINGLE_TURN,
  change,
})
/** Of the line through the means by step: its gain from the first to the last. */
const gain = (dump: PlantedDump) => {
  const means = groupsOf(dump).map((members) => mean(members.map(({ reward }) => reward)))
  const middle = (means.length - 1) / 2
  const slope =
    means.reduce((sum, value, step) => sum + (step - middle) * (value - mean(means)), 0) /
    means.reduce((sum, _, step) => sum + (step - middle) ** 2, 0)
  return slope * (means.length - 1)
}
const signed = (value: number) => `${value < 0 ? '−' : '\\+'}${Math.abs(value).toFixed(3)}`

export const H06_LIBRARY: readonly Cell[] = [
  {
    id: 'H06-library',
    verdict: 'supported',
    title: 'neither the run of one turn nor that of several rises over 24 steps',
    run: multi(level),
    against: single(level),
    says: (dump) => [
      [/^mean reward of the single-turn run, first to last third of 24 steps/, /^is level, from 0\.6\d+ to 0\.6\d+/],
      [/^mean reward of the other run, first to last third of 24 steps/, new RegExp(`; ${signed(gain(dump))} ±`)],
    ],
    changes: /^contradicted if the mean reward of the single-turn run rises by more than chance/,
  },
  {
    id: 'H06-library',
    verdict: 'supported',
    title: 'the same, opened the other way round',
    run: single(level),
    against: multi(level),
    says: (dump) => [
      [/^mean reward of the single-turn run, first to last third of 24 steps/, new RegExp(`; ${signed(gain(dump))} ±`)],
    ],
  },
  {
    id: 'H06-library',
    verdict: 'contradicted',
    title: 'the run of one turn rises',
    run: multi(level),
    against: single(rising),
    says: () => [[/^mean reward of the single-turn run/, /^rises, from 0\.4\d* to 0\.7\d*/]],
  },
  {
    id: 'H06-library',
    verdict: 'inconclusive',
    title: 'the run of one turn is level and that of several has too few steps to tell',
    run: multi(level, 9),
    against: single(level),
    lacks: ['at least 20 training steps in the other run, which has 9, before it is known not to rise'],
  },
  {
    id: 'H06-library',
    verdict: 'not-checkable',
    title: 'there is one run',
    run: multi(level, 9),
    lacks: ['a second run, of a single-turn task with the same trainer (--against)'],
  },
]
