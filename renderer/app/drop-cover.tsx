import { useObservable } from '../data/observable.ts'
import { useFiles } from '../state/files.ts'
import { isDragging } from './drops.ts'

/** Shows, while files are dragged over the page, that it would take them. */
export function DropCover() {
  const isOver = useObservable(isDragging)
  const isOpen = useFiles((files) => files.phase !== 'empty')
  if (!isOver) return null
  return (
    <div className="drop-cover" aria-hidden="true">
      <p>{isOpen ? 'Drop to open these instead, or a tokenizer.json to read with it' : 'Drop to open'}</p>
    </div>
  )
}
