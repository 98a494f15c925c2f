import type { ReactNode } from 'react'
import type { CheckPage } from '../../shared/exports/check-page.ts'
import { useCheckPage } from '../data/check-pages.ts'
import { showCheck, useView } from '../state/view.ts'
import { Modal } from './modal.tsx'

/** A code that opens the page of its check. */
export function CheckName({ code, children = code }: { code: string; children?: ReactNode }) {
  return (
    <button
      type="button"
      className="link check-name"
      aria-haspopup="dialog"
      title={`What ${code} is, and what to do about it`}
      onClick={() => showCheck(code)}
    >
      {children}
    </button>
  )
}

/** What docs/checks has of a check. */
export function CheckDialog() {
  const code = useView((state) => state.check)
  const page = useCheckPage(code)
  return (
    <Modal title={page ? `${code} ${page.title}` : code}>
      {page === undefined && <p className="quiet">Looking it up…</p>}
      {page === null && <p>This version knows no check {code}.</p>}
      {page && <Page page={page} />}
    </Modal>
  )
}

function Page({ page }: { page: CheckPage }) {
  return (
    <div className="check-page">
      <dl className="pairs">
        {page.facts.map(({ term, value }) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {page.sections.map(({ heading, items }) => (
        <section key={heading}>
          <h3>{heading}</h3>
          {items.map(({ name, text }) => (
            <p key={name ?? text}>
              {name !== null && <code>{name}</code>} {text}
            </p>
          ))}
        </section>
      ))}
    </div>
  )
}
