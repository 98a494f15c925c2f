import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import type { PairQuery, PairRow, PairSort, PairTotals } from '../../../shared/session/requests/compare.ts'
import { saveAnswer } from '../../data/exporting.ts'
import { usePages } from '../../data/pages.ts'
import { usePrintedRows } from '../../data/printing.ts'
import { ask } from '../../engine/engine.ts'
import { useView } from '../../state/view.ts'
import { ABSENT, count, counted, percent, real } from '../../text/numbers.ts'
import { rowsOnPaper } from '../../text/paper-words.ts'
import { DIFFERENCES, narrowPairs, showPair, sortPairs, useComparePlace } from './compare-place.ts'
import { PairOf } from './pair-detail.tsx'
import { pairPages, usePairList } from './pair-list-data.ts'

const ROW_HEIGHT = 28

const DIFFER_WORDS: Readonly<Record<(typeof DIFFERENCES)[number], string>> = {
  tools: 'tools',
  system: 'system text',
  rendering: 'prompt ids only',
  reward: 'mean reward',
  end: 'how many are cut',
  scored: 'scores of the same answers',
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
  const { differ = [] } = place.pairs
  return (
    <div className="pairs-view">
      <div className="compare-filters">
        <span className="quiet">
          {counted(totals.pairs, 'question')} in both · {count(totals.onlyHere)} in the open run only ·{' '}
          {count(totals.onlyThere)} in the second only. Differ in
        </span>
        {DIFFERENCES.map((what) => {
          const known = what === 'reward' || what === 'end' ? null : totals[what === 'scored' ? 'likeAnswers' : what]
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
        <button
          type="button"
          className="button small compare-export"
          onClick={() => void saveAnswer(ask('comparisonExport', { as: 'pairs' }), counted(totals.pairs, 'pair'))}
        >
          Pairs as CSV
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
          <PairTable positions={positions} shown={current} query={place.pairs} table={table} />
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
        {known
          ? `The open run has ${counted(totals.onlyHere, 'question')}, the second ${counted(totals.onlyThere, 'question')}, and none is the same: the measures of both stand beside each other all the same.`
          : 'Questions are found in messages, else in the ids of the first user turn; at least one of the runs has neither (dump them as `messages`).'}
      </p>
    </div>
  )
}

const COLUMNS: readonly {
  readonly title: string
  readonly sort: PairSort | null
  readonly width: string
  readonly says?: string
}[] = [
  { title: 'group', sort: 'order', width: 'minmax(4.4rem, 1fr)' },
  { title: 'n', sort: null, width: '3.6rem', says: 'rollouts in the open and in the second run' },
  { title: 'mean reward', sort: 'reward', width: '8.2rem', says: 'open run → second run' },
  { title: 'tokens', sort: 'length', width: '7.4rem', says: 'mean, open run → second run' },
  { title: 'cut', sort: 'cut', width: '7.6rem', says: 'share of rollouts that a limit cut, open run → second run' },
  { title: 'prompt', sort: null, width: 'minmax(5.4rem, 0.8fr)', says: 'what of the prompts differs' },
]

const TRACKS = COLUMNS.map(({ width }) => width).join(' ')

function PairTable({
  positions,
  shown,
  query: { sort = 'order', descending = false },
  table,
}: {
  positions: Int32Array
  shown: number | null
  query: PairQuery
  table: React.RefObject<HTMLTableElement | null>
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: Math.min(positions.length, 1_000_000),
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    scrollPaddingEnd: ROW_HEIGHT + 1,
    overscan: 12,
  })
  const printed = usePrintedRows(
    positions.length,
    useCallback((most: number) => pairPages.want([...positions.subarray(0, most)]), [positions]),
  )
  const items =
    printed === null ? virtual.getVirtualItems() : Array.from({ length: printed }, (_, index) => ({ index, start: 0 }))
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? -1]
  const wanted = useMemo(() => [...positions.subarray(first, last + 1)], [positions, first, last])
  usePages(pairPages, wanted)
  useEffect(() => {
    const at = shown === null ? -1 : positions.indexOf(shown)
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' })
  }, [shown, positions, virtual])
  return (
    <div className="group-window">
      {printed !== null && (
        <p className="print-only">
          {rowsOnPaper(printed, positions.length, pairPages.missing(positions.subarray(0, printed)))}
        </p>
      )}
      <div ref={scroller} className="group-scroller">
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys never take the focus from the table */}
        <table
          ref={table}
          className="group-table pair-table"
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows are chosen
          role="grid"
          aria-label="Questions that both runs have"
          aria-rowcount={positions.length + 1}
          tabIndex={0}
          // Only a row that is drawn can be named.
          aria-activedescendant={shown !== null && wanted.includes(shown) ? `pair-${shown}` : undefined}
          onClick={(event) => event.detail > 0 && event.currentTarget.focus({ preventScroll: true })}
        >
          <thead>
            <tr aria-rowindex={1} className="group-row" style={{ gridTemplateColumns: TRACKS }}>
              {COLUMNS.map((column) => {
                const order = column.sort !== sort ? 'none' : descending ? 'descending' : 'ascending'
                return (
                  <th
                    key={column.title}
                    scope="col"
                    className="group-cell"
                    title={column.says}
                    aria-sort={column.sort === null ? undefined : order}
                  >
                    {column.sort === null ? (
                      column.title
                    ) : (
                      <button type="button" className="sort" onClick={() => sortPairs(column.sort as PairSort)}>
                        {column.title}
                        <span aria-hidden="true" className="sort-glyph">
                          {{ none: '', ascending: ' ▲', descending: ' ▼' }[order]}
                        </span>
                      </button>
                    )}
                  </th>
                )
              })}
            </tr>
          </thead>
          <tbody style={{ height: virtual.getTotalSize() }}>
            {items.map((item) => {
              const position = positions[item.index] as number
              const row = pairPages.get(position)
              return (
                <tr
                  key={position}
                  id={`pair-${position}`}
                  aria-rowindex={item.index + 2}
                  aria-selected={position === shown}
                  className={`group-row${position === shown ? ' selected' : ''}`}
                  style={{ transform: `translateY(${item.start}px)`, gridTemplateColumns: TRACKS }}
                  onClick={() => showPair(position)}
                >
                  {row === null ? <td className="group-cell quiet">…</td> : <PairCells row={row} />}
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </div>
  )
}

function PairCells({ row: { position, group, here, there, tools, system, rendering } }: { row: PairRow }) {
  const differs = [...(tools ? ['tools'] : []), ...(system ? ['system'] : []), ...(rendering ? ['ids'] : [])]
  const share = (value: number | null) => (value === null ? ABSENT : percent(value))
  const number = (value: number | null) => (value === null ? ABSENT : real(Number(value.toPrecision(3))))
  return (
    <>
      <td className="group-cell">{group ?? `question ${count(position + 1)}`}</td>
      <td className="group-cell">
        {count(here.rollouts)} · {count(there.rollouts)}
      </td>
      <td className="group-cell">
        <Change from={number(here.reward)} to={number(there.reward)} />
      </td>
      <td className="group-cell">
        <Change
          from={here.tokens === null ? ABSENT : count(here.tokens)}
          to={there.tokens === null ? ABSENT : count(there.tokens)}
        />
      </td>
      <td className="group-cell">
        <Change from={share(here.cut)} to={share(there.cut)} />
      </td>
      <td className="group-cell">
        {differs.length > 0 ? (
          <span className="warn-text">
            <span aria-hidden="true">▲</span> {differs.join(', ')}
          </span>
        ) : tools === null && system === null ? (
          <span className="quiet">not told</span>
        ) : (
          <span className="quiet">same</span>
        )}
      </td>
    </>
  )
}

function Change({ from, to }: { from: string; to: string }) {
  if (from === to) return <span className="quiet">{from}</span>
  return (
    <>
      {from} <span className="quiet">→</span> {to}
    </>
  )
}
