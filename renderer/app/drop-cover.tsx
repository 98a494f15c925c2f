import { useObservable } from '../data/observable.ts'
import { useFiles } from '../state/files.ts'
import { useView } from '../state/view.ts'
import { dropPlace, openingShare } from './drops.ts'

/** Shows, while files are dragged over the page, that it would take them, and as what. */
export function DropCover() {
  const place = useObservable(dropPlace)
  const isOpen = useFiles(({ phase }) => phase === 'reading' || phase === 'open')
  const view = useView((state) => state.view)
  if (place === 'none') return null
  const share = openingShare(view)
  const [above, below] = [share, 1 - share].map((part) => `${part}fr`)
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
