import type { HypothesisId, HypothesisResult, Report } from '../../../shared/model/report.ts'
import { type PlantedDump, SINGLE_TURN } from '../../planted/dump.ts'
import { train } from '../../planted/edit.ts'
import { sampledIn, storeKl, unsettle } from '../../planted/plants/logprob-changes.ts'
import { TEMPLATE_PLANTS } from '../../planted/plants/template.ts'
import { flagged, stopLastTurn } from '../../planted/plants/truncation.ts'
import { type PlantedRollout, turnsBy } from '../../planted/rollout.ts'
import { credit, setAdvantage } from '../../planted/scores.ts'
import { randomFor } from '../../planted/seed.ts'
import { groupsOf, LONG_SINGLE_TURN, mean, type Run, rewardGroups, shareOf, std, stepPerGroup } from './runs.ts'

/** One way to come to a verdict: the dump that should give it, by the specification, and what has to be said of it. */
export interface Cell {
  readonly id: HypothesisId
  readonly verdict: HypothesisResult['verdict']
  readonly title: string
  readonly run: Run
  readonly against?: Run
  /** Values of measures, by a part of their names, computed here from the rollouts. */
  readonly says?: (dump: PlantedDump) => readonly (readonly [measure: RegExp, value: number | string | RegExp])[]
  /** What it lacks; nothing where it is absent. */
  readonly lacks?: readonly (string | RegExp)[]
  /** A sentence of what would change it, and of what a trainer writes it with. */
  readonly changes?: RegExp
  readonly recorded?: RegExp | null
  readonly more?: (report: Report) => void
}

const several = (rollout: PlantedRollout) => turnsBy(rollout, 'assistant').length > 1
const random = () => randomFor('grid of verdicts')

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

/** Changes of a fault that test/planted puts into single rollouts. */
function planted(code: string, words = ''): (dump: PlantedDump) => void {
  const plant = TEMPLATE_PLANTS.find((each) => each.code === code && each.title.includes(words))
  return ({ rollouts, family }) => {
    for (const rollout of rollouts)
      plant?.rollout?.(rollout, { family, format: 'native', pattern: 'systematic', random: random() })
  }
}

const H01: readonly Cell[] = [
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

const H02: readonly Cell[] = [
  {
    id: 'H02',
    verdict: 'supported',
    title: 'replies of the tool are trained',
    run: {
      family: 'llama3',
      format: 'nemo-rl',
      change: ({ rollouts }) => {
        for (const rollout of rollouts)
          for (const { contentStart, contentEnd } of turnsBy(rollout, 'tool')) train(rollout, contentStart, contentEnd)
      },
    },
    says: ({ rollouts }) => {
      const tokens = rollouts.flatMap((rollout) => rollout.tokens).filter(({ trained }) => trained)
      return [
        [/\(M01\)$/, rollouts.flatMap((rollout) => turnsBy(rollout, 'tool')).length],
        [/^share of the loss weight on tokens/, shareOf(tokens, ({ sampled }) => !sampled)],
      ]
    },
  },
  {
    id: 'H02',
    verdict: 'contradicted',
    title: 'exactly what the model wrote is trained',
    run: { family: 'qwen3', format: 'verifiers-legacy' },
    says: () => [
      [/fail at error level/, 0],
      [/^share of the loss weight on tokens/, 0],
    ],
    changes: /^supported if a mask or frame check fails/,
  },
  {
    id: 'H02',
    verdict: 'inconclusive',
    title: 'two rollouts of 64 train a few words of a reply',
    run: {
      family: 'qwen2.5',
      format: 'atropos',
      change: ({ rollouts }) => {
        for (const rollout of [rollouts[5], rollouts[33]] as PlantedRollout[]) {
          const [turn] = turnsBy(rollout, 'tool')
          if (turn !== undefined) train(rollout, turn.contentStart + 9, turn.contentStart + 14)
        }
      },
    },
    says: () => [[/sporadic fault: .*\(M01\)$/, 2]],
    changes: /^supported if nearly all places have the fault, not 2 of /,
  },
  {
    id: 'H02',
    verdict: 'not-checkable',
    title: 'rollouts of the environment have no mask',
    run: { family: 'qwen3', format: 'nemo-gym' },
    lacks: ['mask'],
    recorded: /^mask: NeMo-Gym train_data_step/,
  },
]

const kl = (formula: (d: number) => number, more: Record<string, unknown> = {}) => ({
  change: ({ rollouts }: PlantedDump) => {
    const own = random()
    for (const rollout of rollouts) storeKl(rollout, formula, own, more)
  },
})
const k3 = (d: number) => Math.exp(d) - d - 1
const k3s = ({ rollouts }: PlantedDump) =>
  rollouts.flatMap((rollout) => sampledIn(rollout).map(({ reference, trainer }) => k3(reference - trainer)))

const H03: readonly Cell[] = [
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

const cut = (every: number, isFlagged: boolean) => ({
  change: ({ rollouts }: PlantedDump) => {
    for (const [index, rollout] of rollouts.entries())
      if (index % every === 0 && stopLastTurn(rollout) !== null) flagged(rollout, isFlagged)
  },
})
const cutShare = ({ rollouts }: PlantedDump) => shareOf(rollouts, ({ finishReason }) => finishReason === 'length')

const H04: readonly Cell[] = [
  {
    id: 'H04',
    verdict: 'supported',
    title: 'a third of the answers is cut off',
    run: { family: 'qwen3', format: 'native', plan: { limits: true }, ...cut(3, true) },
    says: (dump) => [
      [/^share of rollouts that lost text/, cutShare(dump)],
      [/^share of rollouts within 10 tokens of a limit/, 0],
    ],
  },
  {
    id: 'H04',
    verdict: 'supported',
    title: 'rollouts stand at the limit that was declared',
    run: {
      family: 'llama3',
      format: 'atropos',
      plan: { build: { maxTokens: 256 }, endless: 16 },
      options: { limits: { max_completion_length: 256 } },
    },
  },
  {
    id: 'H04',
    verdict: 'contradicted',
    title: 'limits are far, all answers end and no document is lost',
    run: { family: 'llama3', format: 'native', plan: { limits: true } },
    says: ({ rollouts }) => [
      [/^share of rollouts within 10 tokens of a limit/, 0],
      [/^share of rollouts that lost text/, 0],
      [/documents are visible/, 1],
      [/^longest rollout in tokens/, Math.max(...rollouts.map(({ tokens }) => tokens.length))],
      [/^mean length in tokens/, mean(rollouts.map(({ tokens }) => tokens.length))],
    ],
  },
  {
    id: 'H04',
    verdict: 'inconclusive',
    title: 'one answer in sixteen is cut off',
    run: { family: 'qwen2.5', format: 'native', plan: { limits: true }, ...cut(16, true) },
    says: (dump) => [[/^share of rollouts that lost text/, cutShare(dump)]],
    changes: /^supported if .*10 % or more \(now 6/,
  },
  {
    id: 'H04',
    verdict: 'not-checkable',
    title: 'no limit is known and none shows',
    run: { family: 'qwen3', format: 'nemo-rl' },
    lacks: [/^limits \(none is given/],
    recorded: /^limits: --max-seq-len/,
  },
]

const H05: readonly Cell[] = [
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

const H06_LIBRARY: readonly Cell[] = [
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
    lacks: ['at least 20 training steps in the other run, which has 9, before it can be called level'],
  },
  {
    id: 'H06-library',
    verdict: 'not-checkable',
    title: 'there is one run',
    run: multi(level, 9),
    lacks: ['a second run, of a single-turn task with the same trainer (--against)'],
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

const H06_LORA: readonly Cell[] = [
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

const H07: readonly Cell[] = [
  {
    id: 'H07',
    verdict: 'supported',
    title: 'the assistant header is missing from the second turn on',
    run: { family: 'qwen3', format: 'nemo-rl', change: planted('T05') },
    says: ({ rollouts }) => [
      [/\(T05\): rate from assistant turn 2 on, and none in turn 1/, 1],
      [/^rollouts with a second assistant turn/, rollouts.filter(several).length],
    ],
  },
  {
    id: 'H07',
    verdict: 'supported',
    title: 'replies are trained, and the run of one turn has no fault',
    run: {
      family: 'llama3',
      format: 'native',
      change: ({ rollouts }) => {
        for (const rollout of rollouts)
          for (const { start, end } of turnsBy(rollout, 'tool')) train(rollout, start, end)
      },
    },
    against: { family: 'llama3', format: 'native', plan: SINGLE_TURN },
  },
  {
    id: 'H07',
    verdict: 'contradicted',
    title: 'no fault, in turns of any number',
    run: { family: 'llama3', format: 'atropos' },
    says: ({ rollouts }) => [
      [/^faults of error severity in assistant turns/, 0],
      [/^rollouts with a second assistant turn/, rollouts.filter(several).length],
    ],
    changes: /^supported if a fault of error severity is at least 5 times as frequent/,
  },
  {
    id: 'H07',
    verdict: 'inconclusive',
    title: 'one later turn is not trained',
    run: {
      family: 'qwen2.5',
      format: 'native-lean',
      change: ({ rollouts }) => {
        const rollout = rollouts.find(several) as PlantedRollout
        const turn = turnsBy(rollout, 'assistant')[1]
        if (turn !== undefined) train(rollout, turn.contentStart, turn.end, false)
      },
    },
    changes: /^supported if more than one later turn has the fault: .*\(M03\)/,
  },
  {
    id: 'H07',
    verdict: 'not-checkable',
    title: 'all rollouts have one turn',
    run: { family: 'llama3', format: 'verifiers-legacy', plan: SINGLE_TURN },
    lacks: ['a second assistant turn'],
  },
]

const SAME = { name: 'two runs' }

const H08: readonly Cell[] = [
  {
    id: 'H08',
    verdict: 'supported',
    title: 'training prompts were rendered without the tools',
    run: { family: 'qwen3', format: 'native', ...SAME },
    against: {
      family: 'qwen3',
      format: 'native',
      ...SAME,
      change: (dump) => {
        for (const rollout of dump.rollouts) rollout.tools = null
        planted('T07')(dump)
      },
    },
    says: () => [[/^questions that both runs have/, 8]],
    // The ids of the prompts are there: with another system text they differ anyhow.
    lacks: ['tools of both runs'],
  },
  {
    id: 'H08',
    verdict: 'supported',
    title: 'answers in the same words are scored otherwise',
    run: { family: 'llama3', format: 'verifiers-legacy', ...SAME },
    against: {
      family: 'llama3',
      format: 'verifiers-legacy',
      ...SAME,
      change: ({ rollouts }) => {
        for (const rollout of rollouts) rollout.reward = 0
      },
    },
  },
  {
    id: 'H08',
    verdict: 'contradicted',
    title: 'both runs put and score the same questions alike',
    run: { family: 'qwen2.5', format: 'native', ...SAME },
    against: { family: 'qwen2.5', format: 'verifiers-legacy', ...SAME },
    says: () => [
      [/^share of paired questions whose tools differ/, 0],
      [/^share of paired questions whose system text differs/, 0],
      [/^share of paired questions whose prompt ids differ/, 0],
      [/^mean reward difference of answers in the same words/, 0],
      [/^questions that both runs have/, 8],
    ],
    changes: /^supported if 5 % or more/,
  },
  {
    id: 'H08',
    verdict: 'not-checkable',
    title: 'the second run has other questions',
    run: { family: 'qwen2.5', format: 'native', ...SAME },
    against: { family: 'qwen2.5', format: 'native', plan: SINGLE_TURN },
    lacks: [/^questions that both runs have \(none of this run is in the second/],
  },
]

/**
 * What no dump gives, held by facts alone (two-runs.test.ts): words by which two questions are paired tell their system text as well, and
 * ids their whole prompt, so that something of a pair can always be compared.
 */
export const BY_FACTS_ALONE: readonly string[] = ['H08 inconclusive']

export const CELLS: readonly Cell[] = [
  ...H01,
  ...H02,
  ...H03,
  ...H04,
  ...H05,
  ...H06_LIBRARY,
  ...H06_LORA,
  ...H07,
  ...H08,
]
