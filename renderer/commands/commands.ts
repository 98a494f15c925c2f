import { type ExportId, REPAIRED } from '../../shared/exports/export-kind.ts'
import { knownDetail } from '../data/details.ts'
import { closeDump } from '../data/dump.ts'
import { exportRollouts } from '../data/exporting.ts'
import { toggleFlag } from '../data/flags.ts'
import { list, positionOf } from '../data/list.ts'
import { pickAndOpen } from '../data/opening.ts'
import { factsOf, knownRow } from '../data/rows.ts'
import { openSample } from '../data/session.ts'
import { useFiles } from '../state/files.ts'
import { describeFilters, type FiltersState, NO_FILTERS, useFilters } from '../state/filters.ts'
import { useFlags } from '../state/flags.ts'
import { jumpTo, selectRollout, useSelection } from '../state/selection.ts'
import { openDialog, type RolloutTab, say, show, useView, type View } from '../state/view.ts'
import { nextEdge } from '../views/rollout/edges.ts'
import { copyAddress, copyIds, copyText } from './copying.ts'
import type { Key } from './keys.ts'

/** Everything that can be done by key, in the palette and in the cheat sheet: one table for all three. */
export interface Command {
  readonly id: string
  readonly title: string
  readonly keys: readonly Key[]
  /** Where it works; absent = wherever a dump is open. */
  readonly where?: readonly View[] | 'always'
  run(): void
}

/** Every way to write rollouts, in words that follow “export …”. */
const EXPORTS: readonly (readonly [as: ExportId, words: string])[] = [
  ['source', 'records as stored'],
  ['native', 'in the native format'],
  ['parquet', 'in the native format as Parquet'],
  ['csv', 'as tables (CSV)'],
  ['sft', 'as rows for supervised fine-tuning'],
  ['dpo', 'as pairs for preference training'],
]

export const COMMANDS: readonly Command[] = [
  { id: 'open', title: 'Open files…', keys: ['Mod+o'], where: 'always', run: () => void pickAndOpen('files') },
  { id: 'open-folder', title: 'Open a folder…', keys: [], where: 'always', run: () => void pickAndOpen('folder') },
  { id: 'compare', title: 'Compare with another run…', keys: ['='], run: () => openDialog('second') },
  { id: 'dataset', title: 'Dataset that the run was started with…', keys: [], run: () => openDialog('dataset') },
  { id: 'sample', title: 'Open the sample run', keys: [], where: 'always', run: () => void openSample() },
  {
    id: 'palette',
    title: 'Find a command',
    keys: ['Mod+k', 'Mod+P'],
    where: 'always',
    run: () => openDialog('palette'),
  },
  { id: 'keys', title: 'Show all keys', keys: ['?'], where: 'always', run: () => openDialog('keys') },
  { id: 'verdicts', title: 'Go to Verdicts', keys: ['1'], run: () => show('verdicts') },
  { id: 'rollouts', title: 'Go to Rollouts', keys: ['2'], run: () => show('rollouts') },
  { id: 'down', title: 'Next rollout', keys: ['j', 'ArrowDown'], where: ['rollouts'], run: () => move(1) },
  { id: 'up', title: 'Previous rollout', keys: ['k', 'ArrowUp'], where: ['rollouts'], run: () => move(-1) },
  { id: 'enter', title: 'Open the rollout', keys: ['Enter'], where: ['rollouts'], run: openSelected },
  { id: 'next', title: 'Next rollout', keys: ['n', 'j'], where: ['rollout'], run: () => move(1) },
  { id: 'previous', title: 'Previous rollout', keys: ['p', 'k'], where: ['rollout'], run: () => move(-1) },
  { id: 'flag', title: 'Flag or unflag the rollout', keys: ['f'], where: ['rollouts', 'rollout'], run: flagSelected },
  { id: 'back', title: 'Back to the table', keys: ['Escape'], where: ['rollout'], run: () => show('rollouts') },
  { id: 'edge-next', title: 'Next edge of the mask', keys: ['J'], where: ['rollout'], run: () => moveEdge(1) },
  { id: 'edge-back', title: 'Previous edge of the mask', keys: ['K'], where: ['rollout'], run: () => moveEdge(-1) },
  { id: 'finding-next', title: 'Next finding', keys: [']'], where: ['rollout'], run: () => moveFinding(1) },
  { id: 'finding-back', title: 'Previous finding', keys: ['['], where: ['rollout'], run: () => moveFinding(-1) },
  { id: 'token-next', title: 'Next token', keys: ['l', 'ArrowRight'], where: ['rollout'], run: () => moveToken(1) },
  { id: 'token-back', title: 'Previous token', keys: ['h', 'ArrowLeft'], where: ['rollout'], run: () => moveToken(-1) },
  { id: 'boundaries', title: 'Boundary zoom', keys: ['b'], where: ['rollout'], run: () => toggleTab('boundaries') },
  { id: 'messages', title: 'Messages', keys: ['m'], where: ['rollout'], run: () => toggleTab('messages') },
  { id: 'raw', title: 'The record as stored', keys: ['w'], where: ['rollout'], run: () => toggleTab('raw') },
  {
    id: 'copy-ids',
    title: 'Copy token ids as a Python list',
    keys: ['c'],
    where: ['rollout'],
    run: () => void copyIds(),
  },
  { id: 'copy-text', title: 'Copy the text', keys: ['C'], where: ['rollout'], run: () => void copyText() },
  { id: 'copy-link', title: 'Copy a link to what is on screen', keys: ['y'], run: () => void copyAddress() },
  ...EXPORTS.map(
    ([as, words]): Command => ({
      id: `export-${as}`,
      title: `Export flagged rollouts, ${words}`,
      keys: as === 'source' ? ['e'] : [],
      run: () => exportFlagged(as),
    }),
  ),
  ...EXPORTS.map(
    ([as, words]): Command => ({
      id: `export-shown-${as}`,
      title: `Export the rollouts that the table shows, ${words}`,
      keys: as === 'source' ? ['E'] : [],
      run: () => exportShown(as),
    }),
  ),
  ...EXPORTS.filter(([as]) => REPAIRED.includes(as)).flatMap(([as, words]): Command[] => [
    {
      id: `export-repaired-${as}`,
      title: `Export flagged rollouts, ${words}, with repaired masks`,
      keys: [],
      run: () => exportFlagged(as, true),
    },
    {
      id: `export-shown-repaired-${as}`,
      title: `Export the rollouts that the table shows, ${words}, with repaired masks`,
      keys: [],
      run: () => exportShown(as, true),
    },
  ]),
  {
    id: 'clear',
    title: 'Clear the filters',
    keys: ['x'],
    where: ['rollouts'],
    run: () => useFilters.setState(NO_FILTERS),
  },
  { id: 'close', title: 'Close these files', keys: [], run: () => void closeDump() },
]

/** Whether a command can be given now. */
export function isPossible(command: Command): boolean {
  if (command.where === 'always') return true
  const { phase } = useFiles.getState()
  if (phase === 'empty' || phase === 'opening') return false
  return command.where === undefined || command.where.includes(useView.getState().view)
}

export function openRollout(index: number): void {
  selectRollout(index)
  useView.setState({ view: 'rollout', dialog: null })
}

/** Opens the Rollouts table on what is behind a number. */
export function showRollouts(filters: Partial<FiltersState> = {}): void {
  useFilters.setState({ ...NO_FILTERS, ...filters })
  selectRollout(null)
  show('rollouts')
}

function openSelected(): void {
  const { rollout } = useSelection.getState()
  const first = list.get()[0]
  if (rollout !== null) openRollout(rollout)
  else if (first !== undefined) openRollout(first)
}

function move(step: 1 | -1): void {
  const indices = list.get()
  if (indices.length === 0) return
  const at = positionOf(useSelection.getState().rollout)
  const next = at === -1 ? 0 : Math.max(0, Math.min(indices.length - 1, at + step))
  if (next === at) say(step === 1 ? 'This is the last rollout of the list' : 'This is the first rollout of the list')
  selectRollout(indices[next] as number)
}

function flagSelected(): void {
  const rollout = useSelection.getState().rollout ?? list.get()[0]
  if (rollout === undefined) {
    say('There is no rollout to flag')
    return
  }
  selectRollout(rollout)
  void flag(rollout)
}

/** Facts may still be on their way when the key is pressed; the flag is not lost for that. */
async function flag(rollout: number): Promise<void> {
  const facts = knownRow(rollout)?.facts ?? knownDetail(rollout)?.facts ?? (await factsOf(rollout))
  if (facts !== null) await toggleFlag(rollout, facts)
}

function moveEdge(step: 1 | -1): void {
  const { rollout, token } = useSelection.getState()
  const detail = knownDetail(rollout)
  if (detail === null) return
  const edge = nextEdge(detail.states, token ?? 0, step)
  if (edge === null) say('No further edge of the mask')
  else jumpTo(edge)
}

function moveToken(step: 1 | -1): void {
  const { rollout, token } = useSelection.getState()
  const detail = knownDetail(rollout)
  if (detail === null || detail.ids === null || detail.ids.length === 0) return
  jumpTo(Math.max(0, Math.min(detail.ids.length - 1, (token ?? -step) + step)))
}

function moveFinding(step: 1 | -1): void {
  const { rollout, token, range } = useSelection.getState()
  const placed = (knownDetail(rollout)?.findings ?? [])
    .flatMap((finding) => (finding.tokens === null ? [] : [finding.tokens]))
    .sort((a, b) => a[0] - b[0])
  if (placed.length === 0) {
    say('No finding of this rollout points at a token')
    return
  }
  const at = range?.[0] ?? token ?? -1
  const target = step === 1 ? placed.find(([start]) => start > at) : placed.findLast(([start]) => start < at)
  if (target === undefined) say('No further finding')
  else jumpTo(target[0], target)
}

function toggleTab(tab: RolloutTab): void {
  useView.setState((view) => ({ tab: view.tab === tab ? 'tokens' : tab }))
}

function exportFlagged(as: ExportId, repairMasks = false): void {
  void exportRollouts({ as, indices: useFlags.getState().here, why: 'flagged', repairMasks })
}

function exportShown(as: ExportId, repairMasks = false): void {
  const filters = useFilters.getState()
  void exportRollouts({
    as,
    indices: [...list.get()],
    why: describeFilters(filters, useFiles.getState().report?.limits ?? null),
    repairMasks,
  })
}
