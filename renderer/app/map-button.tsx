import type { Report } from '../../shared/model/report.ts'
import { useFiles } from '../state/files.ts'
import { sourceNamed, type Unmapped, useMapping } from '../state/mapping.ts'
import { openDialog } from '../state/view.ts'

/** Offers to map the fields of the file that was refused with this sentence; nothing for every other sentence. */
export function MapButton({ message }: { message: string }) {
  const refused = useMapping((mapping) => mapping.refused.find((file) => file.message === message))
  if (refused === undefined) return null
  return (
    <button type="button" className="button small" aria-haspopup="dialog" onClick={() => openMapping(refused)}>
      Map its fields…
    </button>
  )
}

/** The way back to the mapping that the open files are read under; nothing where they are read without one. */
export function ChangeMapping({ report }: { report: Report }) {
  const { options, sources } = useFiles()
  const name = report.sources.find(({ format }) => format?.id === 'native')?.name
  const source = name === undefined ? undefined : sourceNamed(sources, name)
  if (options.map === undefined || name === undefined || source === undefined) return null
  return (
    <button
      type="button"
      className="button"
      onClick={() => openMapping({ name, message: '', source, sources, options })}
    >
      Change the mapping…
    </button>
  )
}

function openMapping(file: Unmapped): void {
  useMapping.setState({ chosen: file })
  openDialog('mapping')
}
