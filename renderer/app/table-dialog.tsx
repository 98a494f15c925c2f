import { type FormEvent, useState } from 'react'
import { TABLE_FORMATS, type TableFormat } from '../../shared/exports/table-text.ts'
import { keepExportChoice } from '../data/export-choice.ts'
import { writeTable } from '../data/exporting.ts'
import { useExporting } from '../state/exporting.ts'
import { openDialog } from '../state/view.ts'
import { spelt } from '../text/visible.ts'
import { Choice, Choices, ExportButtons, PlaceChoices, placesHere } from './export-choices.tsx'
import { Modal } from './modal.tsx'

const FORMAT_WORDS: Readonly<Record<TableFormat, { readonly name: string; readonly what: string }>> = {
  csv: { name: 'CSV', what: 'for spreadsheets; no text in it is run as a formula' },
  json: { name: 'JSON', what: 'an object for each row' },
  markdown: { name: 'Markdown', what: 'to paste into an issue or a note' },
}

/** As what a table is saved and where. Enter saves it as the last one was. */
export function TableDialog() {
  const { table, choice, job } = useExporting()
  const [as, setAs] = useState(choice.table)
  const places = placesHere('file')
  const [place, setPlace] = useState(() => (places.some(([known]) => known === choice.place) ? choice.place : 'files'))
  if (table === null) return null
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (job !== null) return
    openDialog(null)
    // An archive is for several files: that is not unlearnt here.
    const kept = choice.place === 'zip' && place === 'files' ? 'zip' : place
    void keepExportChoice({ ...choice, table: as, place: kept })
    void writeTable(table, as, place)
  }
  return (
    <Modal title={`Save ${spelt(table.what)}`}>
      <form className="export-form" onSubmit={send}>
        <Choices legend="As">
          {TABLE_FORMATS.map((id) => (
            <Choice key={id} name="as" isChosen={id === as} isFirst={id === as} onChoose={() => setAs(id)}>
              <span>
                {FORMAT_WORDS[id].name}: <span className="quiet">{FORMAT_WORDS[id].what}</span>
              </span>
            </Choice>
          ))}
        </Choices>
        <PlaceChoices places={places} place={place} onChoose={setPlace} />
        <ExportButtons>Save as {FORMAT_WORDS[as].name}</ExportButtons>
      </form>
    </Modal>
  )
}
