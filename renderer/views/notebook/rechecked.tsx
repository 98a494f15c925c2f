import { useEffect, useState } from 'react'
import type { Moved, Recheck } from '../../../shared/notebook/evidence/recheck.ts'
import type { Evidence } from '../../../shared/notebook/model.ts'
import { recheckHere } from '../../data/pinning.ts'
import { useFiles } from '../../state/files.ts'
import { useSecond } from '../../state/second.ts'
import { spelt } from '../../text/visible.ts'
import { pinnedValue } from './evidence-numbers.tsx'

type Checked = Recheck | null | 'checking' | 'failed'

/** What became of pinned evidence in the run that is open. Nothing is shown where that run is not. */
export function Rechecked({ evidence }: { evidence: Evidence }) {
  const checked = useRecheck(evidence)
  if (checked === null) return null
  if (checked === 'checking') return <p className="quiet">Looking it up in the open run…</p>
  if (checked === 'failed') return <p className="quiet">It could not be looked up in the open run.</p>
  if (checked.state === 'unchanged') {
    return (
      <p className="quiet">
        <span aria-hidden="true">✓</span> Unchanged in the open run{nowCalled(checked)}
      </p>
    )
  }
  return (
    <div>
      <p className="warn-text">
        <span aria-hidden="true">⚠</span>{' '}
        {checked.state === 'gone'
          ? goneWords(evidence, checked.settings)
          : checked.nowCalled === undefined
            ? 'Changed in the open run:'
            : `Changed in the open run${nowCalled(checked)}`}
      </p>
      <MovedList moved={checked.numbers} />
      {checked.settings.length > 0 && (
        <>
          <p className="quiet">What it is read under is not the same:</p>
          <MovedList moved={checked.settings} />
        </>
      )}
    </div>
  )
}

function nowCalled({ nowCalled: title }: Recheck): string {
  return title === undefined ? '.' : `, where this measure has another name by now: ${spelt(title)}`
}

/** A measure that another version names otherwise is not gone. */
function goneWords({ kind }: Evidence, settings: readonly Moved[]): string {
  const isOfOther = settings.some(({ name }) => name === 'program')
  return kind === 'measure' && isOfOther
    ? 'Not found in the open run under this name. Another version of the program judges it now, which may call the measure otherwise.'
    : 'Gone from the open run: it is not found there any more.'
}

function MovedList({ moved }: { moved: readonly Moved[] }) {
  if (moved.length === 0) return null
  return (
    <ul>
      {moved.map(({ name, was, now }) => (
        <li key={name}>
          {spelt(name)} {pinnedValue(was)} → <strong>{pinnedValue(now)}</strong>
        </li>
      ))}
    </ul>
  )
}

function useRecheck(evidence: Evidence): Checked {
  const report = useFiles((files) => files.report)
  const isJudged = useFiles((files) => files.phase === 'open' && !files.judgingStopped && files.readingFailed === null)
  const second = useSecond((state) => state.run)
  const dump = useFiles((files) => files.dumpHash)
  const [checked, setChecked] = useState<Checked>(null)
  const isHere = dump === evidence.from.dump && isJudged
  // biome-ignore lint/correctness/useExhaustiveDependencies: another report or second run gives other answers
  useEffect(() => {
    let isWanted = true
    setChecked(isHere ? 'checking' : null)
    if (isHere) {
      recheckHere(evidence).then(
        (found) => isWanted && setChecked(found),
        () => isWanted && setChecked('failed'),
      )
    }
    return () => {
      isWanted = false
    }
  }, [evidence, isHere, report, second])
  return checked
}
