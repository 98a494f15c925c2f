import { useEffect } from 'react'
import { useFiles } from '../state/files.ts'
import { useView } from '../state/view.ts'
import { runName } from '../text/run-name.ts'

const PROGRAM = 'Rollout Inspector'

/** What is open and looked at, as the title: by it windows are told apart, and what a browser prints into a file is named. */
export function useTitle(): void {
  const sources = useFiles((files) => files.sources)
  const view = useView((state) => state.view)
  useEffect(() => {
    document.title = sources.length === 0 ? PROGRAM : `${runName(sources)} · ${view} · ${PROGRAM}`
  }, [sources, view])
}
