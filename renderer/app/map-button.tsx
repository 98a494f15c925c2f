import { type Unmapped, useMapping } from '../state/mapping.ts'
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

export function openMapping(file: Unmapped): void {
  useMapping.setState({ chosen: file })
  openDialog('mapping')
}
