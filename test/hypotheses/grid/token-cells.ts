import { type PlantedDump, SINGLE_TURN } from '../../planted/dump.ts'
import { train } from '../../planted/edit.ts'
import { flagged, stopLastTurn } from '../../planted/plants/stopping.ts'
import { type PlantedRollout, turnsBy } from '../../planted/rollout.ts'
import { type Cell, planted, several } from './cell.ts'
import { mean, shareOf } from './runs.ts'

export const H02: readonly Cell[] = [
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
    says: () => [[/sporadic fault, .*\(M01\)$/, 2]],
    changes: /^supported if nearly all places have the fault \(now 2 of /,
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

const cut = (every: number, isFlagged: boolean) => ({
  change: ({ rollouts }: PlantedDump) => {
    for (const [index, rollout] of rollouts.entries())
      if (index % every === 0 && stopLastTurn(rollout) !== null) flagged(rollout, isFlagged)
  },
})
const cutShare = ({ rollouts }: PlantedDump) => shareOf(rollouts, ({ finishReason }) => finishReason === 'length')

export const H04: readonly Cell[] = [
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

export const H07: readonly Cell[] = [
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

export const H08: readonly Cell[] = [
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
    says: () => [
      [/^questions that both runs have/, 8],
      [/whose tools differ/, 1],
    ],
    // The ids show what the records do not tell.
    lacks: [],
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
