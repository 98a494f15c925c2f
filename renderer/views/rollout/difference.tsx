import { clipped } from '../../../shared/model/clipped.ts'
import { roleText } from '../../../shared/model/turn-words.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import type { IdComparison, IdDifference } from '../../../shared/session/requests/rollout.ts'
import { jumpTo } from '../../state/selection.ts'
import { useView } from '../../state/view.ts'
import { count, counted } from '../../text/numbers.ts'
import { spelt } from '../../text/visible.ts'
import { CAUSE_WORDS } from './compare-words.ts'
import { turnOf } from './edges.ts'
import { TokenGlyphs } from './lines.tsx'
import { stateName } from './oracles.ts'
import { tokenText } from './token-text.ts'

/** Tokens shown on either side of a difference. */
const AROUND = 4
/** Of a longer stretch its beginning and its end are shown. */
const MOST_SHOWN = 24

interface Props {
  readonly detail: TrajectoryDetail
  readonly comparison: IdComparison
  readonly difference: IdDifference
}

/** One difference: what it is, and both rows of ids around it. */
export function Difference({ detail, comparison, difference }: Props) {
  const { recorded, other, cause, words } = difference
  const turn = detail.segmentation?.turns[turnOf(detail, Math.min(recorded[0], detail.states.length - 1))]
  const flags = new Uint8Array(comparison.ids.length)
  const beside = { ids: comparison.ids, text: comparison.text, textOffsets: comparison.textOffsets, flags }
  return (
    <>
      <h2>
        <span className="difference-cause">{CAUSE_WORDS[cause]}</span>
        <button type="button" className="link" onClick={() => goToToken(recorded)}>
          token {count(recorded[0])}
        </button>
        {turn !== undefined && (
          <span className="quiet">
            turn {turn.index} {spelt(clipped(roleText(turn), 24))}
          </span>
        )}
      </h2>
      <p className="difference-words">{spelt(words)}.</p>
      <div className="difference-rows">
        <Row
          name={detail.reconstructed ? 'reconstructed' : 'recorded'}
          range={recorded}
          length={detail.states.length}
          text={(token) => tokenText(detail, token)}
          id={(token) => detail.ids?.[token]}
          look={(token) => stateName(detail, token)}
        />
        <Row
          name={comparison.kind === 'render' ? 'rendered' : 'encoded'}
          range={other}
          length={comparison.ids.length}
          text={(token) => tokenText(beside, token)}
          id={(token) => comparison.ids[token]}
          look={() => 'masked'}
        />
      </div>
    </>
  )
}

function goToToken([start, end]: readonly [number, number]): void {
  useView.setState({ tab: 'tokens' })
  jumpTo(start, end > start ? [start, end] : null)
}

interface RowProps {
  readonly name: string
  readonly range: readonly [number, number]
  readonly length: number
  text(token: number): string
  id(token: number): number | undefined
  look(token: number): string
}

function Row({ name, range, length, text, id, look }: RowProps) {
  const [start, end] = range
  const size = end - start
  const half = MOST_SHOWN / 2
  const inside =
    size <= MOST_SHOWN ? between(start, end) : [...between(start, start + half), null, ...between(end - half, end)]
  const chip = (token: number, kind: string) => (
    <span key={token} className={`difference-token ${kind}`} title={`Token ${token}, id ${id(token)}`}>
      <span className={`token ${look(token)}`}>
        <TokenGlyphs text={text(token)} />
      </span>
      <span className="difference-id">{id(token)}</span>
    </span>
  )
  return (
    <div className="difference-row">
      <span className="difference-name">
        {name}
        <span className="quiet">{counted(size, 'token')}</span>
      </span>
      <span className="difference-tokens">
        {between(Math.max(0, start - AROUND), start).map((token) => chip(token, 'around'))}
        {size === 0 && <span className="difference-none">nothing here</span>}
        {inside.map((token) =>
          token === null ? (
            <span key="more" className="difference-more">
              … {counted(size - MOST_SHOWN, 'token')} …
            </span>
          ) : (
            chip(token, 'own')
          ),
        )}
        {between(end, Math.min(length, end + AROUND)).map((token) => chip(token, 'around'))}
      </span>
    </div>
  )
}

function between(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, k) => from + k)
}
