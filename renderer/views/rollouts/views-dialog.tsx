import { type FormEvent, useState } from 'react'
import { Modal } from '../../app/modal.tsx'
import type { SavedView } from '../../data/database.ts'
import { useObservable } from '../../data/observable.ts'
import { LONGEST_VIEW_NAME, openView, removeView, savedViews, saveView } from '../../data/views.ts'
import { useFilters } from '../../state/filters.ts'
import { show } from '../../state/view.ts'
import { counted } from '../../text/numbers.ts'
import { upright } from '../../text/visible.ts'

/** Views that were kept, and a field to keep the table as it is. */
export function ViewsDialog() {
  const views = useObservable(savedViews)
  const query = useFilters((filters) => filters.query)
  const [name, setName] = useState('')
  const replaces = views.some((view) => view.name === name.trim())
  const keep = (event: FormEvent) => {
    event.preventDefault()
    void saveView(name)
    setName('')
  }
  return (
    <Modal title="Views of the table">
      {views.length > 0 && (
        <ul className="view-list" aria-label="Kept views">
          {views.map((view, at) => (
            <li key={view.name}>
              <button
                type="button"
                className="view-open"
                data-first-focus={at === 0 ? true : undefined}
                onClick={() => {
                  void openView(view)
                  show('rollouts')
                }}
              >
                <strong>{upright(view.name)}</strong>
                <span className="quiet">{aboutView(view)}</span>
              </button>
              <button
                type="button"
                className="icon-button"
                aria-label={`Remove the view ${view.name}`}
                onClick={() => void removeView(view.name)}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
      <form className="form-buttons" onSubmit={keep}>
        <input
          className="palette-input view-name"
          aria-label="Name of the view"
          data-first-focus={views.length === 0 ? true : undefined}
          placeholder="A name for the table as it is now"
          maxLength={LONGEST_VIEW_NAME}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <button type="submit" className="button primary" disabled={name.trim() === ''}>
          {replaces ? 'Replace the view' : 'Keep the view'}
        </button>
      </form>
      <p className="quiet">
        A view keeps the query ({query === '' ? 'all rollouts' : upright(query)}), the columns and the order. It works
        on every dump, and is found in the palette by its name.
      </p>
    </Modal>
  )
}

function aboutView({ query, columns, sort, descending }: SavedView): string {
  const order = sort === 'index' && !descending ? '' : `, by ${sort}${descending ? ', the largest first' : ''}`
  return `${query === '' ? 'all rollouts' : upright(query)} · ${counted(columns.length, 'column')}${order}`
}
