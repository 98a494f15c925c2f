import { counted } from '../../text/numbers.ts'
import { runs } from '../../text/visible.ts'

/** One text is cut here on screen; the record tab and an export hold all of it. */
const LONGEST_SHOWN = 50_000

/** Text of a model or a tool: text nodes only, hidden characters spelt, line breaks and spaces kept. */
export function SafeText({ text }: { text: string }) {
  const shown = text.slice(0, LONGEST_SHOWN)
  return (
    <>
      {runs(shown).map((piece, position) =>
        piece.kind === 'mark' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
          <span key={position} className="glyph-mark">
            {piece.text}
          </span>
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
