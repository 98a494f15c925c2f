import type { Command } from '../../commands/command.ts'
import { openRollout, openSecond } from '../../commands/go.ts'
import { takeSecondAway } from '../../data/second.ts'
import { ask } from '../../engine/engine.ts'
import { useSecond } from '../../state/second.ts'
import { say } from '../../state/view.ts'
import { comparePlace, narrowMeasures, showPair, showTab } from './compare-place.ts'
import { pairList } from './pair-list-data.ts'
import { saveComparison } from './save-comparison.ts'
import { swapRuns } from './swap.ts'

const where = ['compare'] as const

export const COMPARE_COMMANDS: readonly Command[] = [
  {
    id: 'compare-measures',
    title: 'Show every measure of both runs',
    keys: ['m'],
    where,
    run: () => showTab('measures'),
  },
  { id: 'compare-curves', title: 'Show distributions and steps', keys: ['c'], where, run: () => showTab('curves') },
  {
    id: 'compare-pairs',
    title: 'Show the questions that both runs have',
    keys: ['q'],
    where,
    run: () => showTab('pairs'),
  },
  {
    id: 'compare-rollouts',
    title: 'Lay any two rollouts of both runs side by side',
    keys: ['b'],
    where,
    run: () => showTab('rollouts'),
  },
  { id: 'next-pair', title: 'Next question', keys: ['j', 'ArrowDown'], where, run: () => movePair(1) },
  { id: 'previous-pair', title: 'Previous question', keys: ['k', 'ArrowUp'], where, run: () => movePair(-1) },
  {
    id: 'open-pair',
    title: 'Open the rollout of the open run',
    keys: ['Enter'],
    where,
    run: () => void openPair('here'),
  },
  {
    id: 'open-pair-second',
    title: 'Open the rollout of the second run',
    keys: ['Shift+Enter'],
    where,
    run: () => void openPair('there'),
  },
  {
    id: 'compare-same',
    title: 'List what is the same in both, or leave it out',
    keys: ['a'],
    where,
    run: () => narrowMeasures({ all: !comparePlace().all }),
  },
  { id: 'swap-runs', title: 'Swap the two runs', keys: ['s'], where, run: () => void swapRuns() },
  { id: 'end-comparison', title: 'Take the second run away', keys: [], where, run: () => void takeSecondAway() },
  { id: 'export-comparison', title: 'Save the comparison…', keys: [], where, run: () => save('measures') },
  { id: 'export-pairs', title: 'Save the pairs as a table…', keys: [], where, run: () => save('pairs') },
]

function movePair(step: 1 | -1): void {
  const { tab, pair } = comparePlace()
  const positions = pairList.get()
  if (tab !== 'pairs' || positions.length === 0) return
  const at = pair === null ? 0 : positions.indexOf(pair)
  const next = at === -1 ? 0 : Math.max(0, Math.min(positions.length - 1, at + step))
  if (next === at) say(step === 1 ? 'This is the last question of the list' : 'This is the first question of the list')
  showPair(positions[next] as number)
}

async function openPair(side: 'here' | 'there'): Promise<void> {
  const { tab, pair, [side]: chosen } = comparePlace()
  const position = pair ?? pairList.get()[0]
  if (tab !== 'pairs' || position === undefined) return
  const index = chosen ?? (await ask('pair', { position }))[side][0]?.index
  if (index === undefined) return
  if (side === 'here') openRollout(index)
  else openSecond(index)
}

function save(of: 'measures' | 'pairs'): void {
  if (useSecond.getState().run === null) say('There is no second run to compare with')
  else saveComparison(of)
}
