import { memo, useMemo, useRef } from 'react'
import { clipped } from '../../../shared/model/clipped.ts'
import { roleKind } from '../../../shared/model/roles.ts'
import type { Message } from '../../../shared/model/trajectory.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import type { TagName } from '../../../shared/session/rollout/tags.ts'
import { useOverscan } from '../../data/printing.ts'
import { usePaintedFrames } from '../../lists/use-painted-frames.ts'
import { useScrollFocus } from '../../lists/use-scroll-focus.ts'
import { counted } from '../../text/numbers.ts'
import { shownId, spelt } from '../../text/visible.ts'
import { STREAM_WORDS } from '../../text/words.ts'
import { useAbsent } from './absent.ts'
import { toggleFold, useRolloutPlace } from './rollout-place.ts'
import { SafeText } from './safe-text.tsx'
import { isTaggedBlock, textBlocks } from './tagged-text.ts'

/** Messages of the first frame, which is waited for: more than there is room for. */
const FIRST = 20
/** Messages that each frame behind it draws. */
const AT_ONCE = 40

/** The conversation as the environment saw it. */
export function Messages({ detail }: { detail: TrajectoryDetail }) {
  const all = detail.messages ?? []
  const absent = useAbsent(detail)
  const scroller = useRef<HTMLElement>(null)
  useScrollFocus(scroller)
  const frames = usePaintedFrames(Math.ceil(Math.max(0, all.length - FIRST) / AT_ONCE))
  const drawn = useOverscan(FIRST + AT_ONCE * frames)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the text is scrolled with the keyboard
    <section ref={scroller} className="messages" tabIndex={0} aria-label="Messages">
      {detail.messages === null ? (
        <p className="quiet">
          Messages: {absent('messages')}. To have them, {STREAM_WORDS.messages.how}.
        </p>
      ) : (
        all.slice(0, drawn).map((message, position) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages of one record never move
          <MessageBox key={position} message={message} position={position} />
        ))
      )}
    </section>
  )
}

const MessageBox = memo(function MessageBox({ message, position }: { message: Message; position: number }) {
  const { folded } = useRolloutPlace()
  const kind = roleKind(message.role)
  return (
    <article className={kind === 'assistant' ? 'message assistant' : 'message'}>
      <h2>
        {position} {spelt(clipped(message.role, 40))}
        {message.name ? <span className="quiet"> {spelt(clipped(message.name, 80))}</span> : null}
        {message.toolCallId ? <span className="quiet"> answers {shownId(message.toolCallId)}</span> : null}
      </h2>
      {message.reasoning ? (
        <Tagged tag="think" text={message.reasoning} isFolded={folded.includes('think')} note="in a field of its own" />
      ) : null}
      {message.content === null ? (
        <p className="quiet">no content</p>
      ) : (
        <MessageText text={message.content} isReply={kind !== 'system' && kind !== 'user'} folded={folded} />
      )}
      {message.toolCalls?.map((call, index) => (
        <p key={call.id ?? `${call.name}${index}`} className="message-call">
          <strong>{spelt(call.name)}</strong> <SafeText text={call.arguments} />
        </p>
      ))}
    </article>
  )
})

function MessageText({ text, isReply, folded }: { text: string; isReply: boolean; folded: readonly TagName[] }) {
  const blocks = useMemo(() => textBlocks(text, isReply), [text, isReply])
  return blocks.map((block, position) => {
    const [first] = block
    if (first?.tag && isTaggedBlock(block)) {
      // biome-ignore lint/suspicious/noArrayIndexKey: blocks of one text never move
      return <Tagged key={position} tag={first.tag} text={first.text} isFolded={folded.includes(first.tag)} />
    }
    if (block.every((part) => part.text.trim() === '')) return null
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: blocks of one text never move
      <p key={position} className="message-text" dir="auto">
        {block.map((part, at) =>
          part.tag === null ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of one block never move
            <SafeText key={at} text={trimmed(part.text, at === 0, at === block.length - 1)} />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of one block never move
            <InlineTagged key={at} tag={part.tag} text={part.text} isFolded={folded.includes(part.tag)} />
          ),
        )}
      </p>
    )
  })
}

/** Without the empty lines at the ends of a block. */
function trimmed(text: string, isFirst: boolean, isLast: boolean): string {
  const started = isFirst ? text.replace(/^\n+/, '') : text
  return isLast ? started.replace(/(?<!\n)\n+$/, '') : started
}

/** A short tagged stretch within a line. */
function InlineTagged({ tag, text, isFolded }: { tag: TagName; text: string; isFolded: boolean }) {
  if (!isFolded) {
    return (
      <span className={`tagged-inline tag-${tag}`}>
        <SafeText text={text} />
      </span>
    )
  }
  return (
    <button type="button" className="tagged-name" aria-expanded="false" onClick={() => toggleFold(tag)}>
      <span aria-hidden="true">▸</span> {tag}
    </button>
  )
}

function Tagged(props: { tag: TagName; text: string; isFolded: boolean; note?: string }) {
  const { tag, text, isFolded, note } = props
  return (
    <div className={`tagged tag-${tag}`}>
      <button type="button" className="tagged-name" aria-expanded={!isFolded} onClick={() => toggleFold(tag)}>
        <span aria-hidden="true">{isFolded ? '▸' : '▾'}</span> {tag}{' '}
        <span className="quiet">
          {counted(text.length, 'character')}
          {note !== undefined && ` · ${note}`}
        </span>
      </button>
      {!isFolded && (
        <p className="message-text" dir="auto">
          <SafeText text={text} />
        </p>
      )}
    </div>
  )
}
