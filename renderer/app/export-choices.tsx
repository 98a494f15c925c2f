import type { ReactNode } from 'react'
import { canPickDirectory } from '../data/save-directory.ts'
import { type ExportPlace, useExporting } from '../state/exporting.ts'
import { openDialog } from '../state/view.ts'
import { spelt } from '../text/visible.ts'

type Places = readonly (readonly [ExportPlace, string])[]

const SHELL_PLACES: Readonly<Record<'file' | 'files', Places>> = {
  file: [['files', 'A file: you are asked where']],
  files: [
    ['files', 'Files in a folder: you are asked which'],
    ['zip', 'One ZIP archive: you are asked where'],
  ],
}

/** Where one file can go from here, or several. */
export function placesHere(what: 'file' | 'files'): Places {
  if (window.inspector !== undefined) return SHELL_PLACES[what]
  return [
    ['files', what === 'file' ? 'Downloads' : 'Downloads, file by file'],
    ...(what === 'file' ? [] : ([['zip', 'Downloads, as one ZIP archive']] as const)),
    ...(canPickDirectory() ? ([['folder', 'A folder: you are asked which']] as const) : []),
  ]
}

export function PlaceChoices({
  places,
  place,
  onChoose,
}: {
  readonly places: Places
  readonly place: ExportPlace
  onChoose(place: ExportPlace): void
}) {
  return (
    <Choices legend="Where">
      {places.map(([id, words]) => (
        <Choice key={id} name="where" isChosen={id === place} onChoose={() => onChoose(id)}>
          <span>{words}</span>
        </Choice>
      ))}
    </Choices>
  )
}

export function Choices({ legend, children }: { readonly legend: string; readonly children: ReactNode }) {
  return (
    <fieldset className="export-choices">
      <legend>{legend}</legend>
      {children}
    </fieldset>
  )
}

export function Choice({
  name,
  isChosen,
  isPossible = true,
  isFirst = false,
  onChoose,
  children,
}: {
  readonly name: string
  readonly isChosen: boolean
  readonly isPossible?: boolean
  readonly isFirst?: boolean
  onChoose(): void
  readonly children: ReactNode
}) {
  return (
    <label className="export-choice">
      <input
        type="radio"
        name={name}
        checked={isChosen}
        disabled={!isPossible}
        data-first-focus={isFirst || undefined}
        onChange={onChoose}
      />
      {children}
    </label>
  )
}

/** What a form of an export ends with. Nothing is begun while another export is under way. */
export function ExportButtons({
  isPossible = true,
  children,
}: {
  readonly isPossible?: boolean
  readonly children: ReactNode
}) {
  const job = useExporting((exporting) => exporting.job)
  return (
    <>
      {job !== null && <p className="warn-text">▲ An export of {spelt(job.what)} is still under way.</p>}
      <div className="form-buttons">
        <button type="submit" className="button primary" disabled={!isPossible || job !== null}>
          {children}
        </button>
        <button type="button" className="button" onClick={() => openDialog(null)}>
          Cancel
        </button>
      </div>
    </>
  )
}
