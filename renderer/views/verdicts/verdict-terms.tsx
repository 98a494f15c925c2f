import { lazy, Suspense } from 'react'
import type { HypothesisResult } from '../../../shared/model/report.ts'
import { STREAMS, type Stream } from '../../../shared/model/streams.ts'
import { KeptDetails } from '../../app/kept-details.tsx'
import { LimitsForm } from '../../app/settings-forms.tsx'
import { useFiles } from '../../state/files.ts'
import { useKeptFold } from '../../state/kept.ts'
import { useSecond } from '../../state/second.ts'
import { openDialog } from '../../state/view.ts'
import { inApp } from '../../text/app-words.ts'
import { counted } from '../../text/numbers.ts'
import { STREAM_WORDS } from '../../text/words.ts'

const ThresholdForm = lazy(async () => ({ default: (await import('../../app/threshold-form.tsx')).ThresholdForm }))

/** What would make a verdict fall otherwise. */
export function WouldChange({ result, open = false }: { result: HypothesisResult; open?: boolean }) {
  const { would_change: ways, verdict } = result
  // What cannot be judged waits for what is missing, which stands beside it.
  if (ways.length === 0 || verdict === 'not-checkable') return null
  return (
    <KeptDetails
      name={`change ${result.id} ${open}`}
      openAtFirst={open}
      summary={<>What would change it ({counted(ways.length, 'way')})</>}
    >
      <ul className="ways">
        {ways.map((way) => (
          <li key={way}>{way}</li>
        ))}
      </ul>
    </KeptDetails>
  )
}

/** The numbers by which it is judged. */
export function Thresholds({ result }: { result: HypothesisResult }) {
  const name = `thresholds ${result.id}`
  const [isOpen] = useKeptFold(name)
  if (result.verdict === 'not-checkable') return null
  return (
    <KeptDetails name={name} summary="Its thresholds">
      {isOpen && (
        <Suspense>
          <ThresholdForm of={result.id} />
        </Suspense>
      )}
    </KeptDetails>
  )
}

/** What is missing, how a dump would come to carry it, and the switches of trainers that write it. */
export function MissingFor({ result }: { result: HypothesisResult }) {
  const { missing, recorded_by: recorded = [] } = result
  if (missing.length === 0) return null
  return (
    <ul className="missing">
      {missing.map((what) => (
        <li key={what}>
          <Missing what={what} recorded={recorded} />
          {what.includes('--against') && <ChooseSecond />}
          {streamOf(what) === 'limits' && <GiveLimits of={result.id} />}
          {streamOf(what) === 'tokenizer' && <ChooseTokenizer />}
        </li>
      ))}
    </ul>
  )
}

function Missing({ what, recorded }: { what: string; recorded: readonly string[] }) {
  const stream = streamOf(what)
  if (stream === null) return <>{inApp(what)}</>
  const { name, how } = STREAM_WORDS[stream]
  const switches = recorded.find((line) => line.startsWith(`${stream}: `))?.slice(stream.length + 2)
  return (
    <>
      {what === stream ? (
        <>
          <strong>{name}</strong>: {how}
        </>
      ) : (
        `${what}; ${how}`
      )}
      {switches !== undefined && !GIVEN_HERE.includes(stream) && (
        <span className="switches">{switches.startsWith('in the field ') ? switches : `written by ${switches}`}</span>
      )}
    </>
  )
}

/** What no trainer writes: a person gives it, on the command line by a switch. */
const GIVEN_HERE: readonly Stream[] = ['limits', 'tokenizer', 'template']

/** The stream that a sentence about what is missing begins with: `rewards of at least 8 training steps`. */
function streamOf(what: string): Stream | null {
  return STREAMS.find((name) => what === name || what.startsWith(`${name} `) || what.startsWith(`${name}:`)) ?? null
}

/** What the command line is given with `--against` is chosen here. */
function ChooseSecond() {
  const isChosen = useSecond((state) => state.chosen !== null)
  if (isChosen) return null
  return (
    <>
      {' '}
      <button type="button" className="link" aria-haspopup="dialog" onClick={() => openDialog('second')}>
        choose one
      </button>
    </>
  )
}

/** What is judged by limits is judged anew once they are given. */
function GiveLimits({ of }: { of: string }) {
  const report = useFiles((files) => files.report)
  if (report === null) return null
  return (
    <details
      className="give-limits"
      onToggle={({ currentTarget }) => currentTarget.open && currentTarget.querySelector('input')?.focus()}
    >
      <summary>Give them here</summary>
      <LimitsForm report={report} onUse={(read) => void focusOnceJudged(of, read)} />
    </details>
  )
}

/** The form goes with what was missing, and the verdict comes where it was: keys go on from there. */
async function focusOnceJudged(id: string, read: Promise<boolean>): Promise<void> {
  if (!(await read)) return
  await everythingRead()
  requestAnimationFrame(() => {
    const verdict = document.getElementById(`verdict-${id}`)
    // What has the focus meanwhile is the page, or else something that a person chose.
    if (verdict !== null && document.activeElement?.contains(verdict)) verdict.focus()
  })
}

function everythingRead(): Promise<void> {
  return new Promise((done) => {
    const look = () => {
      if (useFiles.getState().phase === 'reading') return
      end()
      done()
    }
    const end = useFiles.subscribe(look)
    look()
  })
}

/** A family that fits is chosen in the dialog of the line above. */
function ChooseTokenizer() {
  return (
    <>
      {' '}
      <button type="button" className="link" aria-haspopup="dialog" onClick={() => openDialog('tokenizer')}>
        choose it
      </button>
    </>
  )
}
