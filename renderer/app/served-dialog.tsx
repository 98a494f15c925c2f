import { openSources } from '../data/dump.ts'
import { pickAndOpen } from '../data/opening.ts'
import { dismissAllProblems } from '../state/files.ts'
import { openDialog } from '../state/view.ts'
import { Modal } from './modal.tsx'
import { ServedChoice } from './served-choice.tsx'
import { OPEN_AS_RUN } from './served-list.tsx'

/** Opens something else of the folder that is served, or of this machine. */
export function ServedDialog() {
  const pick = (what: 'files' | 'folder') => {
    openDialog(null)
    void pickAndOpen(what)
  }
  return (
    <Modal title="Open other rollouts">
      <ServedChoice
        words={OPEN_AS_RUN}
        onChoose={(sources) => {
          dismissAllProblems()
          void openSources(sources)
        }}
      />
      <div className="choices">
        <button type="button" className="button" onClick={() => pick('files')}>
          Files of this machine…
        </button>
        <button type="button" className="button" onClick={() => pick('folder')}>
          A folder of this machine…
        </button>
      </div>
    </Modal>
  )
}
