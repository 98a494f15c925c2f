import { shownId, spelt, wholeId } from '../text/visible.ts'

/** Ids of no more letters are whole in most columns. */
const SHORT = 14
/** What is always seen of the end of a longer one: where many begin alike, this tells them apart. */
const END = 6
/** More than these of its beginning no line has room for. */
const BEGINNING = 294

/** An id or a name of a group in a line that may be too short for it: what has no room is left out before its end. */
export function LongId({ id }: { readonly id: string }) {
  if (id.length <= SHORT || id.trim() === '') return shownId(id)
  const end = wholeFrom(id, id.length - END)
  const whole = wholeId(id)
  return (
    <span className="long-id" title={whole}>
      <span className="long-id-beginning" title={whole}>
        {spelt(id.slice(0, wholeFrom(id, Math.min(end, BEGINNING))))}
      </span>
      <span className="long-id-end">{spelt(id.slice(end))}</span>
    </span>
  )
}

/** A place in a text that parts no character. */
function wholeFrom(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}
