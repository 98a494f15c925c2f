import { useEffect, useState } from 'react'
import { clauseText } from '../../shared/query/language/format.ts'
import type { Row } from '../../shared/session/protocol.ts'
import { ask } from '../engine/engine.ts'
import { useFiles } from '../state/files.ts'

const MOST_FOUND = 8
/** Somebody who types is not asked for at every letter (milliseconds). */
const PAUSE = 120
const NOTHING: readonly Row[] = []

/** The first rollouts whose id contains the text; none while they are looked for, so that no other is opened by mistake. */
export function useRolloutsById(text: string): readonly Row[] {
  const phase = useFiles((files) => files.phase)
  const isOpen = phase === 'reading' || phase === 'open'
  const wanted = isOpen ? text.trim() : ''
  const [found, setFound] = useState({ text: '', rows: NOTHING })
  useEffect(() => {
    if (wanted === '') return
    const asking = new AbortController()
    const timer = setTimeout(() => {
      // What cannot be found is told by the table, where a person can mend the query.
      find(wanted, asking.signal).then(
        (rows) => setFound({ text: wanted, rows }),
        () => setFound({ text: wanted, rows: NOTHING }),
      )
    }, PAUSE)
    return () => {
      clearTimeout(timer)
      asking.abort()
    }
  }, [wanted])
  return found.text === wanted ? found.rows : NOTHING
}

async function find(text: string, signal: AbortSignal): Promise<readonly Row[]> {
  const { indices } = await ask('search', { text: idQuery(text) }, signal)
  return indices.length === 0 ? NOTHING : ask('rows', { indices: [...indices.subarray(0, MOST_FOUND)] }, signal)
}

/** Ids that contain the text, or that are it where it could be read as part of the query language. */
export function idQuery(text: string): string {
  return /^[^\s()|",“”*/\\]+$/u.test(text) ? `id:*${text}*` : clauseText('id', text)
}
