import type { Command } from '../../commands/command.ts'
import { usePlaces } from '../../state/place.ts'
import { NEW_EXPERIMENT, openExperiment, openHypothesis, openPage } from './notebook-place.ts'

const HERE = ['notebook'] as const

// The notebook is not part of what the page begins with.
const store = () => import('../../data/notebook.ts')
const files = () => import('../../data/notebook-files.ts')
const additions = () => import('./additions.ts')

export const NOTEBOOK_COMMANDS: readonly Command[] = [
  { id: 'notebook-board', title: 'Notebook: board', keys: ['b'], where: HERE, run: () => openPage('board') },
  { id: 'notebook-roadmap', title: 'Notebook: roadmap', keys: ['r'], where: HERE, run: () => openPage('roadmap') },
  {
    id: 'notebook-experiments',
    title: 'Notebook: experiments',
    keys: ['x'],
    where: HERE,
    run: () => openPage('experiments'),
  },
  { id: 'notebook-problem', title: 'Notebook: problem', keys: ['p'], where: HERE, run: () => openPage('problem') },
  { id: 'notebook-files', title: 'Notebook: files', keys: ['F'], where: HERE, run: () => openPage('folder') },
  {
    id: 'notebook-new',
    title: 'Notebook: new hypothesis',
    keys: ['n'],
    where: HERE,
    run: () => void additions().then(({ newOne }) => newOne()),
  },
  {
    id: 'notebook-new-experiment',
    title: 'Notebook: new experiment',
    keys: ['N'],
    where: HERE,
    run: () => openExperiment(NEW_EXPERIMENT),
  },
  { id: 'notebook-back', title: 'Notebook: back from a page', keys: ['Escape'], where: HERE, run: back },
  {
    id: 'notebook-undo',
    title: 'Notebook: undo',
    keys: ['Mod+z'],
    where: HERE,
    run: () => void store().then(({ undoNotebook }) => undoNotebook()),
  },
  {
    id: 'notebook-redo',
    title: 'Notebook: redo',
    keys: ['Mod+Z', 'Mod+y'],
    where: HERE,
    run: () => void store().then(({ redoNotebook }) => redoNotebook()),
  },
  {
    id: 'notebook-save',
    title: 'Notebook: save as one file',
    keys: [],
    where: HERE,
    run: () => void files().then(({ saveNotebookFile }) => saveNotebookFile()),
  },
  {
    id: 'notebook-open',
    title: 'Notebook: open a saved one…',
    keys: [],
    where: HERE,
    run: () => void files().then(({ pickNotebookFile }) => pickNotebookFile()),
  },
  {
    id: 'notebook-import',
    title: 'Notebook: import a folder of Markdown…',
    keys: [],
    where: HERE,
    run: () => void files().then(({ pickNotebookFolder }) => pickNotebookFolder()),
  },
  {
    id: 'notebook-zip',
    title: 'Notebook: save as a folder of Markdown (zip)',
    keys: [],
    where: HERE,
    run: () => void files().then(({ saveFolderZip }) => saveFolderZip('all')),
  },
]

function back(): void {
  const { experiment } = usePlaces.getState().notebook ?? {}
  if (experiment !== undefined) openPage('experiments')
  else openHypothesis(null)
}
