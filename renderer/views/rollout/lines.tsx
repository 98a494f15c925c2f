import { memo, type ReactNode } from 'react'
import { clipped } from '../../../shared/model/clipped.ts'
import { TokenFlag } from '../../../shared/model/tokens.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import type { Overlay } from '../../../shared/session/requests/rollout.ts'
import { selectToken } from '../../state/selection.ts'
import { counted } from '../../text/numbers.ts'
import { mayRunLeft, pieces, spelt } from '../../text/visible.ts'
import { aboutWords } from '../rollouts/note-words.ts'
import { FAULT_NAMES, type FaultMap } from './faults.ts'
import { type Fold, type LineSpan, partsBetween } from './layout.ts'
import { stateName } from './oracles.ts'
import { overlayClass } from './overlay-dress.ts'
import { openPadding, toggleFold } from './rollout-place.ts'
import { isControl } from './token-text.ts'
import { roleOf } from './turn-outline.tsx'

/** Characters of what is folded that its title has. */
const MOST_FOLDED_TEXT = 2000

export function TurnLine({ detail, turn: index }: { detail: TrajectoryDetail; turn: number }) {
  const turn = detail.segmentation?.turns[index]
  if (turn === undefined) return null
  return (
    <div className={`turn-line ${turn.kind}`}>
      <span className="turn-line-role">
        {turn.index} {roleOf(turn)}
      </span>
      <span className="turn-line-note">
        {counted(turn.end - turn.start, 'token')}
        {turn.header === 'missing' && ' · no header in the ids'}
      </span>
    </div>
  )
}

/** A place where text is missing from the sequence. */
export function LostLine({ detail, gap: index }: { detail: TrajectoryDetail; gap: number }) {
  const gap = detail.lost[index]
  if (gap === undefined) return null
  const amount = gap.tokens === null ? '' : `${counted(gap.tokens, 'token')}: `
  // The token beside it is selected: its panel has the text.
  const beside = Math.min(gap.at, detail.states.length - 1)
  return (
    <button
      type="button"
      className="lost-line"
      title={gap.text === null ? undefined : spelt(clipped(gap.text, 2000))}
      onClick={() => selectToken(beside)}
    >
      <span aria-hidden="true">✂</span> {amount}
      {gap.what}
      {gap.text !== null && <span className="lost-text">“{spelt(clipped(gap.text, 160))}”</span>}{' '}
      <span aria-hidden="true">✂</span>
    </button>
  )
}

/** Tokens between two tags, or padding, folded into one line. */
export function FoldLine(props: { detail: TrajectoryDetail; fold: Fold | undefined; token: number | null }) {
  const { detail, fold, token } = props
  if (fold === undefined) return null
  const { name, start, end } = fold
  const holds = token !== null && token >= start && token < end
  const text = detail.text.slice(detail.textOffsets[start], detail.textOffsets[end]).slice(0, MOST_FOLDED_TEXT)
  const isPadding = name === 'padding'
  return (
    <button
      type="button"
      className={isPadding ? 'fold-line padding' : 'fold-line'}
      aria-expanded="false"
      title={isPadding ? 'Show the padding token by token (key z)' : spelt(text)}
      onClick={(event) => {
        // The line goes away, and text without focus cannot be scrolled by key.
        event.currentTarget.closest<HTMLElement>('.tokens')?.focus({ preventScroll: true })
        if (isPadding) openPadding(true)
        else toggleFold(name)
      }}
    >
      <span aria-hidden="true">▸</span>{' '}
      {isPadding ? (
        <>
          {counted(end - start, 'padding token')}
          <span className="fold-span"> {aboutWords([start, end])}</span>
        </>
      ) : (
        <>
          <strong>{`<${name}>`}</strong> {counted(end - start, 'token')}
        </>
      )}
      {holds && ` · token ${token} is in here`}
      {!isPadding && <span className="fold-text">{spelt(clipped(text, 160))}</span>}
    </button>
  )
}

/** How tokens are dressed. */
export interface TokenDress {
  readonly detail: TrajectoryDetail
  readonly token: number | null
  readonly range: readonly [number, number] | null
  readonly faults: FaultMap
  /** Null = tokens are coloured by their state. */
  readonly overlay: Overlay | null
  /** 1 for each token that a note is about; null where there is none. */
  readonly noted: Uint8Array | null
}

export const TokenLine = memo(function TokenLine(props: TokenDress & LineSpan) {
  const { detail, token, faults } = props
  const parts = partsBetween(detail, props)
  return (
    <div className={parts.some(({ text }) => mayRunLeft(text)) ? 'token-line both-ways' : 'token-line'}>
      {parts.map(({ token: index, text, first }) => {
        const name = classOf(props, index, index === token)
        const isLed = isLedBySpace(text)
        return (
          <span
            key={index}
            className={isLed ? `${name} led` : name}
            data-token={index}
            data-pin={first ? faults.pins.get(index) : undefined}
          >
            {isLed ? ledGlyphs(text) : glyphs(text)}
          </span>
        )
      })}
    </div>
  )
})

export function classOf(
  { detail, range, faults, overlay, noted }: Pick<TokenDress, 'detail' | 'range' | 'faults' | 'overlay' | 'noted'>,
  token: number,
  isSelected: boolean,
): string {
  const flags = detail.flags[token] ?? 0
  let name = `token ${overlay === null ? stateName(detail, token) : overlayClass(overlay, token)}`
  if (overlay === null && faults.isWrong(token)) name += ' wrong'
  if (isControl(detail, token)) name += ' special'
  if ((flags & (TokenFlag.endsInsideCharacter | TokenFlag.startsInsideCharacter)) !== 0) name += ' split'
  if ((flags & TokenFlag.unknown) !== 0) name += ' no-such-id'
  const fault = FAULT_NAMES[faults.worst[token] ?? 0]
  if (fault) name += ` fault-${fault}`
  if (range !== null && token >= range[0] && token < range[1]) name += ' in-range'
  if (noted?.[token] === 1) name += ' noted'
  if (isSelected) name += ' selected'
  return name
}

/** Token text as text nodes, with everything hidden made visible. */
export function TokenGlyphs({ text }: { text: string }) {
  return <>{glyphs(text)}</>
}

/** The same for where a line has many of them: plain text is no element of its own. */
function glyphs(text: string): ReactNode {
  const parts = pieces(text)
  if (parts.length === 1 && parts[0]?.kind === 'plain') return parts[0].text
  return parts.map((piece, position) =>
    piece.kind === 'plain' ? (
      piece.text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
      <span key={position} className={`glyph-${piece.kind}`}>
        {piece.text}
      </span>
    ),
  )
}

/** Most words begin with one space. Its dot is laid under the token itself: an element for each would be as many again. */
function isLedBySpace(text: string): boolean {
  return text.startsWith(' ') && text.charAt(1) !== ' '
}

function ledGlyphs(text: string): ReactNode {
  const rest = glyphs(text.slice(1))
  return typeof rest === 'string' ? text : [' ', rest]
}
