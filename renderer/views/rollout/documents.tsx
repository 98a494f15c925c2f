import { useRef } from 'react'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import { useScrollFocus } from '../../lists/use-scroll-focus.ts'
import { count, counted, NOT_IN_DUMP } from '../../text/numbers.ts'
import { spelt } from '../../text/visible.ts'
import { STREAM_WORDS } from '../../text/words.ts'
import { useAbsent } from './absent.ts'
import { SafeText } from './safe-text.tsx'

/** What the model was given to answer from, which of it supports the answer, and the answer that was expected. */
export function Documents({ detail }: { detail: TrajectoryDetail }) {
  const { documents, answer } = detail
  const absent = useAbsent(detail)
  const scroller = useRef<HTMLElement>(null)
  useScrollFocus(scroller)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the text is scrolled with the keyboard
    <section ref={scroller} className="messages" tabIndex={0} aria-label="Documents and answer">
      <h2>Reference answer</h2>
      <p className="message-text message-line">
        {answer === null ? (
          <span className="quiet">
            {absent('answer')}. To have it, {STREAM_WORDS.answer.how}.
          </span>
        ) : (
          <SafeText text={answer} />
        )}
      </p>
      <h2>{documents === null ? 'Documents' : counted(documents.length, 'document')}</h2>
      {documents === null ? (
        <p className="quiet">
          {absent('documents')}. To have them, {STREAM_WORDS.documents.how}.
        </p>
      ) : (
        <>
          <Visible detail={detail} />
          {documents.map((document, position) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: documents of one record never move, and their ids may repeat
            <details key={position} className="document">
              <summary>
                {spelt(document.title ?? document.id)}{' '}
                {document.supporting === true && <span className="ok-text">✓ supporting</span>}
              </summary>
              <p className="message-text">{document.text === null ? NOT_IN_DUMP : <SafeText text={document.text} />}</p>
            </details>
          ))}
        </>
      )}
    </section>
  )
}

/** How many of the supporting documents the model could see. */
function Visible({ detail }: { detail: TrajectoryDetail }) {
  const supporting = detail.facts.supportingDocuments
  if (supporting === null || supporting.available === 0) return null
  const { available, retrieved, visible } = supporting
  return (
    <p className={visible < available ? 'message-line warn-text' : 'message-line quiet'}>
      {visible < available ? '▲ ' : ''}
      {count(visible)} of {counted(available, 'supporting document')} {visible === 1 ? 'is' : 'are'} visible in the ids
      at the last assistant turn
      {retrieved !== null && `; ${count(retrieved)} came up in the messages before it`}.
    </p>
  )
}
