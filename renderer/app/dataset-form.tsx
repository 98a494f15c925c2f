import type { Report } from '../../shared/model/report.ts'
import { readWithDataset } from '../data/dump.ts'
import { pickDataset } from '../data/opening.ts'
import { useFiles } from '../state/files.ts'
import { openDialog } from '../state/view.ts'
import { inApp } from '../text/app-words.ts'
import { runName } from '../text/run-name.ts'
import { spelt } from '../text/visible.ts'
import { STATUS_WORDS } from '../text/words.ts'
import { ServedChoice } from './served-choice.tsx'

/** Chooses the dataset of the open run, says what C11 makes of it, and takes it away. */
export function DatasetForm({ report }: { report: Report }) {
  const dataset = useFiles((files) => files.dataset)
  const phase = useFiles((files) => files.phase)
  const given = dataset.length > 0
  const check = report.checks.find(({ code }) => code === 'C11')
  const pick = (what: 'files' | 'folder') => {
    openDialog(null)
    void pickDataset(what)
  }
  return (
    <>
      <p>
        {given
          ? `The run is read beside ${runName(dataset)}.`
          : 'Prompts that were dropped for their length never become rollouts. Which they are only the dataset tells, as JSONL, JSON, Parquet or Arrow with a prompt, a question or messages in each record (C11).'}
      </p>
      {given && phase === 'open' && check !== undefined && (
        <p>
          C11 {STATUS_WORDS[check.status]}
          {check.reason !== null && <>: {spelt(inApp(check.reason))}</>}
        </p>
      )}
      <div className="choices">
        <button type="button" className="button" data-first-focus onClick={() => pick('files')}>
          {given ? 'Choose other files…' : 'Choose files…'}
        </button>
        <button type="button" className="button" onClick={() => pick('folder')}>
          {given ? 'Choose another folder…' : 'Choose a folder…'}
        </button>
        {given && (
          <button
            type="button"
            className="button"
            onClick={() => {
              openDialog(null)
              void readWithDataset([])
            }}
          >
            Take it away
          </button>
        )}
      </div>
      <ServedChoice
        words={{ verb: 'Use', as: 'as the dataset' }}
        onChoose={(sources) => {
          openDialog(null)
          void readWithDataset(sources)
        }}
      />
    </>
  )
}
