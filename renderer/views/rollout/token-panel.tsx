import { clipped } from '../../../shared/model/clipped.ts'
import { PART_WORDS } from '../../../shared/model/part-words.ts'
import { PARTS, TokenFlag } from '../../../shared/model/tokens.ts'
import { roleText } from '../../../shared/model/turn-words.ts'
import type { TokenDetail, TrajectoryDetail } from '../../../shared/session/protocol.ts'
import type { Overlay } from '../../../shared/session/requests/rollout.ts'
import { CheckName } from '../../app/check-name.tsx'
import { copyAddress, copyTokenId, copyTokenText } from '../../commands/copying.ts'
import { type Loaded, useToken } from '../../data/details.ts'
import { useChosenFinding, useOrderedFindings } from '../../data/ordered-findings.ts'
import { useFiles } from '../../state/files.ts'
import { jumpTo, useSelection } from '../../state/selection.ts'
import { count, counted, NOT_IN_DUMP, real } from '../../text/numbers.ts'
import { isRightToLeft, spelt } from '../../text/visible.ts'
import { findingLook, POLICY_WORDS } from '../../text/words.ts'
import { turnOf } from './edges.ts'
import { TokenGlyphs } from './lines.tsx'
import { disagrees, provenanceSays, stateName, structureSays } from './oracles.ts'
import { Pair } from './panel-pair.tsx'
import { SafeText } from './safe-text.tsx'
import { Streams } from './token-streams.tsx'
import { isControl, tokenText } from './token-text.ts'

/** Tokens shown on either side of the selected one. */
const AROUND = 2

/** Everything that is known of one token. What the dump does not carry says so. */
export function TokenPanel({ detail, overlay }: { detail: TrajectoryDetail; overlay: Overlay | null }) {
  const token = useSelection((state) => state.token)
  if (detail.ids === null || token === null || token >= detail.ids.length) {
    return (
      <aside className="token-panel" aria-label="Token">
        <p className="quiet">Select a token to see what is known of it.</p>
      </aside>
    )
  }
  return <PanelOf detail={detail} token={token} ids={detail.ids} overlay={overlay} />
}

interface PanelProps {
  readonly detail: TrajectoryDetail
  readonly token: number
  readonly ids: Int32Array
  readonly overlay: Overlay | null
}

function PanelOf({ detail, token, ids, overlay }: PanelProps) {
  const loaded = useToken(detail, token)
  const flags = detail.flags[token] ?? 0
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the panel is scrolled with the keyboard
    <aside className="token-panel" aria-label={`Token ${token}`} tabIndex={0}>
      <header className="panel-head">
        <h2>
          token {count(token)}{' '}
          <span className="quiet">
            of {count(ids.length)}
            {detail.facts.length > detail.facts.realLength && ', padding included'}
          </span>
        </h2>
        <p
          className={`panel-text token ${stateName(detail, token)}${disagrees(detail, token) ? ' wrong' : ''}${isControl(detail, token) ? ' special' : ''}`}
        >
          <TokenGlyphs text={tokenText(detail, token)} />
        </p>
        {kindsOf(flags, tokenText(detail, token)).map((words) => (
          <p key={words} className="quiet">
            {words}
          </p>
        ))}
        <Neighbours detail={detail} token={token} />
        <p className="panel-copy">
          <button type="button" className="button small" onClick={() => void copyTokenId(detail, token)}>
            Copy id
          </button>
          <button type="button" className="button small" onClick={() => void copyTokenText(detail, token)}>
            Copy text
          </button>
          <button type="button" className="button small" onClick={() => void copyAddress()}>
            Copy link
          </button>
        </p>
      </header>
      <LostHere detail={detail} token={token} />
      <Verdict detail={detail} token={token} loaded={loaded} />
      <TokenFindings detail={detail} token={token} />
      <dl className="panel-pairs">
        <Pair name="id">
          <code>{ids[token]}</code>
        </Pair>
        <Spelling loaded={loaded} />
        <PlaceOf detail={detail} token={token} />
      </dl>
      <Streams detail={detail} token={token} overlay={overlay} />
    </aside>
  )
}

/** How the tokenizer spells the id; without a tokenizer nothing is known of that. */
function Spelling({ loaded }: { loaded: Loaded<TokenDetail> }) {
  const hasTokenizer = useFiles((files) => files.report?.tokenizer.id != null)
  if (!hasTokenizer) return <Pair name="spelling">no known tokenizer is that of the ids</Pair>
  if (loaded.state !== 'ready') {
    return (
      <Pair name="raw piece">
        <span className="quiet">{loaded.state === 'failed' ? loaded.message : '…'}</span>
      </Pair>
    )
  }
  const { raw, bytes } = loaded.value
  if (raw === null) return <Pair name="raw piece">not in the vocabulary</Pair>
  return (
    <>
      <Pair name="raw piece">
        <code>{raw}</code>
      </Pair>
      <Pair name="bytes">
        <code>{hex(bytes)}</code>
      </Pair>
    </>
  )
}

/** Why nothing is known of any token of a rollout, in a dump that has masks; null where its mask tells, or the dump has none. */
function whyUnknown({ facts, reconstructed }: TrajectoryDetail, hasMasks: boolean): string | null {
  if (facts.trained !== null || reconstructed || !hasMasks) return null
  return facts.unfit === true ? 'the mask does not fit the ids (S03)' : 'no mask in this rollout'
}

/** The state, beside what each oracle expects and why. */
function Verdict(props: { detail: TrajectoryDetail; token: number; loaded: Loaded<TokenDetail> }) {
  const { detail, token, loaded } = props
  const known = loaded.state === 'ready' ? loaded.value : null
  const policy = useFiles((files) => files.report?.policy.id ?? 'rl')
  const hasMasks = useFiles(
    (files) =>
      detail.run === 'open' && files.report?.sources[detail.facts.place.source]?.missing.includes('mask') === false,
  )
  const structure = structureSays(detail, token)
  const provenance = provenanceSays(detail, token)
  const part = partOf(detail, token)
  const state = stateName(detail, token)
  const isWrong = disagrees(detail, token)
  return (
    <dl className={`panel-verdict${isWrong ? ' wrong' : ''}`}>
      <Pair name="state">
        <strong>
          {isWrong && (
            <span role="img" aria-label="disagrees with the structure">
              ▲{' '}
            </span>
          )}
          {state}
        </strong>
        {detail.weights !== null && ` · weight ${real(detail.weights[token])}`}
        <Why words={whyUnknown(detail, hasMasks)} />
      </Pair>
      <Pair name="by structure">
        {structure === null ? (
          detail.reconstructed ? (
            'not judged: reconstructed'
          ) : (
            'no turn frame'
          )
        ) : (
          <>
            <strong>{structure}</strong>
            {part !== null && ` · ${part}, policy ${POLICY_WORDS[policy].name}`}
            <Why words={known?.whyStructure ?? null} />
          </>
        )}
      </Pair>
      <Pair name="by provenance">
        {provenance === null ? NOT_IN_DUMP : <strong>{provenance}</strong>}
        <Why words={known?.whyProvenance ?? null} />
      </Pair>
    </dl>
  )
}

function Why({ words }: { words: string | null }) {
  return words === null ? null : <span className="panel-why">{words}</span>
}

/** Tokens on either side, to see the one in its place and to step from it. */
function Neighbours({ detail, token }: { detail: TrajectoryDetail; token: number }) {
  const from = Math.max(0, token - AROUND)
  const to = Math.min(detail.states.length, token + AROUND + 1)
  return (
    <p className="panel-neighbours">
      {Array.from({ length: to - from }, (_, k) => from + k).map((other) => (
        <button
          key={other}
          type="button"
          className={`token ${stateName(detail, other)}${other === token ? ' here' : ''}`}
          aria-current={other === token ? 'true' : undefined}
          aria-label={`Token ${other}: ${spelt(tokenText(detail, other))}`}
          onClick={() => jumpTo(other)}
        >
          <TokenGlyphs text={tokenText(detail, other)} />
        </button>
      ))}
    </p>
  )
}

/** Text that is missing beside the token, as far as the dump carries it. */
function LostHere({ detail, token }: { detail: TrajectoryDetail; token: number }) {
  const gaps = detail.lost.filter(({ at }) => at === token || at === token + 1)
  return gaps.map((gap) => (
    <div key={`${gap.at} ${gap.what}`} className="panel-lost">
      <p>
        ✂ {gap.tokens !== null && `${counted(gap.tokens, 'token')}: `}
        {gap.what}, {gap.at === token ? 'before' : 'after'} this token.
      </p>
      {gap.text !== null && (
        <p className="panel-lost-text">
          <SafeText text={gap.text} />
        </p>
      )}
    </div>
  ))
}

function TokenFindings({ detail, token }: { detail: TrajectoryDetail; token: number }) {
  const findings = useOrderedFindings(detail)
  const chosen = useChosenFinding(findings)
  const here = findings
    .filter(({ tokens }) => tokens !== null && token >= tokens[0] && token < tokens[1])
    .sort((a, b) => Number(b === chosen) - Number(a === chosen))
  if (here.length === 0) return null
  return (
    <ul className="panel-findings">
      {here.map((finding) => (
        <li key={finding.fingerprint}>
          <span className={`severity ${findingLook(finding).className}`}>
            <span aria-hidden="true">{findingLook(finding).glyph}</span> <CheckName code={finding.code} />
          </span>{' '}
          {spelt(finding.message)}
          {finding.intended === true && <span className="quiet"> · intended by the policy</span>}
        </li>
      ))}
    </ul>
  )
}

function PlaceOf({ detail, token }: { detail: TrajectoryDetail; token: number }) {
  const turn = detail.segmentation?.turns[turnOf(detail, token)]
  return (
    <>
      <Pair name="turn">{turn === undefined ? '–' : `${turn.index} ${spelt(clipped(roleText(turn), 40))}`}</Pair>
      <Pair name="part">{partOf(detail, token) ?? '–'}</Pair>
      <Pair name="in turn">
        {turn === undefined ? '–' : `${count(token - turn.start)} of ${count(turn.end - turn.start)}`}
      </Pair>
    </>
  )
}

function partOf(detail: TrajectoryDetail, token: number): string | null {
  const part = PARTS[detail.segmentation?.parts[token] ?? -1]
  return part === undefined ? null : PART_WORDS[part]
}

function kindsOf(flags: number, text: string): string[] {
  const words: string[] = []
  if ((flags & TokenFlag.special) !== 0) words.push('special token')
  else if ((flags & TokenFlag.added) !== 0) words.push('added token')
  if ((flags & TokenFlag.startsInsideCharacter) !== 0) words.push('begins inside a character')
  if ((flags & TokenFlag.endsInsideCharacter) !== 0) words.push('ends inside a character')
  if ((flags & TokenFlag.unknown) !== 0) words.push('this tokenizer has no such id')
  if (isRightToLeft(text))
    words.push('right-to-left text: tokens are laid from left to right, in the order of their ids')
  return words
}

function hex(bytes: Uint8Array): string {
  return bytes.length === 0 ? 'none' : [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
}
