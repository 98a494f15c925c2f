import { type RefObject, useDeferredValue, useEffect, useRef, useState } from 'react'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import type { RolloutRef } from '../../../shared/session/requests/compare.ts'
import { Waiting } from '../../app/waiting.tsx'
import { useDetail, useOpening, useOverlay, useRelatives } from '../../data/details.ts'
import { list } from '../../data/list.ts'
import { useObservable } from '../../data/observable.ts'
import { knownRow } from '../../data/rows.ts'
import { useKeptHeight } from '../../lists/known-size.ts'
import { usePaintedFrames } from '../../lists/use-painted-frames.ts'
import { useFiles } from '../../state/files.ts'
import { useFindingsHeight } from '../../state/findings-height.ts'
import { type SecondState, useSecond } from '../../state/second.ts'
import { jumpAgain, jumpTo, selectRollout, useSelection } from '../../state/selection.ts'
import { tokenPlaceOf } from '../../state/token-place.ts'
import { openDialog, type RolloutTab, show, useView } from '../../state/view.ts'
import { BoundaryZoom } from './boundary-zoom.tsx'
import { CompareView } from './compare-view.tsx'
import { Documents } from './documents.tsx'
import { firstToken } from './edges.ts'
import { FindingsBar } from './findings-bar.tsx'
import { RolloutMarks } from './marks.tsx'
import { Messages } from './messages.tsx'
import { EmptyChart, PositionChart } from './position-chart.tsx'
import { RawRecord } from './raw-record.tsx'
import { Branches } from './relatives.tsx'
import { RolloutHead } from './rollout-head.tsx'
import { useRolloutPlace } from './rollout-place.ts'
import { EdgeBar, TokenBar } from './token-bar.tsx'
import { TokenPanel } from './token-panel.tsx'
import { STRIP, TokenStrip } from './token-strip.tsx'
import { TokenView } from './token-view.tsx'
import { Tools } from './tools.tsx'
import { OUTLINE, TurnOutline } from './turn-outline.tsx'
import { useWidth } from './use-canvas.ts'
import { useTokenArea } from './use-token-area.ts'

/** One rollout: its turns, its tokens, the selected token, and the whole of it as a strip. */
export function RolloutView() {
  const rollout = useSelection((state) => state.rollout)
  const second = useSelection((state) => state.second)
  const rollouts = useFiles((files) => files.rollouts)
  const isReading = useFiles((files) => files.phase === 'reading')
  const first = useObservable(list)[0]
  useEffect(() => {
    if (rollout === null && second === null && first !== undefined) selectRollout(first)
  }, [rollout, second, first])
  if (second !== null) return <RolloutOfSecond index={second} />
  if (rollout === null) return <p className="nothing">No rollout is selected. Choose one in the table.</p>
  if (rollout >= rollouts) {
    return (
      <p className="nothing quiet">
        {isReading
          ? `Rollout ${rollout} has not been read yet.`
          : `This dump has no rollout ${rollout}; it has ${rollouts}.`}
      </p>
    )
  }
  return <RolloutOf key={rollout} of={{ run: 'open', index: rollout }} />
}

/** One of the run that the open one is judged beside, where that run is here. */
function RolloutOfSecond({ index }: { index: number }) {
  const second = useSecond()
  const why = whyNotShown(index, second)
  if (why === null) return <RolloutOf key={index} of={{ run: 'second', index }} />
  return (
    <div className="nothing">
      <p className="quiet">
        This is the place of rollout {index} of a second run, and {why}
      </p>
      <p className="choices">
        <button type="button" className="button" onClick={() => openDialog('second')}>
          Second run…
        </button>
        <button type="button" className="button" onClick={() => show('rollouts')}>
          Rollouts of the open run
        </button>
      </p>
    </div>
  )
}

function whyNotShown(index: number, { chosen, run, wanted }: SecondState): string | null {
  if (run === null)
    return chosen === null ? 'there is no second run. Choose the one it is of.' : 'that run is still being read.'
  if (wanted !== null && wanted !== run.dumpHash)
    return 'the second run that is here is not the one that the link was made beside. Choose that one.'
  return index < run.rollouts ? null : `the second run that is here has ${run.rollouts}.`
}

/** One that is here already is drawn at once. One that was waited for is drawn in parts of a few milliseconds, which hold nothing up. */
function RolloutOf({ of }: { of: RolloutRef }) {
  const loaded = useDetail(of)
  const known = loaded.state === 'ready' ? loaded.value : null
  const [wasWaitedFor] = useState(known === null)
  const detail = useDeferredValue(known)
  // Before it is drawn: what is drawn first has the token that is selected.
  useEffect(() => {
    if (known !== null && hasIds(known)) goWhereItBegins(known)
  }, [known])
  if (loaded.state === 'failed') {
    return (
      <p className="nothing error-text" role="alert">
        ✖ {loaded.message}
      </p>
    )
  }
  return detail === null ? <Opening of={of} /> : <Loaded detail={detail} tokensFirst={wasWaitedFor} />
}

/** Height in pixels that a finding of one line takes. */
const FINDING_HEIGHT = 26

/** The frame that the rollout will have: how wide its lines are is known when its tokens come. */
function Opening({ of }: { of: RolloutRef }) {
  const wait = useOpening(of)
  const tokens = useRef<HTMLDivElement>(null)
  const outline = useRef<HTMLDivElement>(null)
  const strip = useRef<HTMLCanvasElement>(null)
  const chosen = useFindingsHeight((state) => state.height)
  // One for each code at least. Their list is no higher than the style allows.
  const findings = of.run === 'open' ? (knownRow(of.index)?.codes.length ?? 0) : 0
  useTokenArea(tokens)
  useKeptHeight(outline, OUTLINE)
  useWidth(strip, STRIP)
  return (
    <div className="rollout opening">
      <div className="rollout-top" />
      <div ref={outline} className="outline" />
      <div className="rollout-middle">
        <div className="token-bar" />
        <div ref={tokens} className="tokens">
          <Waiting doing="Opening the rollout" wait={wait} />
        </div>
      </div>
      <div className="token-panel" />
      <div className="rollout-position-map">
        <EmptyStrip place={strip} />
      </div>
      <div className="findings" style={findings > 0 ? { height: chosen ?? findings * FINDING_HEIGHT } : undefined} />
    </div>
  )
}

/** Ids alone, where no tokenizer is known that spells them: the line above says it of the dump, and here the text is missed. */
function Unspelt() {
  const isSpelt = useFiles((files) => files.report === null || files.report.tokenizer.id !== null)
  if (isSpelt) return null
  return (
    <p className="no-tokens" role="note">
      These are ids without their text: nothing in them shows that a known tokenizer made them, and what takes turns or
      texts is not checked.{' '}
      <button type="button" className="link" onClick={() => openDialog('tokenizer')}>
        Choose that of the model…
      </button>
    </p>
  )
}

function EmptyStrip({ place }: { place?: RefObject<HTMLCanvasElement | null> }) {
  return (
    <div className="token-strip">
      <canvas ref={place} />
    </div>
  )
}

function hasIds({ ids }: TrajectoryDetail): boolean {
  return ids !== null && ids.length > 0
}

/** To the first token, or the one that is selected already; not where the rollout was left scrolled. */
function goWhereItBegins(detail: TrajectoryDetail): void {
  const { token, finding, jump } = useSelection.getState()
  if (tokenPlaceOf(detail, jump) !== null) return
  if (token === null) jumpTo(firstToken(detail), null, finding)
  else jumpAgain(detail.states.length)
}

/** @param tokensFirst what stands around the tokens comes in the frame behind the first one: they are what was waited for. Until then its room is empty, as it was while the rollout was being opened. */
function Loaded({ detail, tokensFirst }: { detail: TrajectoryDetail; tokensFirst: boolean }) {
  const isPainted = useDeferredValue(usePaintedFrames(1) > 0)
  const hasSides = isPainted || !tokensFirst
  const tab = useView((state) => state.tab)
  const hasTokens = hasIds(detail)
  const place = useRolloutPlace()
  const answer = useOverlay(detail, hasTokens ? place.overlay : null)
  const overlay = answer.state === 'ready' ? answer.value : null
  const problem = answer.state === 'failed' ? answer.message : null
  const kin = useRelatives(detail)
  const relatives = kin.state === 'ready' ? kin.value : null
  const shown: RolloutTab = hasTokens || !['tokens', 'boundaries', 'render'].includes(tab) ? tab : 'messages'
  return (
    <div className={`rollout${hasTokens ? '' : ' without-tokens'}${shown === 'boundaries' ? ' at-edges' : ''}`}>
      <div className="rollout-top">
        <RolloutHead detail={detail} tab={shown} hasTokens={hasTokens} relatives={relatives} />
        <Branches relatives={relatives} of={detail} />
        {detail.run === 'open' && <RolloutMarks detail={detail} />}
      </div>
      {hasTokens && (hasSides ? <TurnOutline detail={detail} /> : <div className="outline" />)}
      <section className="rollout-middle" role="tabpanel" aria-label={shown}>
        {detail.reconstructed && (
          <p className="reconstructed" role="note">
            <strong>▲ Reconstructed.</strong> This dump has no token ids. These are its messages, rendered through the
            chat template of the tokenizer in the line above: which tokens the loss saw, and how the model split its
            words, nobody recorded.
          </p>
        )}
        {!hasTokens && (
          <p className="no-tokens">
            {detail.ids === null ? 'There are no token ids here' : 'The list of token ids is empty'}: what stands in the
            record can be read, what the loss saw cannot.{' '}
            {detail.ids === null && detail.messages !== null && (
              <button type="button" className="link" onClick={() => openDialog('tokenizer')}>
                Render the texts as tokens…
              </button>
            )}
          </p>
        )}
        {hasTokens && shown === 'tokens' && detail.run === 'open' && <Unspelt />}
        {shown === 'tokens' && (
          <>
            <TokenBar detail={detail} overlay={overlay} problem={problem} />
            <TokenView detail={detail} overlay={overlay} />
          </>
        )}
        {shown === 'boundaries' && (
          <>
            <EdgeBar detail={detail} overlay={overlay} problem={problem} />
            <BoundaryZoom detail={detail} overlay={overlay} />
          </>
        )}
        {shown === 'render' && <CompareView detail={detail} />}
        {shown === 'tools' && <Tools detail={detail} />}
        {shown === 'documents' && <Documents detail={detail} />}
        {shown === 'messages' && <Messages detail={detail} />}
        {shown === 'raw' && <RawRecord detail={detail} />}
      </section>
      {hasTokens && (
        <>
          {hasSides ? <TokenPanel detail={detail} overlay={overlay} /> : <div className="token-panel" />}
          <div className="rollout-position-map">
            {(shown === 'tokens' || shown === 'boundaries') &&
              (overlay !== null ? (
                <PositionChart detail={detail} overlay={overlay} />
              ) : (
                place.overlay !== null && answer.state === 'loading' && <EmptyChart />
              ))}
            {hasSides ? <TokenStrip detail={detail} /> : <EmptyStrip />}
          </div>
        </>
      )}
      <FindingsBar detail={detail} />
    </div>
  )
}
