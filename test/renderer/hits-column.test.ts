import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { hitsColumn } from '../../renderer/views/rollouts/hits-column.tsx'
import type { Row } from '../../shared/session/protocol.ts'

test.each([
  ['nothing where there is none', [0, 0, -1], ''],
  ['how many there are', [7, 0, 12], '7'],
  [
    'that there may be more',
    [100, 1, 12],
    '<span title="At least 100: more of the same are not counted.">≥ 100</span>',
  ],
  ['where they are', [7, 0, -1], '<span title="In the messages, not in the tokens.">7 ✉</span>'],
])('hits say %s', (_what, [found, more, start], markup) => {
  const column = hitsColumn({
    counts: Int32Array.of(found as number),
    more: Uint8Array.of(more as number),
    starts: Int32Array.of(start as number),
    ends: Int32Array.of(0),
    messages: Int32Array.of(-1),
  })
  expect(renderToStaticMarkup(column.cell({} as Row, 0, 0))).toBe(markup)
})
