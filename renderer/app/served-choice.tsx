import { useState } from 'react'
import type { SourceInput } from '../../shared/session/protocol.ts'
import { useObservable } from '../data/observable.ts'
import { servedFolder, sourcesOf } from '../data/served-folder.ts'
import { sentenceOf } from '../engine/client.ts'
import { spelt } from '../text/visible.ts'
import { type ListWords, ServedList } from './served-list.tsx'

interface ServedChoiceProps {
  readonly words: ListWords
  readonly onChoose: (sources: readonly SourceInput[]) => void
}

/** The served folder in a dialog, beside what can be chosen of this machine; nothing where no folder is served. */
export function ServedChoice({ words, onChoose }: ServedChoiceProps) {
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
        words={words}
        onChoose={(choice) =>
          void sourcesOf(choice).then(onChoose, (error: unknown) => {
            setProblem(sentenceOf(error))
          })
        }
      />
    </section>
  )
}
