import type { Message, RetrievedDocument } from '../../../shared/model/trajectory.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import { counted, NOT_IN_DUMP } from '../../text/numbers.ts'
import { pieces } from '../../text/visible.ts'

/** One message is cut here on screen; the record tab and an export hold all of it. */
const LONGEST_SHOWN = 50_000

/** The conversation as the environment saw it, beside the documents it was given. */
export function Messages({ detail }: { detail: TrajectoryDetail }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the text is scrolled with the keyboard
    <section className="messages" tabIndex={0} aria-label="Messages">
      {detail.messages === null ? (
        <p className="quiet">Messages: {NOT_IN_DUMP}.</p>
      ) : (
        detail.messages.map((message, position) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages of one record never move
          <MessageBox key={position} message={message} position={position} />
        ))
      )}
      <p className="message-line">
        <strong>tool schemas</strong> {detail.tools === null ? NOT_IN_DUMP : counted(detail.tools.length, 'tool')}
      </p>
      <p className="message-line">
        <strong>reference answer</strong> {detail.answer === null ? NOT_IN_DUMP : <SafeText text={detail.answer} />}
      </p>
      {detail.documents !== null && <Documents documents={detail.documents} />}
    </section>
  )
}

function MessageBox({ message, position }: { message: Message; position: number }) {
  return (
    <article className={`message ${message.role}`}>
      <h2>
        {position} {message.role.slice(0, 40)}
        {message.toolCallId ? <span className="quiet"> answers {message.toolCallId}</span> : null}
      </h2>
      {message.reasoning ? (
        <p className="message-text reasoning">
          <SafeText text={message.reasoning} />
        </p>
      ) : null}
      {message.content === null ? (
        <p className="quiet">no content</p>
      ) : (
        <p className="message-text">
          <SafeText text={message.content} />
        </p>
      )}
      {message.toolCalls?.map((call, index) => (
        <p key={call.id ?? `${call.name}${index}`} className="message-call">
          <strong>{call.name}</strong> <SafeText text={call.arguments} />
        </p>
      ))}
    </article>
  )
}

function Documents({ documents }: { documents: readonly RetrievedDocument[] }) {
  return (
    <section aria-label="Documents">
      <h2>{counted(documents.length, 'document')}</h2>
      {documents.map((document) => (
        <details key={document.id} className="document">
          <summary>
            {document.title ?? document.id}{' '}
            {document.supporting === true && <span className="ok-text">✓ supporting</span>}
          </summary>
          <p className="message-text">{document.text === null ? NOT_IN_DUMP : <SafeText text={document.text} />}</p>
        </details>
      ))}
    </section>
  )
}

/** Text of a model or a tool: text nodes only, hidden characters spelt, line breaks and spaces kept. */
function SafeText({ text }: { text: string }) {
  const shown = text.slice(0, LONGEST_SHOWN)
  return (
    <>
      {pieces(shown).map((piece, position) =>
        piece.kind === 'mark' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
          <span key={position} className="glyph-mark">
            {piece.text}
          </span>
        ) : piece.kind === 'newline' ? (
          '\n'
        ) : (
          piece.text
        ),
      )}
      {text.length > shown.length && (
        <span className="quiet"> … {counted(text.length - shown.length, 'more character')}</span>
      )}
    </>
  )
}

/** The record as it stands in the file. */
export function RawRecord({ detail }: { detail: TrajectoryDetail }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the text is scrolled with the keyboard
    <pre className="raw-record" tabIndex={0}>
      {detail.raw}
    </pre>
  )
}
