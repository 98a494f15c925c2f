import { memo } from 'react'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import { counted } from '../../text/numbers.ts'
import { pieces, spelt } from '../../text/visible.ts'
import { FAULT_NAMES, type FaultMap } from './faults.ts'
import { partsOfLine, type TokenLayout } from './layout.ts'
import { stateName } from './oracles.ts'
import { TokenFlag } from './token-text.ts'
import { roleOf } from './turn-outline.tsx'

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
  return (
    <div className="lost-line" title={gap.text === null ? undefined : spelt(gap.text.slice(0, 2000))}>
      <span aria-hidden="true">✂</span> {amount}
      {gap.what}
      {gap.text !== null && <span className="lost-text">“{spelt(gap.text.slice(0, 160))}”</span>}{' '}
      <span aria-hidden="true">✂</span>
    </div>
  )
}

interface TokenLineProps {
  readonly detail: TrajectoryDetail
  readonly layout: TokenLayout
  readonly line: number
  readonly token: number | null
  readonly range: readonly [number, number] | null
  readonly faults: FaultMap
}

export const TokenLine = memo(function TokenLine({ detail, layout, line, token, range, faults }: TokenLineProps) {
  return (
    <div className="token-line">
      {partsOfLine(detail, layout, line).map((part) => {
        const pin = part.first ? faults.pins.get(part.token) : undefined
        return (
          <span
            key={part.token}
            className={classOf(detail, part.token, part.token === token, range, faults)}
            data-token={part.token}
            data-pin={pin}
          >
            <TokenGlyphs text={part.text} />
          </span>
        )
      })}
    </div>
  )
})

function classOf(
  detail: TrajectoryDetail,
  token: number,
  isSelected: boolean,
  range: readonly [number, number] | null,
  faults: FaultMap,
): string {
  const flags = detail.flags[token] ?? 0
  let name = `token ${stateName(detail, token)}`
  if ((flags & (TokenFlag.special | TokenFlag.added)) !== 0) name += ' special'
  if ((flags & (TokenFlag.endsInside | TokenFlag.startsInside)) !== 0) name += ' split'
  if ((flags & TokenFlag.unknown) !== 0) name += ' no-such-id'
  const fault = FAULT_NAMES[faults.worst[token] ?? 0]
  if (fault) name += ` fault-${fault}`
  if (range !== null && token >= range[0] && token < range[1]) name += ' in-range'
  if (isSelected) name += ' selected'
  return name
}

/** Token text as text nodes, with everything hidden made visible. */
export function TokenGlyphs({ text }: { text: string }) {
  const parts = pieces(text)
  if (parts.length === 1 && parts[0]?.kind === 'plain') return <>{parts[0].text}</>
  return (
    <>
      {parts.map((piece, position) =>
        piece.kind === 'plain' ? (
          piece.text
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
          <span key={position} className={`glyph-${piece.kind}`}>
            {piece.text}
          </span>
        ),
      )}
    </>
  )
}
