import { type FormEvent, useEffect, useState } from 'react'
import { EXPORT_IDS, type ExportId, REPAIRED } from '../../shared/exports/export-kind.ts'
import { keepExportChoice } from '../data/export-choice.ts'
import { exportRollouts } from '../data/exporting.ts'
import { type ExportSubject, useExporting } from '../state/exporting.ts'
import { openDialog } from '../state/view.ts'
import { count, counted } from '../text/numbers.ts'
import { spelt } from '../text/visible.ts'
import { Choice, Choices, ExportButtons, PlaceChoices, placesHere } from './export-choices.tsx'
import { Modal } from './modal.tsx'

const FORMAT_WORDS: Readonly<Record<ExportId, { readonly name: string; readonly what: string }>> = {
  source: { name: 'As stored', what: 'the records as their own files have them' },
  native: { name: 'Native JSONL', what: 'one form for every trainer: ids, masks, logprobs, messages' },
  csv: { name: 'CSV tables', what: 'a line for each rollout, and one for each finding' },
  parquet: { name: 'Parquet', what: 'the native form in columns' },
  sft: { name: 'Rows for supervised fine-tuning', what: 'messages and tools, as JSONL' },
  dpo: { name: 'Pairs for preference training', what: 'the best and the worst of each group, as JSONL' },
}

/** What is exported, as what, with which masks and where to. Enter exports as it was done the last time. */
export function ExportDialog() {
  const { subjects, first, repairs, choice, job } = useExporting()
  // By id: a subject is made anew when its rollouts change.
  const [picked, pick] = useState(() => startOf(subjects, first)?.id)
  const subject = subjects.find(({ id }) => id === picked)
  const rolloutsOf = useRollouts(subjects)
  const chosen = subject === undefined ? null : rolloutsOf(subject)
  const [as, setAs] = useState(() => (repairs && !REPAIRED.includes(choice.as) ? 'source' : choice.as))
  const [wantsRepair, setRepair] = useState(repairs || choice.repairMasks)
  const places = placesHere('files')
  const [place, setPlace] = useState(() => (places.some(([known]) => known === choice.place) ? choice.place : 'files'))
  const canRepair = REPAIRED.includes(as)
  const isRepaired = canRepair && wantsRepair
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (subject === undefined || job !== null) return
    openDialog(null)
    // Repairing is remembered only where it was asked for here.
    void keepExportChoice({ ...choice, as, repairMasks: repairs ? choice.repairMasks : isRepaired, place })
    void exportRollouts(subject, { ...choice, as, repairMasks: isRepaired, place })
  }
  return (
    <Modal title="Export rollouts">
      <form className="export-form" onSubmit={send}>
        <Choices legend="What">
          {subjects.map((each) => (
            <Choice
              key={each.id}
              name="what"
              isChosen={each === subject}
              isPossible={rolloutsOf(each) !== 0}
              isFirst={each === subject}
              onChoose={() => pick(each.id)}
            >
              <span>
                {each.title} {each.says !== null && <span className="quiet export-says">{spelt(each.says)}</span>}
              </span>
              <RolloutCount rollouts={rolloutsOf(each)} />
            </Choice>
          ))}
        </Choices>
        <Choices legend="As">
          {EXPORT_IDS.map((id) => (
            <Choice key={id} name="as" isChosen={id === as} onChoose={() => setAs(id)}>
              <span>
                {FORMAT_WORDS[id].name}: <span className="quiet">{FORMAT_WORDS[id].what}</span>
              </span>
            </Choice>
          ))}
        </Choices>
        <div className="export-columns">
          <PlaceChoices places={places} place={place} onChoose={setPlace} />
          <Choices legend="Masks">
            <label className="export-choice">
              <input
                type="checkbox"
                checked={isRepaired}
                disabled={!canRepair}
                onChange={(event) => setRepair(event.target.checked)}
              />
              <span>
                Repair them{' '}
                <span className="quiet">
                  {canRepair ? 'as the turns ask for; the manifest counts the tokens' : 'these files hold no masks'}
                </span>
              </span>
            </label>
          </Choices>
        </div>
        <p className="quiet">
          A manifest.json beside them says which rollouts these are, where each comes from and what was found in it. The
          run’s own files are never written to.
        </p>
        <ExportButtons isPossible={subject !== undefined && chosen !== 0}>
          Export{chosen === null ? '' : ` ${counted(chosen, 'rollout')}`}
          {isRepaired && ', masks repaired'}
        </ExportButtons>
      </form>
    </Modal>
  )
}

function RolloutCount({ rollouts }: { readonly rollouts: number | null }) {
  return rollouts === null ? null : <span className="number">{count(rollouts)}</span>
}

/** How many rollouts each subject has; null as long as that is being asked for. */
function useRollouts(subjects: readonly ExportSubject[]): (subject: ExportSubject) => number | null {
  const [counted, setCounted] = useState<ReadonlyMap<ExportSubject, number>>(new Map())
  useEffect(() => {
    let isGone = false
    for (const subject of subjects.filter(({ rollouts }) => rollouts === null)) {
      // What fails here fails again with a sentence when it is exported.
      Promise.resolve(subject.indices()).then(
        ({ length }) => {
          if (!isGone) setCounted((before) => new Map(before).set(subject, length))
        },
        () => undefined,
      )
    }
    return () => {
      isGone = true
    }
  }, [subjects])
  return (subject) => subject.rollouts ?? counted.get(subject) ?? null
}

function startOf(subjects: readonly ExportSubject[], first: string): ExportSubject | undefined {
  const possible = subjects.filter(({ rollouts }) => rollouts !== 0)
  return possible.find(({ id }) => id === first) ?? possible[0]
}
