import { useEffect, useRef } from 'react'
import type { Notebook } from '../../../shared/notebook/model.ts'
import { useChosenFocus } from '../../app/use-chosen-focus.ts'
import { keeper, loadNotebook, redoNotebook, undoNotebook, useKeeping } from '../../data/notebook.ts'
import { saveNotebookFile } from '../../data/notebook-files.ts'
import { useKeptScroll } from '../../lists/use-kept-scroll.ts'
import { spelt } from '../../text/visible.ts'
import { Board } from './board.tsx'
import { ExperimentPage } from './experiment-page.tsx'
import { Experiments } from './experiments.tsx'
import { FolderPage } from './folder-page.tsx'
import { HypothesisPage } from './hypothesis-page.tsx'
import { NewExperiment } from './new-experiment.tsx'
import { NEW_EXPERIMENT, type NotebookPage, openPage, useNotebookPlace } from './notebook-place.ts'
import { shortTime } from './notebook-words.ts'
import { ProblemPage } from './problem-page.tsx'
import { Roadmap } from './roadmap.tsx'

const TITLES: readonly (readonly [NotebookPage, string])[] = [
  ['board', 'Board'],
  ['roadmap', 'Roadmap'],
  ['experiments', 'Experiments'],
  ['problem', 'Problem'],
  ['folder', 'Files'],
]

/** Hypotheses and experiments with their evidence, kept beside all dumps. It needs none to be open. */
export function NotebookView() {
  const { notebook, keeping, problem, savedAt, undoable, redoable } = useKeeping()
  const place = useNotebookPlace()
  useEffect(() => void loadNotebook(), [])
  const scroller = useRef<HTMLDivElement>(null)
  const hypothesis = notebook?.hypotheses.find(({ id }) => id === place.hypothesis)
  const experiment = notebook?.experiments.find(({ id }) => id === place.experiment)
  // Each page has its own place: a card that is opened begins at its top, and the board comes back where it was.
  useKeptScroll(scroller, `notebook ${hypothesis?.id ?? experiment?.id ?? place.page}`, notebook !== null)
  const pages = useRef<HTMLElement>(null)
  useChosenFocus(pages, place.page)
  const isAdding = place.experiment === NEW_EXPERIMENT
  const isInside = hypothesis !== undefined || experiment !== undefined || isAdding
  return (
    <div className="notebook">
      <header className="notebook-head">
        <h1 className="visually-hidden">Notebook</h1>
        <nav ref={pages} className="segmented" aria-label="Pages of the notebook">
          {TITLES.map(([page, title]) => (
            <button
              key={page}
              type="button"
              aria-pressed={place.page === page && !isInside}
              onClick={() => openPage(page)}
            >
              {title}
            </button>
          ))}
        </nav>
        <p className="notebook-kept quiet">
          {keeping === 'saved' && (savedAt === null ? 'Nothing written yet' : `Saved ${shortTime(savedAt)}`)}
          {keeping === 'saving' && 'Saving…'}
          {keeping === 'failed' && <span className="warn-text">⚠ Not saved</span>}
        </p>
        <button
          type="button"
          className="button small"
          disabled={undoable === null}
          title={undoable === null ? undefined : `Undo: ${spelt(undoable)}`}
          onClick={undoNotebook}
        >
          Undo
        </button>
        <button
          type="button"
          className="button small"
          disabled={redoable === null}
          title={redoable === null ? undefined : `Do again: ${spelt(redoable)}`}
          onClick={redoNotebook}
        >
          Redo
        </button>
      </header>
      {problem !== null && (
        <div className="notebook-problem" role="alert">
          <p>⚠ {problem}</p>
          <button type="button" className="button small" onClick={() => void saveNotebookFile()}>
            Save as a file
          </button>
          <button type="button" className="button small" onClick={() => void keeper.flush()}>
            Try again
          </button>
        </div>
      )}
      <div ref={scroller} className="notebook-body">
        {notebook === null ? (
          <p className="quiet">One moment…</p>
        ) : hypothesis !== undefined ? (
          <HypothesisPage key={hypothesis.id} notebook={notebook} hypothesis={hypothesis} />
        ) : experiment !== undefined ? (
          <ExperimentPage key={experiment.id} notebook={notebook} experiment={experiment} />
        ) : isAdding ? (
          <NewExperiment notebook={notebook} />
        ) : (
          <Page page={place.page} notebook={notebook} />
        )}
      </div>
    </div>
  )
}

function Page({ page, notebook }: { page: NotebookPage; notebook: Notebook }) {
  if (page === 'roadmap') return <Roadmap notebook={notebook} />
  if (page === 'experiments') return <Experiments notebook={notebook} />
  if (page === 'problem') return <ProblemPage notebook={notebook} />
  if (page === 'folder') return <FolderPage notebook={notebook} />
  return <Board notebook={notebook} />
}
