import { useEffect, useId, useState } from 'react'
import type { OpenedFile } from '../../electron/bridge.ts'
import { useObservable } from '../data/observable.ts'
import { type Choice, fetchSession, servedFolder } from '../data/served-folder.ts'
import { type ServedBranch, servedTree } from '../data/served-tree.ts'
import { bytes, count, counted } from '../text/numbers.ts'
import { spelt } from '../text/visible.ts'

/** With no more files than this all folders are unfolded, and there is nothing to look for. */
const FEW = 24
/** Files of one folder that are listed until a person asks for all. */
const MOST_LISTED = 200

/** What is done with files that are chosen, around their number: “Use … as the dataset”. */
export interface ListWords {
  readonly verb: string
  readonly as: string
}

export const OPEN_AS_RUN: ListWords = { verb: 'Open', as: 'as one run' }

interface ServedListProps {
  readonly words: ListWords
  readonly onChoose: (choice: Choice) => void
}

/** The folder that the host of the page serves, to choose one file of, a folder, or several files together. */
export function ServedList({ words, onChoose }: ServedListProps) {
  const folder = useObservable(servedFolder)
  const [found, setFound] = useState('')
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  // What a run wrote since the page was loaded is listed as well.
  useEffect(() => void fetchSession(), [])
  if (folder === null) return null
  const tree = servedTree(spelt(folder.name), folder.files, found)
  const chosen = folder.files.filter(({ name }) => marked.has(name)).map(({ name }) => name)
  const mark = (name: string) =>
    setMarked((before) =>
      before.has(name) ? new Set([...before].filter((other) => other !== name)) : new Set([...before, name]),
    )
  if (folder.files.length === 0)
    return <p className="quiet">There is no file in {spelt(folder.name)} that could belong to a run.</p>
  return (
    <div className="served">
      {folder.files.length > FEW && (
        <input
          type="search"
          className="served-search"
          placeholder="Part of a name"
          aria-label={`Look for files in ${spelt(folder.name)}`}
          value={found}
          onChange={(event) => setFound(event.target.value)}
        />
      )}
      <ul className="served-tree">
        <Branch
          key={found}
          branch={tree}
          isUnfolded
          unfoldsAll={folder.files.length <= FEW || found !== ''}
          isWhole={found === ''}
          words={words}
          marked={marked}
          onMark={mark}
          onChoose={onChoose}
        />
      </ul>
      {found !== '' && tree.all.length === 0 && <p className="quiet">No name has that in it.</p>}
      {chosen.length > 0 && (
        <p className="served-chosen">
          <button type="button" className="button primary" onClick={() => onChoose({ names: chosen, folder: null })}>
            {chosen.length === 1
              ? `${words.verb} the chosen file`
              : `${words.verb} the ${count(chosen.length)} chosen files ${words.as}`}
          </button>{' '}
          <button type="button" className="button" onClick={() => setMarked(new Set())}>
            Choose none
          </button>
        </p>
      )}
    </div>
  )
}

interface BranchProps {
  readonly branch: ServedBranch
  readonly isUnfolded: boolean
  readonly unfoldsAll: boolean
  /** Nothing is left out of it by what a person looks for. */
  readonly isWhole: boolean
  readonly words: ListWords
  readonly marked: ReadonlySet<string>
  readonly onMark: (name: string) => void
  readonly onChoose: (choice: Choice) => void
}

function Branch({ branch, isUnfolded, ...rest }: BranchProps) {
  const { unfoldsAll, isWhole, words, marked, onMark, onChoose } = rest
  const [isOpen, setOpen] = useState(isUnfolded || unfoldsAll)
  const [listed, setListed] = useState(MOST_LISTED)
  const id = useId()
  const { all, branches, files, folder } = branch
  const name = spelt(branch.name)
  const says = `${words.verb} ${isWhole ? '' : 'these '}${words.as}`
  const size = all.reduce((sum, file) => sum + file.size, 0)
  return (
    <li>
      <div className="served-folder">
        <button
          type="button"
          className="served-name"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> {name}
        </button>
        <span className="quiet">
          {counted(all.length, 'file')}, {bytes(size)}
        </span>
        {all.length > 1 && (
          <button
            type="button"
            className="button small"
            aria-label={`${says}: ${name}`}
            onClick={() => onChoose({ names: all.map((file) => file.name), folder: isWhole ? folder : null })}
          >
            {says}
          </button>
        )}
      </div>
      <ul id={id} hidden={!isOpen}>
        {isOpen &&
          branches.map((inside) => <Branch key={inside.folder} branch={inside} isUnfolded={false} {...rest} />)}
        {isOpen &&
          files
            .slice(0, listed)
            .map((file) => (
              <File
                key={file.name}
                file={file}
                from={folder.length}
                isMarked={marked.has(file.name)}
                onMark={onMark}
                onChoose={onChoose}
              />
            ))}
        {isOpen && files.length > listed && (
          <li>
            <button type="button" className="link" onClick={() => setListed(files.length)}>
              {counted(files.length - listed, 'more file')}
            </button>
          </li>
        )}
      </ul>
    </li>
  )
}

interface FileProps {
  readonly file: OpenedFile
  /** Where its own name begins. */
  readonly from: number
  readonly isMarked: boolean
  readonly onMark: (name: string) => void
  readonly onChoose: (choice: Choice) => void
}

function File({ file, from, isMarked, onMark, onChoose }: FileProps) {
  const name = spelt(file.name.slice(from))
  return (
    <li className="served-file">
      <input type="checkbox" aria-label={`Choose ${name}`} checked={isMarked} onChange={() => onMark(file.name)} />
      <button
        type="button"
        className="link served-name"
        title={spelt(file.name)}
        onClick={() => onChoose({ names: [file.name], folder: null })}
      >
        {name}
      </button>
      <span className="quiet">{bytes(file.size)}</span>
    </li>
  )
}
