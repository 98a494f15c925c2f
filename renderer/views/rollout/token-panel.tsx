import type { ReactNode } from 'react'
import { PARTS } from '../../../shared/model/tokens.ts'
import type { TokenDetail, TrajectoryDetail } from '../../../shared/session/protocol.ts'
import { CheckName } from '../../app/check-name.tsx'
import { type Loaded, useToken } from '../../data/details.ts'
import { useFiles } from '../../state/files.ts'
import { useSelection } from '../../state/selection.ts'
import { count, NOT_IN_DUMP, real } from '../../text/numbers.ts'
import { PART_WORDS, POLICY_WORDS, SEVERITY_WORDS } from '../../text/words.ts'
import { turnOf } from './edges.ts'
import { TokenGlyphs } from './lines.tsx'
import { disagrees, provenanceSays, stateName, structureSays } from './oracles.ts'
import { TokenFlag, tokenText } from './token-text.ts'

/** Everything that is known of one token. What the dump does not carry says so. */
export function TokenPanel({ detail }: { detail: TrajectoryDetail }) {
  const token = useSelection((state) => state.token)
  if (detail.ids === null || token === null || token >= detail.ids.length) {
    return (
      <aside className="token-panel" aria-label="Token">
        <p className="quiet">Select a token to see what is known of it.</p>
      </aside>
    )
  }
  return <PanelOf detail={detail} token={token} ids={detail.ids} />
}

function PanelOf({ detail, token, ids }: { detail: TrajectoryDetail; token: number; ids: Int32Array }) {
  const loaded = useToken(detail.index, token)
  const flags = detail.flags[token] ?? 0
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the panel is scrolled with the keyboard
    <aside className="token-panel" aria-label={`Token ${token}`} tabIndex={0}>
      <header className="panel-head">
        <h2>
          token {count(token)} <span className="quiet">of {count(ids.length)}</span>
        </h2>
        <p className={`panel-text token ${stateName(detail, token)}${(flags & 3) !== 0 ? ' special' : ''}`}>
          <TokenGlyphs text={tokenText(detail, token)} />
        </p>
        {kindsOf(flags).map((words) => (
          <p key={words} className="quiet">
            {words}
          </p>
        ))}
      </header>
      <Verdict detail={detail} token={token} />
      <TokenFindings detail={detail} token={token} />
      <dl className="panel-pairs">
        <Pair name="id">
          <code>{ids[token]}</code>
        </Pair>
        <Spelling loaded={loaded} />
        <PlaceOf detail={detail} token={token} />
      </dl>
      <Streams detail={detail} token={token} />
    </aside>
  )
}

/** How the tokenizer spells the id; without a tokenizer nothing is known of that. */
function Spelling({ loaded }: { loaded: Loaded<TokenDetail> }) {
  const hasTokenizer = useFiles((files) => files.report?.tokenizer.id != null)
  if (!hasTokenizer) return <Pair name="spelling">no tokenizer is chosen</Pair>
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

/** The state, beside what each oracle expects and why. */
function Verdict({ detail, token }: { detail: TrajectoryDetail; token: number }) {
  const policy = useFiles((files) => files.report?.policy.id ?? 'rl')
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
      </Pair>
      <Pair name="by structure">
        {structure === null ? (
          'no turn frame'
        ) : (
          <>
            <strong>{structure}</strong>
            {part !== null && ` · ${part}, policy ${POLICY_WORDS[policy].name}`}
          </>
        )}
      </Pair>
      <Pair name="by provenance">{provenance === null ? NOT_IN_DUMP : <strong>{provenance}</strong>}</Pair>
    </dl>
  )
}

function TokenFindings({ detail, token }: { detail: TrajectoryDetail; token: number }) {
  const here = detail.findings.filter(
    (finding) => finding.tokens !== null && token >= finding.tokens[0] && token < finding.tokens[1],
  )
  if (here.length === 0) return null
  return (
    <ul className="panel-findings">
      {here.map((finding) => (
        <li key={finding.fingerprint}>
          <span className={`severity ${finding.severity}`}>
            <span aria-hidden="true">{SEVERITY_WORDS[finding.severity].glyph}</span> <CheckName code={finding.code} />
          </span>{' '}
          {finding.message}
        </li>
      ))}
    </ul>
  )
}

function PlaceOf({ detail, token }: { detail: TrajectoryDetail; token: number }) {
  const turn = detail.segmentation?.turns[turnOf(detail, token)]
  return (
    <>
      <Pair name="turn">{turn === undefined ? '–' : `${turn.index} ${turn.role.slice(0, 40)}`}</Pair>
      <Pair name="part">{partOf(detail, token) ?? '–'}</Pair>
      <Pair name="in turn">
        {turn === undefined ? '–' : `${count(token - turn.start)} of ${count(turn.end - turn.start)}`}
      </Pair>
    </>
  )
}

/** Streams that a dump may carry for each token, in the order they are looked at. */
function Streams({ detail, token }: { detail: TrajectoryDetail; token: number }) {
  const { sampler, trainer, reference } = detail.logprobs
  const streams: readonly (readonly [string, ArrayLike<number> | null])[] = [
    ['sampler logprob', sampler],
    ['trainer logprob', trainer],
    ['reference logprob', reference],
    ['advantage', detail.advantages],
    ['entropy', detail.entropy],
    ['KL', detail.kl],
    ['attention mask', detail.attentionMask],
    ['position id', detail.positionIds],
  ]
  return (
    <dl className="panel-pairs streams">
      {streams.map(([name, values]) => (
        <Pair key={name} name={name}>
          {name === 'advantage' && values === null && detail.facts.advantage !== null ? (
            <RolloutValue value={detail.facts.advantage} />
          ) : (
            <StreamValue value={values === null ? null : (values[token] ?? Number.NaN)} />
          )}
        </Pair>
      ))}
      {sampler !== null && trainer !== null && (
        <Pair name="sampler − trainer">
          <StreamValue value={(sampler[token] ?? Number.NaN) - (trainer[token] ?? Number.NaN)} />
        </Pair>
      )}
    </dl>
  )
}

function StreamValue({ value }: { value: number | null }) {
  if (value === null) return <span className="quiet">{NOT_IN_DUMP}</span>
  if (Number.isNaN(value)) return <span className="quiet">not scored</span>
  return <span className="number">{real(value)}</span>
}

/** A value that the dump gives once for the whole rollout. */
function RolloutValue({ value }: { value: number }) {
  return (
    <>
      <span className="number">{real(value)}</span> <span className="quiet">(of the rollout)</span>
    </>
  )
}

function Pair({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function partOf(detail: TrajectoryDetail, token: number): string | null {
  const part = PARTS[detail.segmentation?.parts[token] ?? -1]
  return part === undefined ? null : PART_WORDS[part]
}

function kindsOf(flags: number): string[] {
  const words: string[] = []
  if ((flags & TokenFlag.special) !== 0) words.push('special token')
  else if ((flags & TokenFlag.added) !== 0) words.push('added token')
  if ((flags & TokenFlag.startsInside) !== 0) words.push('begins inside a character')
  if ((flags & TokenFlag.endsInside) !== 0) words.push('ends inside a character')
  if ((flags & TokenFlag.unknown) !== 0) words.push('this tokenizer has no such id')
  return words
}

function hex(bytes: Uint8Array): string {
  return bytes.length === 0 ? 'none' : [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
}
