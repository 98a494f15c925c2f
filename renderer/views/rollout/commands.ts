import type { Command } from '../../commands/command.ts'
import { copyFindingHere, copyIds, copyJson, copyMarkdown, copyText } from '../../commands/copying.ts'
import { move } from '../../commands/move.ts'
import { knownDetail, knownRelatives, overlayChoicesOf } from '../../data/details.ts'
import { orderedFindings } from '../../data/ordered-findings.ts'
import { goTo } from '../../state/place.ts'
import { jumpTo, jumpToFinding, moveRangeEnd, rolloutOnScreen, useSelection } from '../../state/selection.ts'
import { type RolloutTab, say, show, useView } from '../../state/view.ts'
import { nextEdge } from './edges.ts'
import { longPadding } from './folds.ts'
import { overlayMenu } from './overlay-menu.tsx'
import { moveSibling } from './relatives.tsx'
import { togglePadding } from './revealed-padding.ts'
import { rolloutPlace, showOverlay, toggleLayout } from './rollout-place.ts'

export const ROLLOUT_COMMANDS: readonly Command[] = [
  { id: 'next', title: 'Next rollout', keys: ['n', 'j'], where: ['rollout'], run: () => move(1) },
  { id: 'previous', title: 'Previous rollout', keys: ['p', 'k'], where: ['rollout'], run: () => move(-1) },
  {
    id: 'sibling-next',
    title: 'Next rollout of the group',
    also: 'sibling',
    keys: ['}'],
    where: ['rollout'],
    run: () => stepSibling(1),
  },
  {
    id: 'sibling-back',
    title: 'Previous rollout of the group',
    also: 'sibling',
    keys: ['{'],
    where: ['rollout'],
    run: () => stepSibling(-1),
  },
  { id: 'back', title: 'Back to the table, or to the pair', keys: ['Escape'], where: ['rollout'], run: goBack },
  { id: 'edge-next', title: 'Next edge of the mask', keys: ['J'], where: ['rollout'], run: () => moveEdge(1) },
  { id: 'edge-back', title: 'Previous edge of the mask', keys: ['K'], where: ['rollout'], run: () => moveEdge(-1) },
  {
    id: 'finding-next',
    title: 'Next finding',
    also: 'findings',
    keys: [']'],
    where: ['rollout'],
    run: () => moveFinding(1),
  },
  { id: 'finding-back', title: 'Previous finding', keys: ['['], where: ['rollout'], run: () => moveFinding(-1) },
  { id: 'token-next', title: 'Next token', keys: ['l', 'ArrowRight'], where: ['rollout'], run: () => moveToken(1) },
  { id: 'token-back', title: 'Previous token', keys: ['h', 'ArrowLeft'], where: ['rollout'], run: () => moveToken(-1) },
  {
    id: 'range-next',
    title: 'Mark one token more, as a note is about them',
    keys: ['Shift+ArrowRight'],
    where: ['rollout'],
    run: () => extendRange(1),
  },
  {
    id: 'range-back',
    title: 'Mark one token less, or further back',
    keys: ['Shift+ArrowLeft'],
    where: ['rollout'],
    run: () => extendRange(-1),
  },
  {
    id: 'boundaries',
    title: 'Boundary zoom',
    also: 'boundaries turn edges headers',
    keys: ['b'],
    where: ['rollout'],
    run: () => toggleTab('boundaries'),
  },
  {
    id: 'render',
    title: 'Re-render: ids beside what the messages give',
    also: 'rerender chat template difference diff',
    keys: ['r'],
    where: ['rollout'],
    run: () => toggleTab('render'),
  },
  {
    id: 'retokenise',
    title: 'Re-tokenise: ids beside their own text encoded again',
    also: 'retokenise retokenize tokenizer difference diff',
    keys: ['R'],
    where: ['rollout'],
    run: () => {
      goTo('rollout', { compare: 'retokenise' })
      useView.setState({ tab: 'render' })
    },
  },
  {
    id: 'tools',
    title: 'Tool schemas',
    also: 'functions',
    keys: [],
    where: ['rollout'],
    run: () => toggleTab('tools'),
  },
  { id: 'documents', title: 'Documents and answer', keys: [], where: ['rollout'], run: () => toggleTab('documents') },
  { id: 'messages', title: 'Messages', keys: ['m'], where: ['rollout'], run: () => toggleTab('messages') },
  {
    id: 'raw',
    title: 'The record as stored',
    also: 'raw json',
    keys: ['w'],
    where: ['rollout'],
    run: () => toggleTab('raw'),
  },
  {
    id: 'overlay',
    title: 'Colour tokens by…',
    also: 'overlay color state advantage logprob delta entropy kl loss weight grpo dapo bnpo dr_grpo',
    keys: ['o'],
    where: ['rollout'],
    run: openOverlays,
  },
  {
    id: 'overlay-next',
    title: 'Next way to colour tokens',
    keys: ['>'],
    where: ['rollout'],
    run: () => void cycleOverlay(1),
  },
  {
    id: 'overlay-back',
    title: 'Previous way to colour tokens',
    keys: ['<'],
    where: ['rollout'],
    run: () => void cycleOverlay(-1),
  },
  {
    id: 'grid',
    title: 'One token to a cell, or natural flow',
    also: 'grid layout',
    keys: ['g'],
    where: ['rollout'],
    run: toggleLayout,
  },
  {
    id: 'padding',
    title: 'Show padding token by token, or fold it',
    keys: ['z'],
    where: ['rollout'],
    run: showPadding,
  },
  {
    id: 'copy-ids',
    title: 'Copy token ids as a Python list',
    keys: ['c'],
    where: ['rollout'],
    run: () => void copyIds(),
  },
  { id: 'copy-text', title: 'Copy the text', keys: ['C'], where: ['rollout'], run: () => void copyText() },
  { id: 'copy-json', title: 'Copy the tokens as JSON', keys: [], where: ['rollout'], run: () => void copyJson() },
  {
    id: 'copy-markdown',
    title: 'Copy the tokens as Markdown',
    keys: [],
    where: ['rollout'],
    run: () => void copyMarkdown(),
  },
  {
    id: 'copy-finding',
    title: 'Copy the finding as Markdown',
    keys: ['Y'],
    where: ['rollout'],
    run: () => void copyFindingHere(),
  },
]

function goBack(): void {
  show(rolloutOnScreen()?.run === 'second' ? 'compare' : 'rollouts')
}

function stepSibling(step: 1 | -1): void {
  const of = rolloutOnScreen()
  moveSibling(knownRelatives(of), of, step)
}

function showPadding(): void {
  const detail = knownDetail(rolloutOnScreen())
  if (detail === null) return
  if (longPadding(detail).length === 0) say('This rollout has no long run of padding')
  else togglePadding(detail)
  if (useView.getState().tab !== 'tokens') useView.setState({ tab: 'tokens' })
}

function openOverlays(): void {
  if (useView.getState().tab !== 'boundaries') useView.setState({ tab: 'tokens' })
  overlayMenu.set(!overlayMenu.get())
}

/** Goes through the overlays that this rollout has, by way of the state. */
async function cycleOverlay(step: 1 | -1): Promise<void> {
  const of = rolloutOnScreen()
  if (of === null) return
  const possible = (await overlayChoicesOf(of)).filter(({ missing }) => missing === null)
  const now = rolloutOnScreen()
  if (now?.run !== of.run || now.index !== of.index) return
  const ids = [null, ...possible.map(({ id }) => id)]
  const at = ids.indexOf(rolloutPlace().overlay)
  const next = ids[(at + step + ids.length) % ids.length] ?? null
  showOverlay(next)
  say(`Coloured by ${possible.find(({ id }) => id === next)?.title ?? 'state'}`)
}

function moveEdge(step: 1 | -1): void {
  const { token } = useSelection.getState()
  const detail = knownDetail(rolloutOnScreen())
  if (detail === null) return
  const edge = nextEdge(detail.states, token ?? 0, step)
  if (edge === null) say('No further edge of the mask')
  else jumpTo(edge)
}

function moveToken(step: 1 | -1): void {
  const { token } = useSelection.getState()
  const detail = knownDetail(rolloutOnScreen())
  if (detail === null || detail.ids === null || detail.ids.length === 0) return
  jumpTo(Math.max(0, Math.min(detail.ids.length - 1, (token ?? -step) + step)))
}

function extendRange(step: 1 | -1): void {
  moveRangeEnd(step, knownDetail(rolloutOnScreen())?.ids?.length ?? 0)
}

function moveFinding(step: 1 | -1): void {
  const { token, range } = useSelection.getState()
  const detail = knownDetail(rolloutOnScreen())
  const placed = (detail === null ? [] : orderedFindings(detail))
    .flatMap((finding) => (finding.tokens === null ? [] : { finding, start: finding.tokens[0] }))
    .sort((a, b) => a.start - b.start)
  if (placed.length === 0) {
    say('No finding of this rollout points at a token')
    return
  }
  const at = range?.[0] ?? token ?? -1
  const next = step === 1 ? placed.find(({ start }) => start > at) : placed.findLast(({ start }) => start < at)
  // Of those that begin there, the cause.
  const target = placed.find(({ start }) => start === next?.start)
  if (target === undefined) say('No further finding')
  else jumpToFinding(target.finding)
}

function toggleTab(tab: RolloutTab): void {
  useView.setState((view) => ({ tab: view.tab === tab ? 'tokens' : tab }))
}
