import type { Report } from '../../shared/model/report.ts'
import { useFiles } from '../state/files.ts'
import { type Dialog, openDialog, type TableDialog } from '../state/view.ts'
import { STREAM_WORDS } from '../text/words.ts'
import { DatasetForm } from './dataset-form.tsx'
import { Modal } from './modal.tsx'
import { SecondRun } from './second-run.tsx'
import { LimitsForm, PolicyForm, TokenizerForm } from './settings-forms.tsx'
import { SkippedList, SourceList } from './source-dialogs.tsx'
import { missingOf } from './truth-line.tsx'

type InputDialogName = Exclude<
  Dialog,
  'keys' | 'palette' | 'served' | 'check' | 'mapping' | 'pin' | 'question' | 'export' | 'table' | TableDialog
>

const TITLES: Readonly<Record<InputDialogName, string>> = {
  skipped: 'Skipped records',
  sources: 'Files and their format',
  tokenizer: 'Tokenizer',
  policy: 'What the run means to train',
  limits: 'Length limits of the run',
  missing: 'What this dump does not carry',
  second: 'Compare with another run',
  dataset: 'The dataset that the run was started with',
}

/** What lies behind an entry of the truth line or of the status line. */
export function InputDialog({ dialog }: { dialog: InputDialogName }) {
  const report = useFiles((files) => files.report)
  if (report === null) return null
  return (
    <Modal title={TITLES[dialog]}>
      {dialog === 'skipped' && <SkippedList report={report} />}
      {dialog === 'sources' && <SourceList report={report} />}
      {dialog === 'tokenizer' && <TokenizerForm report={report} />}
      {dialog === 'policy' && <PolicyForm report={report} />}
      {dialog === 'limits' && <LimitsForm report={report} onUse={() => openDialog(null)} />}
      {dialog === 'missing' && <MissingList report={report} />}
      {dialog === 'second' && <SecondRun />}
      {dialog === 'dataset' && <DatasetForm report={report} />}
    </Modal>
  )
}

function MissingList({ report }: { report: Report }) {
  return (
    <>
      <p className="quiet">What a check needs and does not find makes it “not checkable”; nothing is guessed.</p>
      <dl className="pairs">
        {missingOf(report).map((stream) => (
          <div key={stream}>
            <dt>{STREAM_WORDS[stream].name}</dt>
            <dd>{STREAM_WORDS[stream].how}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
