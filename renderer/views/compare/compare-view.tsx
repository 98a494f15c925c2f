import { useRef } from 'react'
import type { RunComparison, RunSide } from '../../../shared/session/requests/compare.ts'
import { useSecondName } from '../../app/second-run.tsx'
import { tabByKey } from '../../app/tab-keys.ts'
import { useChosenFocus } from '../../app/use-chosen-focus.ts'
import { Waiting } from '../../app/waiting.tsx'
import { useObservable } from '../../data/observable.ts'
import { chooseSecond, pickSecond } from '../../data/opening.ts'
import { takeSecondAway } from '../../data/second.ts'
import { servedFolder } from '../../data/served-folder.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { useKeptScroll } from '../../lists/use-kept-scroll.ts'
import { useScrollFocus } from '../../lists/use-scroll-focus.ts'
import { useFiles } from '../../state/files.ts'
import { useSecond } from '../../state/second.ts'
import { openDialog } from '../../state/view.ts'
import { bytes, count, counted } from '../../text/numbers.ts'
import { runName } from '../../text/run-name.ts'
import { spelt } from '../../text/visible.ts'
import { HypothesisLine } from '../verdicts/hypotheses.tsx'
import { AnyTwo } from './any-two.tsx'
import { COMPARE_TABS, type CompareTab, showTab, useComparePlace } from './compare-place.ts'
import { Curves } from './curves.tsx'
import { Measures } from './measures.tsx'
import { Pairs } from './pairs.tsx'
import { saveComparison } from './save-comparison.ts'
import { swapRuns } from './swap.ts'

/** Two runs beside each other: every measure, and the questions that both have. */
export function CompareView() {
  const run = useSecond((state) => state.run)
  const { tab } = useComparePlace()
  // In a narrow window all of it is scrolled; each tab begins at its top.
  const scroller = useRef<HTMLDivElement>(null)
  useKeptScroll(scroller, `compare whole ${tab}`, run !== null)
  return (
    <div ref={scroller} className="compare">
      <h1 className="visually-hidden">Compare</h1>
      {run === null ? <NoSecond /> : <Both />}
    </div>
  )
}

/** What to give, and how far reading it is. */
function NoSecond() {
  const { chosen, progress } = useSecond()
  const name = useSecondName()
  const served = useObservable(servedFolder)
  const isReading = useFiles((files) => files.phase === 'reading')
  if (chosen !== null) {
    const { bytesRead = 0, bytesTotal = 0, trajectories = 0 } = progress ?? {}
    return (
      <div className="compare-reading" role="status">
        <p>
          {isReading && progress === null ? 'The open run is read to its end first, then ' : 'Reading '}
          <strong>{name}</strong>
        </p>
        <progress aria-label="Read" max={Math.max(1, bytesTotal)} value={bytesRead} />
        <p className="quiet">
          {bytes(bytesRead)} of {bytes(bytesTotal)}, {counted(trajectories, 'rollout')}
        </p>
        <button type="button" className="button" onClick={() => void takeSecondAway()}>
          Stop
        </button>
      </div>
    )
  }
  return (
    <div className="compare-drop">
      <h2>Drop a second run here</h2>
      <p>
        or anywhere below the first line of the window; or{' '}
        <button type="button" className="button" onClick={() => void pickSecond('files')}>
          Choose files…
        </button>{' '}
        <button type="button" className="button" onClick={() => void pickSecond('folder')}>
          Choose a folder…
        </button>
        {served !== null && (
          <>
            {' '}
            <button type="button" className="button" onClick={() => openDialog('second')}>
              Choose in {spelt(served.name)}…
            </button>
          </>
        )}
      </p>
      <ul className="compare-uses">
        <li>
          <strong>training and evaluation of the same questions</strong>: are the prompts, the ends and the scores the
          same? (H08)
        </li>
        <li>
          <strong>a single-turn run with the same trainer</strong>: does it learn (H06-library), do the faults come with
          the second turn? (H07)
        </li>
        <li>
          <strong>before and after a fix, LoRA and full</strong>: what changed, and what is chance?
        </li>
      </ul>
      <p className="quiet">
        It is read under the settings of the open run. A log of a run (trainer_state.json, a metrics table, TensorBoard)
        will do for what goes by step.
      </p>
    </div>
  )
}

function Both() {
  const answer = useAnswer('comparison', {})
  const { tab } = useComparePlace()
  if (answer.state === 'failed') {
    return (
      <p className="nothing error-text" role="alert">
        ✖ {answer.message}
      </p>
    )
  }
  if (answer.state === 'loading') return <Waiting doing="Comparing the two runs" wait={answer.wait} />
  const comparison = answer.value
  return (
    <>
      <div className="compare-head">
        <Runs comparison={comparison} />
        <Tabs comparison={comparison} tab={tab} />
        <Tools />
      </div>
      <div className="compare-body" role="tabpanel" aria-label={tab}>
        {tab === 'measures' && (
          <Scrolled className="compare-measures" name="compare measures">
            <Conclusion conclusion={comparison.conclusion} />
            <ul className="verdict-lines compare-verdicts">
              {comparison.together.map((result) => (
                <HypothesisLine key={result.id} result={result} view="compare" />
              ))}
            </ul>
            <Measures comparison={comparison} />
          </Scrolled>
        )}
        {tab === 'curves' && <Curves comparison={comparison} />}
        {tab === 'pairs' && <Pairs totals={comparison.pairs} />}
        {tab === 'rollouts' && <AnyTwo comparison={comparison} />}
      </div>
    </>
  )
}

/** What differs, what that decides, and why it may come of something else. */
function Conclusion({ conclusion: { caveats, differs, decides } }: Pick<RunComparison, 'conclusion'>) {
  return (
    <section className="compare-conclusion" aria-label="What the comparison comes to">
      <p>
        <strong>What differs.</strong> {spelt(differs)}
      </p>
      <p>
        <strong>What that decides.</strong> {spelt(decides)}
      </p>
      {caveats.length > 0 && (
        <ul className="compare-caveats">
          {caveats.map((caveat) => (
            <li key={caveat}>
              <span aria-hidden="true">▲</span> {spelt(caveat)}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Scrolled({ className, name, children }: { className: string; name: string; children: React.ReactNode }) {
  const scroller = useRef<HTMLDivElement>(null)
  useKeptScroll(scroller, name)
  useScrollFocus(scroller)
  return (
    <div ref={scroller} className={className} tabIndex={-1}>
      {children}
    </div>
  )
}

function Runs({ comparison: { here, there } }: { comparison: RunComparison }) {
  const sources = useFiles((files) => files.sources)
  const chosen = useSecond((state) => state.chosen) ?? []
  return (
    <header className="compare-runs">
      <Run side={here} kind="open run" name={runName(sources)} />
      <Run side={there} kind="second run" name={runName(chosen)} />
    </header>
  )
}

/** What can be done with both runs. */
function Tools() {
  return (
    <div className="compare-tools">
      <button
        type="button"
        className="button small"
        title="The second run becomes the open one"
        onClick={() => void swapRuns()}
      >
        ⇄ Swap
      </button>
      <button type="button" className="button small" onClick={chooseSecond}>
        Other files…
      </button>
      <button type="button" className="button small" onClick={() => void takeSecondAway()}>
        Take it away
      </button>
      <button type="button" className="button small" onClick={() => saveComparison('measures')}>
        Save…
      </button>
    </div>
  )
}

function Run({ side, kind, name }: { side: RunSide; kind: string; name: string }) {
  return (
    <div className={kind === 'open run' ? 'compare-run open' : 'compare-run second'}>
      <span className="compare-key" aria-hidden="true" /> <span className="quiet">{kind}</span>{' '}
      <strong title={spelt(side.names.join(', '))}>{name}</strong>
      <span className="quiet compare-run-facts">
        {counted(side.rollouts, 'rollout')} · {counted(side.groups, 'group')} · {count(side.tokens)} tokens ·{' '}
        {side.tokenizer ?? 'no tokenizer'}
        {side.model !== null && <> · {spelt(side.model)}</>}
      </span>
    </div>
  )
}

const TAB_WORDS: Readonly<Record<CompareTab, string>> = {
  measures: 'Measures',
  curves: 'Distributions and steps',
  pairs: 'Same questions',
  rollouts: 'Any two rollouts',
}

function Tabs({ comparison: { measures, pairs }, tab }: { comparison: RunComparison; tab: CompareTab }) {
  const differing = measures.filter(({ distance, isSure }) => distance !== null && distance > 0 && isSure !== false)
  const notes: Readonly<Record<CompareTab, string>> = {
    measures: `${count(differing.length)} differ`,
    curves: '',
    pairs: count(pairs.pairs),
    rollouts: '',
  }
  const tabs = useRef<HTMLDivElement>(null)
  useChosenFocus(tabs, tab)
  const press = (event: React.KeyboardEvent) => {
    const next = tabByKey(event.key, COMPARE_TABS, tab)
    if (next === null) return
    event.preventDefault()
    showTab(next)
  }
  return (
    <div
      ref={tabs}
      className="segmented compare-tabs"
      role="tablist"
      aria-label="Comparison"
      tabIndex={-1}
      onKeyDown={press}
    >
      {COMPARE_TABS.map((each) => (
        <button
          key={each}
          type="button"
          role="tab"
          tabIndex={each === tab ? 0 : -1}
          aria-selected={each === tab}
          onClick={() => showTab(each)}
        >
          {TAB_WORDS[each]} <span className="chip-count">{notes[each]}</span>
        </button>
      ))}
    </div>
  )
}
