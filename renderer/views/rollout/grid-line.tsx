import { memo } from 'react'
import type { LineSpan } from './layout.ts'
import { classOf, type TokenDress, TokenGlyphs } from './lines.tsx'
import { overlayValue } from './overlay-dress.ts'
import { tokenText } from './token-text.ts'

/** One line of the grid: a cell for each token, its text above its number, or above its id where nothing colours it. */
export const GridLine = memo(function GridLine(
  props: TokenDress & Pick<LineSpan, 'from' | 'to'> & { readonly perLine: number },
) {
  const { detail, from, to, token, faults, overlay } = props
  return (
    <div className="grid-line" style={{ gridTemplateColumns: `repeat(${props.perLine}, minmax(0, 1fr))` }}>
      {Array.from({ length: to - from }, (_, k) => from + k).map((index) => {
        const text = tokenText(detail, index)
        return (
          <span
            key={index}
            className={`grid-cell ${classOf(props, index, index === token)}`}
            data-token={index}
            data-pin={faults.pins.get(index)}
          >
            <span className="grid-text">
              <TokenGlyphs text={text} />
            </span>
            <span className="grid-number">{overlay === null ? detail.ids?.[index] : overlayValue(overlay, index)}</span>
          </span>
        )
      })}
    </div>
  )
})
