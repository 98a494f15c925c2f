import { lazy, Suspense, useState } from 'react'
import type { HypothesisResult } from '../../../shared/model/report.ts'
import { STREAMS, type Stream } from '../../../shared/model/streams.ts'
import { useSecond } from '../../state/second.ts'
import { openDialog } from '../../state/view.ts'
import { counted } from '../../text/numbers.ts'
import { STREAM_WORDS } from '../../text/words.ts'

const ThresholdForm = lazy(async () => ({ default: (await import('../../app/threshold-form.tsx')).ThresholdForm }))

/** What would make a verdict fall otherwise. */
export function WouldChange({ result, open = false }: { result: HypothesisResult; open?: boolean }) {
  const { would_change: ways, verdict } = result
  // What cannot be judged waits for what is missing, which stands beside it.
  if (ways.length === 0 || verdict === 'not-checkable') return null
  return (
    <details open={open}>
      <summary>What would change it ({counted(ways.length, 'way')})</summary>
      <ul className="ways">
        {ways.map((way) => (
          <li key={way}>{way}</li>
        ))}
      </ul>
    </details>
  )
}

/** The numbers by which it is judged. */
export function Thresholds({ result }: { result: HypothesisResult }) {
  const [isOpen, setOpen] = useState(false)
  if (result.verdict === 'not-checkable') return null
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Its thresholds</summary>
      {isOpen && (
        <Suspense>
          <ThresholdForm of={result.id} />
        </Suspense>
      )}
    </details>
  )
}

/** What is missing, how a dump would come to carry it, and the switches of trainers that write it. */
export function MissingFor({ result }: { result: HypothesisResult }) {
  const { missing, recorded_by: recorded = [] } = result
  if (missing.length === 0) return null
  const switchesOf = (name: string) => recorded.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  const others = recorded.filter((line) => !missing.some((name) => line.startsWith(`${name}: `)))
  return (
    <ul className="missing">
      {missing.map((name) => (
        <li key={name}>
          {isStream(name) ? (
            <>
              <strong>{STREAM_WORDS[name].name}</strong>: {STREAM_WORDS[name].how}
            </>
          ) : (
            name
          )}
          <Switches line={switchesOf(name)} />
          {name.includes('--against') && <ChooseSecond />}
        </li>
      ))}
      {others.map((line) => (
        <li key={line}>
          <Switches line={line} />
        </li>
      ))}
    </ul>
  )
}

/** What the command line is given with `--against` is chosen here. */
function ChooseSecond() {
  const isChosen = useSecond((state) => state.chosen !== null)
  if (isChosen) return null
  return (
    <button type="button" className="link choose-second" aria-haspopup="dialog" onClick={() => openDialog('second')}>
      choose one
    </button>
  )
}

function Switches({ line }: { line: string | undefined }) {
  if (line === undefined) return null
  return <span className="switches">written by {line}</span>
}

function isStream(name: string): name is Stream {
  return (STREAMS as readonly string[]).includes(name)
}
