import { useObservable } from '../data/observable.ts'
import { useFiles } from '../state/files.ts'
import { dropPlace, OPENING_SHARE } from './drops.ts'

/** Shows, while files are dragged over the page, that it would take them, and as what. */
export function DropCover() {
  const place = useObservable(dropPlace)
  const isOpen = useFiles(({ phase }) => phase === 'reading' || phase === 'open')
  if (place === 'none') return null
  const [above, below] = [OPENING_SHARE, 1 - OPENING_SHARE].map((share) => `${share}fr`)
  return (
    <div className="drop-cover" aria-hidden="true" style={{ gridTemplateRows: isOpen ? `${above} ${below}` : '1fr' }}>
      <p className={`drop-place${place === 'instead' ? ' here' : ''}`}>
        {isOpen ? 'Drop to open these instead, or a tokenizer.json to read with it' : 'Drop to open'}
      </p>
      {isOpen && (
        <p className={`drop-place${place === 'beside' ? ' here' : ''}`}>
          Drop here to judge the open run beside these, as a second run
        </p>
      )}
    </div>
  )
}
