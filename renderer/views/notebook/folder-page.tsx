import { useMemo, useState } from 'react'
import { writeFolder } from '../../../shared/notebook/markdown/folder.ts'
import { shownText } from '../../../shared/notebook/markdown/text.ts'
import type { Notebook } from '../../../shared/notebook/model.ts'
import { writeIntoFolder } from '../../data/notebook-directory.ts'
import {
  folderTold,
  pickNotebookFile,
  pickNotebookFolder,
  saveFolderZip,
  saveNotebookFile,
} from '../../data/notebook-files.ts'
import { useObservable } from '../../data/observable.ts'
import { canPickDirectory } from '../../data/save-directory.ts'
import { counted } from '../../text/numbers.ts'
import { upright } from '../../text/visible.ts'
import { openHypothesis } from './notebook-place.ts'
import { shortTime } from './notebook-words.ts'

/** The notebook as files: the folder of Markdown it is read from and written to, and the one file that holds all of it. */
export function FolderPage({ notebook }: { notebook: Notebook }) {
  const told = useObservable(folderTold)
  const written = useMemo(() => writeFolder(notebook), [notebook])
  const changed = new Set(written.pages.map(({ path }) => path))
  const { folder } = notebook
  return (
    <div className="note-page folder-page">
      <section aria-labelledby="folder">
        <h2 id="folder">Folder of Markdown</h2>
        {folder === null ? (
          <p>
            The notebook is in no folder. Import one with <code>README.md</code>, <code>00-problem-statement.md</code>,{' '}
            <code>01-experiments-log.md</code> and <code>hypotheses/hNN-….md</code>, or drop it anywhere on the page; or
            save the notebook as such a folder.
          </p>
        ) : (
          <p>
            Read from <strong>{upright(folder.name)}</strong>, {shortTime(folder.importedAt)}:{' '}
            {counted(folder.pages.length, 'page')}
            {folder.others.length > 0 && `, and ${counted(folder.others.length, 'other file')} that stay as they are`}.{' '}
            {changed.size === 0
              ? 'Nothing has changed since: what would be written is the same, byte for byte.'
              : `${counted(changed.size, 'page')} changed since. Only the parts that changed are rewritten.`}
          </p>
        )}
        <p className="folder-buttons">
          <button type="button" className="button" onClick={() => void pickNotebookFolder()}>
            Import a folder…
          </button>
          {folder !== null && (
            <button
              type="button"
              className="button"
              disabled={changed.size === 0}
              onClick={() => void saveFolderZip('changed')}
            >
              Save changed pages (zip)
            </button>
          )}
          <button type="button" className="button" onClick={() => void saveFolderZip('all')}>
            Save the whole folder (zip)
          </button>
          {canPickDirectory() && (
            <button
              type="button"
              className="button"
              disabled={changed.size === 0}
              onClick={() => void writeIntoFolder()}
            >
              Write into a folder…
            </button>
          )}
        </p>
        {told.length + written.told.length > 0 && (
          <ul className="folder-told" aria-label="What was noticed">
            {[...new Set([...told, ...written.told])].map((sentence) => (
              <li key={sentence}>{upright(sentence)}</li>
            ))}
          </ul>
        )}
      </section>
      {folder !== null && <Pages notebook={notebook} changed={changed} />}
      <section aria-labelledby="one-file">
        <h2 id="one-file">One file</h2>
        <p>Everything in the notebook, evidence and history included, as one JSON file, and back.</p>
        <p className="folder-buttons">
          <button type="button" className="button" onClick={() => void saveNotebookFile()}>
            Save the notebook
          </button>
          <button type="button" className="button" onClick={() => void pickNotebookFile()}>
            Open a saved notebook…
          </button>
        </p>
      </section>
    </div>
  )
}

/** Every page of the folder, with what it became in the notebook; a page of no known kind can be read here. */
function Pages({ notebook, changed }: { notebook: Notebook; changed: ReadonlySet<string> }) {
  const [open, setOpen] = useState<string | null>(null)
  const pages = notebook.folder?.pages ?? []
  return (
    <section aria-labelledby="pages">
      <h2 id="pages">Pages</h2>
      <ul className="folder-pages">
        {pages.map(({ path, text }) => {
          const hypothesis = notebook.hypotheses.find(({ file }) => file === path)
          return (
            <li key={path}>
              <button
                type="button"
                className="link"
                aria-expanded={open === path}
                onClick={() => setOpen(open === path ? null : path)}
              >
                {upright(path)}
              </button>
              {hypothesis !== undefined && (
                <button type="button" className="link" onClick={() => openHypothesis(hypothesis.id)}>
                  {hypothesis.id}
                </button>
              )}
              {changed.has(path) && <span className="warn-text">changed here</span>}
              {open === path && (
                // biome-ignore lint/a11y/noNoninteractiveTabindex: a long page is read by scrolling, also with keys
                <section className="prose-code" tabIndex={0} aria-label={path}>
                  <pre>{shownText(text)}</pre>
                </section>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
