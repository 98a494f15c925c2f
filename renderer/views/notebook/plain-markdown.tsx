import { Fragment, type ReactNode } from 'react'
import { shownText } from '../../../shared/notebook/markdown/text.ts'
import { upright } from '../../text/visible.ts'

type TextPiece = { readonly kind: 'code' | 'paragraph' | 'heading'; readonly text: string }
type ListPiece = { readonly kind: 'list'; readonly ordered: boolean; readonly items: string[] }
type Piece = TextPiece | ListPiece

/** Text as people write it: paragraphs, lists, code and emphasis. It makes text and nothing else: no HTML, no links, no pictures. */
export function PlainMarkdown({ text }: { text: string }) {
  return (
    <div className="prose">
      {pieces(upright(shownText(text))).map((piece, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity beyond their place
        <PieceView key={at} piece={piece} />
      ))}
    </div>
  )
}

function PieceView({ piece }: { piece: Piece }) {
  if (piece.kind !== 'list') return <TextView piece={piece} />
  const items = piece.items.map((item, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items have no identity beyond their place
    <li key={at}>{inline(item)}</li>
  ))
  return piece.ordered ? <ol>{items}</ol> : <ul>{items}</ul>
}

function TextView({ piece: { kind, text } }: { piece: TextPiece }) {
  if (kind === 'heading') return <p className="prose-heading">{inline(text)}</p>
  if (kind === 'paragraph') return <p>{inline(text)}</p>
  return <pre className="prose-code wrapped">{text}</pre>
}

function pieces(text: string): Piece[] {
  const found: Piece[] = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      let last = at + 1
      while (last < lines.length && !(lines[last] as string).trim().startsWith(fence)) last++
      found.push({ kind: 'code', text: lines.slice(at + 1, last).join('\n') })
      at = last
      continue
    }
    const heading = /^#{1,6}\s+(.*)$/s.exec(line)
    if (heading !== null) {
      found.push({ kind: 'heading', text: heading[1] ?? '' })
      continue
    }
    const item = /^\s*(?:[-*+]|(\d+)[.)])\s+(.*)$/s.exec(line)
    const before = found.at(-1)
    if (item !== null) {
      const ordered = item[1] !== undefined
      const previous = at > 0 && (lines[at - 1] as string).trim() !== ''
      if (before?.kind === 'list' && before.ordered === ordered && previous) {
        before.items.push(item[2] ?? '')
      } else found.push({ kind: 'list', ordered, items: [item[2] ?? ''] })
      continue
    }
    if (line.trim() === '') continue
    const goesOn = at > 0 && (lines[at - 1] as string).trim() !== ''
    if (goesOn && before?.kind === 'paragraph') {
      found[found.length - 1] = { kind: 'paragraph', text: `${before.text}\n${line}` }
    } else if (goesOn && before?.kind === 'list') {
      before.items[before.items.length - 1] += `\n${line.trim()}`
    } else found.push({ kind: 'paragraph', text: line })
  }
  return found
}

/** `code` and **emphasis** within a line. */
function inline(text: string): ReactNode {
  return text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/).map((part, at) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity beyond their place
    if (/^`.+`$/.test(part)) return <code key={at}>{part.slice(1, -1)}</code>
    // biome-ignore lint/suspicious/noArrayIndexKey: as above
    if (/^\*\*.+\*\*$/.test(part)) return <strong key={at}>{part.slice(2, -2)}</strong>
    // biome-ignore lint/suspicious/noArrayIndexKey: as above
    return <Fragment key={at}>{part}</Fragment>
  })
}
