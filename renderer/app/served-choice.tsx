import { useState } from 'react'
import type { SourceInput } from '../../shared/session/protocol.ts'
import { useObservable } from '../data/observable.ts'
import { servedFolder, sourcesOf } from '../data/served-folder.ts'
import { sentenceOf } from '../engine/client.ts'
import { spelt } from '../text/visible.ts'
import { ServedList } from './served-list.tsx'

/** The served folder in a dialog, beside what can be chosen of this machine; nothing where no folder is served. */
export function ServedChoice({ onChoose }: { readonly onChoose: (sources: readonly SourceInput[]) => void }) {
  const folder = useObservable(servedFolder)
  const [problem, setProblem] = useState<string | null>(null)
  if (folder === null) return null
  return (
    <section>
      <h3>Files in {spelt(folder.name)}</h3>
      {problem !== null && (
        <p className="error-text" role="alert">
          ✖ {spelt(problem)}
        </p>
      )}
      <ServedList
        onChoose={(choice) =>
          void sourcesOf(choice).then(onChoose, (error: unknown) => {
            setProblem(sentenceOf(error))
          })
        }
      />
    </section>
  )
}
