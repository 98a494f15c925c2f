import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { END_WORDS } from '../../../shared/checks/texts/end-words.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import type { Relatives } from '../../../shared/session/requests/rollout.ts'
import { LongId } from '../../app/long-id.tsx'
import { PinButton } from '../../app/pin-button.tsx'
import { tabByKey } from '../../app/tab-keys.ts'
import { useChosenFocus } from '../../app/use-chosen-focus.ts'
import { move } from '../../commands/move.ts'
import { toggleFlag } from '../../data/flags.ts'
import { list, positionOf } from '../../data/list.ts'
import { useObservable } from '../../data/observable.ts'
import { markKey, useMarks } from '../../state/marks.ts'
import { useSecond } from '../../state/second.ts'
import { type RolloutTab, show, useView } from '../../state/view.ts'
import { count, percent, real } from '../../text/numbers.ts'
import { hasIds } from '../rollouts/columns.tsx'
import { Siblings } from './relatives.tsx'

const TABS: readonly { readonly tab: RolloutTab; readonly label: string; readonly key: string }[] = [
  { tab: 'tokens', label: 'Tokens', key: '' },
  { tab: 'boundaries', label: 'Boundaries', key: 'b' },
  { tab: 'render', label: 'Re-render', key: 'r' },
  { tab: 'messages', label: 'Messages', key: 'm' },
  { tab: 'tools', label: 'Tools', key: '' },
  { tab: 'documents', label: 'Documents', key: '' },
  { tab: 'raw', label: 'Record', key: 'w' },
]

/** What cannot be looked at without token ids. */
const NEEDS_TOKENS: readonly RolloutTab[] = ['tokens', 'boundaries', 'render']

/** Which rollout this is, its numbers, and the ways of looking at it. */
export function RolloutHead(props: {
  detail: TrajectoryDetail
  tab: RolloutTab
  hasTokens: boolean
  relatives: Relatives | null
}) {
  const { detail, tab, hasTokens, relatives } = props
  const { facts } = detail
  const isSecond = detail.run === 'second'
  const tabs = useRef<HTMLDivElement>(null)
  useChosenFocus(tabs, tab)
  const possible = TABS.map((entry) => entry.tab).filter((each) => hasTokens || !NEEDS_TOKENS.includes(each))
  const press = (event: KeyboardEvent) => {
    const next = tabByKey(event.key, possible, tab)
    if (next === null) return
    event.preventDefault()
    useView.setState({ tab: next })
  }
  const isFlagged = useMarks((state) => state.flagged.has(markKey(facts)))
  return (
    <header className="rollout-title">
      {isSecond ? (
        <>
          <button type="button" className="button small" title="Escape" onClick={() => show('compare')}>
            ← Compare
          </button>
          <strong className="second-mark">second run</strong>
        </>
      ) : (
        <button type="button" className="button small" title="Escape" onClick={() => show('rollouts')}>
          ← Rollouts
        </button>
      )}
      <h1>
        <LongId id={facts.id} />
      </h1>
      {isSecond ? <PositionInSecond index={detail.index} /> : <Position index={detail.index} />}
      <div ref={tabs} className="segmented" role="tablist" aria-label="Look at" tabIndex={-1} onKeyDown={press}>
        {TABS.map((entry) => (
          <button
            key={entry.tab}
            type="button"
            role="tab"
            tabIndex={entry.tab === tab ? 0 : -1}
            aria-selected={entry.tab === tab}
            title={titleOf(entry.key, possible.includes(entry.tab))}
            disabled={!possible.includes(entry.tab)}
            onClick={() => useView.setState({ tab: entry.tab })}
          >
            {entry.label}
          </button>
        ))}
      </div>
      <dl className="rollout-facts">
        <Fact name="group" value={facts.group} isId>
          <Siblings relatives={relatives} of={detail} />
        </Fact>
        <Fact name="step" value={facts.step === null ? null : count(facts.step)} />
        <Fact name="reward" value={facts.reward === null ? null : real(facts.reward)} />
        <Fact name="advantage" value={facts.advantage === null ? null : real(facts.advantage)} />
        <Fact
          name={detail.reconstructed ? 'tokens, reconstructed' : 'tokens'}
          value={hasIds(facts) ? count(facts.realLength) : null}
        >
          {facts.length > facts.realLength && (
            <span className="quiet"> + {count(facts.length - facts.realLength)} of padding</span>
          )}
        </Fact>
        <Fact
          name="trained"
          value={facts.trained === null || facts.realLength === 0 ? null : percent(facts.trained / facts.realLength)}
        />
        <Fact name="end" value={END_WORDS[facts.endReason]} />
      </dl>
      {!isSecond && (
        <span className="rollout-hands">
          <button
            type="button"
            className="flag-button"
            aria-pressed={isFlagged}
            title="f"
            onClick={() => void toggleFlag(detail.index, facts)}
          >
            {isFlagged ? '⚑ flagged' : '⚐ flag'}
          </button>
          <PinButton of={null} what="what is marked here" />
        </span>
      )}
    </header>
  )
}

function titleOf(key: string, isPossible: boolean): string | undefined {
  if (!isPossible) return 'This rollout has no token ids'
  return key === '' ? undefined : `Key ${key}`
}

/** What the dump does not carry takes no room here; the token panel and the truth line name it. */
function Fact(props: { name: string; value: string | null; isId?: boolean; children?: ReactNode }) {
  const { name, value, isId = false, children } = props
  if (value === null) return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {isId ? (
          <span className="rollout-fact-id">
            <LongId id={value} />
          </span>
        ) : (
          value
        )}
        {children}
      </dd>
    </div>
  )
}

function Position({ index }: { index: number }) {
  const indices = useObservable(list)
  const at = positionOf(index)
  return <Steps at={at} of={indices.length} />
}

/** The table lists the open run: of the second one all rollouts are gone through. */
function PositionInSecond({ index }: { index: number }) {
  const rollouts = useSecond((state) => state.run?.rollouts ?? 0)
  return <Steps at={index} of={rollouts} />
}

function Steps({ at, of }: { at: number; of: number }) {
  return (
    <span className="rollout-position">
      <button
        type="button"
        className="icon-button"
        aria-label="Previous rollout"
        disabled={at <= 0}
        onClick={() => move(-1)}
      >
        ‹
      </button>
      <span>{at === -1 ? 'outside the list' : `${count(at + 1)} of ${count(of)}`}</span>
      <button
        type="button"
        className="icon-button"
        aria-label="Next rollout"
        disabled={at === -1 || at >= of - 1}
        onClick={() => move(1)}
      >
        ›
      </button>
    </span>
  )
}
