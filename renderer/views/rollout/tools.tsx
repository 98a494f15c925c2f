import { useRef } from 'react'
import { clipped } from '../../../shared/model/clipped.ts'
import { toolSchema } from '../../../shared/model/tool-schema.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import { useScrollFocus } from '../../lists/use-scroll-focus.ts'
import { counted } from '../../text/numbers.ts'
import { spelt } from '../../text/visible.ts'
import { STREAM_WORDS } from '../../text/words.ts'
import { useAbsent } from './absent.ts'
import { SafeText } from './safe-text.tsx'

/** The tool schemas that inference was given, as the dump holds them. */
export function Tools({ detail }: { detail: TrajectoryDetail }) {
  const { tools } = detail
  const absent = useAbsent(detail)
  const scroller = useRef<HTMLElement>(null)
  useScrollFocus(scroller)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the text is scrolled with the keyboard
    <section ref={scroller} className="messages" tabIndex={0} aria-label="Tools">
      {tools === null ? (
        <p className="quiet">
          Tool schemas: {absent('tools')}. To have them, {STREAM_WORDS.tools.how}.
        </p>
      ) : (
        <>
          <h2>{counted(tools.length, 'tool')}</h2>
          {tools.map((tool, position) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: tools of one record never move
            <Tool key={position} tool={tool} />
          ))}
        </>
      )}
    </section>
  )
}

function Tool({ tool }: { tool: unknown }) {
  const { name, description } = toolSchema(tool)
  return (
    <details className="document" open>
      <summary>
        <strong>{name === null ? 'a schema without a name' : spelt(name)}</strong>
        {description !== null && <span className="quiet"> {spelt(clipped(description, 200))}</span>}
      </summary>
      <pre className="tool-schema">
        <SafeText text={JSON.stringify(tool, null, 2)} />
      </pre>
    </details>
  )
}
