import type { ComparedRun } from '../../shared/session/protocol.ts'
import { pickSecond } from '../data/opening.ts'
import { compareWith, takeSecondAway } from '../data/second.ts'
import { useSecond } from '../state/second.ts'
import { openDialog } from '../state/view.ts'
import { counted, percent } from '../text/numbers.ts'
import { runName } from '../text/run-name.ts'
import { ServedChoice } from './served-choice.tsx'
import { SourceEntries } from './source-dialogs.tsx'

/** What the open run is judged beside, in a few words; null where there is nothing. */
export function useSecondName(): string | null {
  const { chosen, run, progress } = useSecond()
  if (chosen === null) return null
  if (run !== null) return runName(chosen)
  const { bytesRead = 0, bytesTotal = 0 } = progress ?? {}
  return `${runName(chosen)}, ${bytesTotal > 0 ? `${percent(bytesRead / bytesTotal)} read` : 'to be read'}`
}

/** Chooses a second run, says what is compared with, and takes it away. */
export function SecondRun() {
  const chosen = useSecond((state) => state.chosen)
  const run = useSecond((state) => state.run)
  const name = useSecondName()
  const pick = (what: 'files' | 'folder') => {
    openDialog(null)
    void pickSecond(what)
  }
  return (
    <>
      <p>
        {chosen === null
          ? 'Some questions need two runs: whether the library learns a single-turn task (H06), whether faults come with the second turn (H07), whether training and evaluation see the same prompts (H08).'
          : `The open run is judged beside ${name}. It is read under the same settings; findings, rollouts and exports stay those of the open run.`}
      </p>
      {run !== null && <Compared run={run} />}
      <div className="choices">
        <button type="button" className="button" data-first-focus onClick={() => pick('files')}>
          {chosen === null ? 'Choose files…' : 'Choose other files…'}
        </button>
        <button type="button" className="button" onClick={() => pick('folder')}>
          {chosen === null ? 'Choose a folder…' : 'Choose another folder…'}
        </button>
        {chosen !== null && (
          <button
            type="button"
            className="button"
            onClick={() => {
              openDialog(null)
              void takeSecondAway()
            }}
          >
            {run === null ? 'Stop reading it' : 'Take it away'}
          </button>
        )}
      </div>
      <p className="quiet">or drop it on the lower part of the window</p>
      <ServedChoice
        words={{ verb: 'Use', as: 'as the second run' }}
        onChoose={(sources) => {
          openDialog(null)
          void compareWith(sources)
        }}
      />
    </>
  )
}

function Compared({ run }: { run: ComparedRun }) {
  const isHashing = useSecond((second) => second.hashing)
  const rollouts = run.sources.reduce((sum, { trajectories }) => sum + trajectories, 0)
  return (
    <>
      <p>
        {counted(rollouts, 'rollout')}, tokenizer {run.tokenizer ?? 'not known'}
      </p>
      <SourceEntries sources={run.sources} isHashing={isHashing} />
    </>
  )
}
