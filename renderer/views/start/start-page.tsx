import { lazy, Suspense, useEffect, useState } from 'react'
import type { RecentFile } from '../../../electron/bridge.ts'
import { wantedDump } from '../../app/keep-address.ts'
import { Notice } from '../../app/notice.tsx'
import { Problems } from '../../app/problems.tsx'
import { OPEN_AS_RUN, ServedList } from '../../app/served-list.tsx'
import type { RecentOpen } from '../../data/database.ts'
import { closeDump } from '../../data/dump.ts'
import { namesOfDump } from '../../data/dump-names.ts'
import { useObservable } from '../../data/observable.ts'
import { openFromShell, pickAndOpen } from '../../data/opening.ts'
import { recentOpens } from '../../data/recent.ts'
import { choiceAgain, servedFolder } from '../../data/served-folder.ts'
import { hostNotice, linkNotice, openSample, openServed, sample } from '../../data/session.ts'
import { useFiles } from '../../state/files.ts'
import { show } from '../../state/view.ts'
import { bytes, counted } from '../../text/numbers.ts'
import { spelt } from '../../text/visible.ts'

// All readers of formats come along with their names, and nothing waits for them.
const FormatList = lazy(async () => ({ default: (await import('./format-list.tsx')).FormatList }))

/** What is seen while nothing is open. */
export function StartPage() {
  const phase = useFiles((files) => files.phase)
  return (
    <main className="start">
      <div className="start-column">
        <header className="start-head">
          <h1>Rollout Inspector</h1>
          <p>See which tokens of an RL rollout are trained, and learn why a run does not learn.</p>
        </header>
        <Problems />
        <Notice />
        <LinkedDump />
        {phase !== 'opening' && <Served />}
        {phase === 'opening' ? <Opening /> : <DropTarget />}
        <HostNotice />
        <div className="start-below">
          <Recent />
          <Suspense>
            <FormatList />
          </Suspense>
        </div>
        <p className="quiet start-foot">Files are read on this machine and sent nowhere.</p>
      </div>
    </main>
  )
}

/** What the host of the page has is nearer than what this machine has. */
function Served() {
  const folder = useObservable(servedFolder)
  if (folder === null) return null
  return (
    <section className="start-served" aria-labelledby="start-served">
      <h2 id="start-served">Files in {spelt(folder.name)}</h2>
      <ServedList words={OPEN_AS_RUN} onChoose={(choice) => void openServed(choice)} />
    </section>
  )
}

function DropTarget() {
  const one = useObservable(sample)
  // Until it is known its place is kept: nothing moves below a pointer.
  const kept = one === undefined ? ' place-kept' : ''
  return (
    <section className="drop-target" aria-label="Open rollouts">
      <Strip />
      <p className="drop-words">Drop rollout files or a run’s folder here</p>
      <div className="drop-buttons">
        <button type="button" className="button primary" onClick={() => void pickAndOpen('files')}>
          Open files…
        </button>
        <button type="button" className="button" onClick={() => void pickAndOpen('folder')}>
          Open a folder…
        </button>
        {one !== null && (
          <button type="button" className={`button${kept}`} onClick={() => void openSample()}>
            Open the sample run
          </button>
        )}
        <button type="button" className="button" onClick={() => show('notebook')}>
          Open the notebook
        </button>
      </div>
      {one !== null && (
        <p className={`quiet${kept}`}>
          The sample is a two-hop question run with a retrieval tool whose reward does not rise.
        </p>
      )}
    </section>
  )
}

/** A rollout's mask as the strip draws it, for the eye only. */
function Strip() {
  const runs = ['m9', 't5', 'm7', 't3', 'm11', 't6', 'p6']
  return (
    <div className="start-strip" aria-hidden="true">
      {runs.map((run) => (
        <span key={run} className={`start-run ${run[0]}`} style={{ flexGrow: Number(run.slice(1)) }} />
      ))}
    </div>
  )
}

function Opening() {
  const sources = useFiles((files) => files.sources)
  const progress = useFiles((files) => files.progress)
  const rate = useFiles((files) => files.rate)
  const [first] = sources
  return (
    <section className="drop-target" aria-label="Opening">
      <p className="drop-words">
        Opening {spelt(first?.name ?? '')}
        {sources.length > 1 && ` and ${counted(sources.length - 1, 'more file')}`}
      </p>
      <progress max={progress?.bytesTotal || undefined} value={progress?.bytesRead} aria-label="Opening" />
      <p className="quiet">
        {progress === null
          ? 'Looking at the first records'
          : `${bytes(progress.bytesRead)} of ${bytes(progress.bytesTotal)}${rate === null ? '' : ` · ${bytes(rate)}/s`}`}
      </p>
      <button type="button" className="button" onClick={() => void closeDump()}>
        Cancel
      </button>
    </section>
  )
}

/** What a link asks for that is not open: it stands above all that may be chosen, however long the list is. */
function LinkedDump() {
  const why = useObservable(linkNotice)
  const folder = useObservable(servedFolder)
  const wanted = wantedDump()
  const names = useNames(wanted)
  if (wanted === null) return null
  if (why !== null) return <p className="start-notice">{spelt(why)}</p>
  const [first, ...others] = names ?? []
  const hash = (
    <>
      its hash begins with <code>{wanted.slice(0, 12)}</code>
    </>
  )
  if (first === undefined) {
    return (
      <p className="start-notice">
        The link points into a dump that is not open here ({hash}).{' '}
        {folder === null ? 'Drop that dump to see the place.' : 'Choose its file below, or drop it, to see the place.'}
      </p>
    )
  }
  return (
    <p className="start-notice">
      The link points into <strong>{spelt(first)}</strong>
      {others.length > 0 && ` and ${counted(others.length, 'more file')}`}, which was open here before and has to be
      given again ({hash}). {folder === null ? 'Drop it' : 'Choose it below, or drop it,'} to see the place.
    </p>
  )
}

/** Names of the files of a dump, as far as they are known here. */
function useNames(dump: string | null): readonly string[] | null {
  const [names, setNames] = useState<readonly string[] | null>(null)
  useEffect(() => {
    let isWanted = true
    if (dump !== null) void namesOfDump(dump).then((known) => isWanted && setNames(known))
    return () => {
      isWanted = false
    }
  }, [dump])
  return names
}

function HostNotice() {
  const notice = useObservable(hostNotice)
  return notice === null ? null : <p className="start-notice">{spelt(notice)}</p>
}

function Recent() {
  const [opens, setOpens] = useState<readonly RecentOpen[]>([])
  const [files, setFiles] = useState<readonly RecentFile[]>([])
  useEffect(() => {
    if (window.inspector === undefined) void recentOpens().then(setOpens)
    else void window.inspector.recentFiles().then(setFiles)
  }, [])
  const folder = useObservable(servedFolder)
  // What another folder had, this page cannot open again.
  const again = opens.filter((entry) => entry.served === undefined || choiceAgain(entry, folder) !== null)
  if (again.length + files.length === 0) return null
  return (
    <section>
      <h2>Recent</h2>
      <ul className="recent">
        {files.map((file) => (
          <li key={file.id}>
            <button
              type="button"
              className="link"
              onClick={() => void window.inspector?.openRecent(file.id).then(openFromShell)}
            >
              {spelt(file.name)}
            </button>
            <span className="quiet">{spelt(file.where)}</span>
          </li>
        ))}
        {again.map((entry) => (
          <li key={entry.key}>
            <RecentEntry entry={entry} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function RecentEntry({ entry }: { entry: RecentOpen }) {
  const [first] = entry.names
  const folder = useObservable(servedFolder)
  const name =
    entry.names.length > 1 ? `${first} and ${counted(entry.names.length - 1, 'more', 'more')}` : (first ?? '')
  const [asked, setAsked] = useState<'no' | 'waiting' | 'refused'>('no')
  const choice = choiceAgain(entry, folder)
  const choose = async () => {
    if (choice !== null) return openServed(choice)
    setAsked('waiting')
    setAsked((await pickAndOpen('files')) ? 'no' : 'refused')
  }
  return (
    <>
      <button
        type="button"
        className="link"
        title={choice === null ? 'Choose the file again' : undefined}
        onClick={() => void choose()}
      >
        {spelt(name)}
      </button>
      <span className="quiet">{bytes(entry.size)}</span>
      <p className="recent-asked quiet" role="status">
        {asked === 'waiting' &&
          `Waiting for your permission: a browser lets a page open a file only once you have chosen it. Choose ${spelt(name)} in its dialog.`}
        {asked === 'refused' &&
          'Nothing was chosen, so nothing was opened. Choose it once more, or drop it on this page.'}
      </p>
    </>
  )
}
