import { clipped } from '../../../shared/model/clipped.ts'
import { historyOf } from '../../../shared/notebook/edit.ts'
import type { Change, Notebook } from '../../../shared/notebook/model.ts'
import { counted } from '../../text/numbers.ts'
import { upright } from '../../text/visible.ts'
import { fieldName, shortTime } from './notebook-words.ts'

const LONGEST_SHOWN = 160

/** Every change with its time and reason, newest first. */
export function History({ notebook, of }: { notebook: Notebook; of: Change['of'] }) {
  const changes = historyOf(notebook, of)
  if (changes.length === 0) return null
  return (
    <details className="history">
      <summary>History: {counted(changes.length, 'change')}</summary>
      <ol>
        {changes.map((change, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a change has no identity beyond its place
          <li key={at}>
            <time dateTime={change.at}>{shortTime(change.at)}</time>
            <span>
              <ChangeWords change={change} />
              {change.reason !== '' && <span className="change-reason"> because {upright(change.reason)}</span>}
            </span>
          </li>
        ))}
      </ol>
    </details>
  )
}

function ChangeWords({ change: { field, from, to } }: { change: Change }) {
  if (field === 'added') return <>Written down</>
  if (field === 'removed') return <>Taken out</>
  if (field === 'evidence')
    return <>{to === '' ? `Evidence taken off: ${upright(from)}` : `Evidence: ${upright(to)}`}</>
  return (
    <>
      {upright(fieldName(field))}: {from !== '' && <del>{cut(from)}</del>}{' '}
      {to === '' ? <em>emptied</em> : <ins>{cut(to)}</ins>}
    </>
  )
}

function cut(text: string): string {
  return upright(clipped(text, LONGEST_SHOWN))
}
