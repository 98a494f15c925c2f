import { useEffect, useRef } from 'react'
import type { PairRow, PairSort, PairTotals } from '../../../shared/session/requests/compare.ts'
import { WithCode } from '../../app/with-code.tsx'
import { type ListColumn, PositionList } from '../../lists/position-list.tsx'
import { useView } from '../../state/view.ts'
import { ABSENT, count, counted, inDecimals, percentOfColumn } from '../../text/numbers.ts'
import { shownId } from '../../text/visible.ts'
import { DIFFERENCES, narrowPairs, showPair, sortPairs, useComparePlace } from './compare-place.ts'
import { PairOf } from './pair-detail.tsx'
import { pairPages, usePairList } from './pair-list-data.ts'
import { saveComparison } from './save-comparison.ts'

const DIFFER_WORDS: Readonly<Record<(typeof DIFFERENCES)[number], string>> = {
  words: 'words of the question',
  tools: 'tools',
  system: 'system text',
  rendering: 'prompt ids only',
  opening: 'how the prompt begins the answer',
  replies: 'role of tool replies',
  reward: 'mean reward',
  end: 'how many are cut',
  scored: 'scores of the same answers',
}

/** Of how many pairs it is known whether they differ in this, and how many do; null where that is not counted, or not told. */
function countFor(what: (typeof DIFFERENCES)[number], totals: PairTotals): PairTotals['tools'] {
  if (what === 'reward' || what === 'end') return null
  if (what === 'words') return { checked: totals.pairs, affected: totals.words }
  return totals[what === 'scored' ? 'likeAnswers' : what]
}

/** The questions that both runs have, and the chosen one in both. */
export function Pairs({ totals }: { totals: PairTotals }) {
  const place = useComparePlace()
  const positions = usePairList(place.pairs)
  const shown = useView((state) => state.shown)
  const table = useRef<HTMLTableElement>(null)
  const isEmpty = positions === null || positions.length === 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus is given once for each time the view is shown
  useEffect(() => table.current?.focus({ preventScroll: true }), [shown, isEmpty])
  if (totals.pairs === 0) return <NoPairs totals={totals} />
  const current = place.pair !== null && place.pair < totals.pairs ? place.pair : (positions?.[0] ?? null)
  const { differ = [], sort = 'order', descending = false } = place.pairs
  return (
    <div className="pairs-view">
      <div className="compare-filters">
        <span className="quiet">
          {counted(totals.pairs, 'question')} in both · {count(totals.onlyHere)} in the open run only ·{' '}
          {count(totals.onlyThere)} in the second only. Differ in
        </span>
        {DIFFERENCES.map((what) => {
          const known = countFor(what, totals)
          const isOn = differ.includes(what)
          return (
            <button
              key={what}
              type="button"
              className="chip"
              aria-pressed={isOn}
              title={
                known === null && what !== 'reward' && what !== 'end' ? 'One of the runs does not tell' : undefined
              }
              onClick={() => narrowPairs(isOn ? differ.filter((other) => other !== what) : [...differ, what])}
            >
              {DIFFER_WORDS[what]}
              {known !== null && (
                <span className="chip-count">
                  {' '}
                  {count(known.affected)} of {count(known.checked)}
                </span>
              )}
            </button>
          )
        })}
        <button type="button" className="button small compare-export" onClick={() => saveComparison('pairs')}>
          Save the pairs…
        </button>
      </div>
      <div className="pair-columns">
        {positions === null ? (
          <p className="nothing quiet">Pairing…</p>
        ) : positions.length === 0 ? (
          <div className="nothing">
            <p>No pair differs in {differ.map((what) => DIFFER_WORDS[what]).join(' and ')}.</p>
            <button type="button" className="button" onClick={() => narrowPairs([])}>
              Show all {count(totals.pairs)}
            </button>
          </div>
        ) : (
          <PositionList
            name="pair"
            label="Questions that both runs have"
            positions={positions}
            pages={pairPages}
            columns={COLUMNS}
            order={{ sort, descending }}
            question={JSON.stringify(place.pairs)}
            shown={current}
            table={table}
            onSort={sortPairs}
            onChoose={showPair}
          />
        )}
        <div className="group-pane">
          {current !== null && <PairOf position={current} here={place.here} there={place.there} />}
        </div>
      </div>
    </div>
  )
}

function NoPairs({ totals }: { totals: PairTotals }) {
  const known = totals.onlyHere > 0 && totals.onlyThere > 0
  return (
    <div className="nothing">
      <p>No question is in both runs.</p>
      <p className="quiet">
        {known ? (
          `The open run has ${counted(totals.onlyHere, 'question')}, the second ${counted(totals.onlyThere, 'question')}, and none is the same: the measures of both stand beside each other all the same.`
        ) : (
          <WithCode text="Questions are found in messages, else in the ids of the first user turn; at least one of the runs has neither (dump them as `messages`)." />
        )}
      </p>
    </div>
  )
}

/** Of means: rows come as they are scrolled to, so that no column is known whole. */
const DECIMALS = 3

const COLUMNS: readonly ListColumn<PairRow, PairSort>[] = [
  {
    title: 'group',
    sort: 'order',
    width: 'minmax(4.4rem, 1fr)',
    cell: ({ position, group }) => (group === null ? `question ${count(position + 1)}` : shownId(group)),
  },
  {
    title: 'n',
    sort: null,
    width: '3.6rem',
    says: 'rollouts in the open and in the second run',
    cell: ({ here, there }) => `${count(here.rollouts)} · ${count(there.rollouts)}`,
  },
  {
    title: 'mean reward',
    sort: 'reward',
    width: '8.2rem',
    says: 'open run → second run',
    cell: ({ here, there }) => (
      <Change from={inDecimals(here.reward, DECIMALS)} to={inDecimals(there.reward, DECIMALS)} />
    ),
  },
  {
    title: 'tokens',
    sort: 'length',
    width: '7.4rem',
    says: 'mean, open run → second run',
    cell: ({ here, there }) => <Change from={tokens(here.tokens)} to={tokens(there.tokens)} />,
  },
  {
    title: 'cut',
    sort: 'cut',
    width: '7.6rem',
    says: 'share of rollouts that a limit cut, open run → second run',
    cell: ({ here, there }) => <Change from={share(here.cut)} to={share(there.cut)} />,
  },
  {
    title: 'prompt',
    sort: null,
    width: 'minmax(5.4rem, 0.8fr)',
    says: 'what of the prompts differs',
    cell: (row) => <Prompt row={row} />,
  },
]

function share(value: number | null): string {
  return value === null ? ABSENT : percentOfColumn(value)
}

function tokens(value: number | null): string {
  return value === null ? ABSENT : count(value)
}

function Prompt({ row: { words, tools, system, rendering, opening, replies } }: { row: PairRow }) {
  const differs = [
    ...(words ? ['words'] : []),
    ...(tools ? ['tools'] : []),
    ...(system ? ['system'] : []),
    ...(rendering ? ['ids'] : []),
    ...(opening ? ['opening'] : []),
    ...(replies ? ['replies'] : []),
  ]
  if (differs.length > 0) {
    return (
      <span className="warn-text">
        <span aria-hidden="true">▲</span> {differs.join(', ')}
      </span>
    )
  }
  return <span className="quiet">{tools === null && system === null ? 'not told' : 'same'}</span>
}

function Change({ from, to }: { from: string; to: string }) {
  if (from === to) return <span className="quiet">{from}</span>
  return (
    <>
      {from} <span className="quiet">→</span> {to}
    </>
  )
}
