import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef, useState } from 'react'
import { END_WORDS } from '../../../shared/checks/texts/end-words.ts'
import { TOKEN_STATE_NAMES } from '../../../shared/model/tokens.ts'
import type { AlignedSide, Alignment, RolloutRef } from '../../../shared/session/requests/compare.ts'
import { WaitingForAnother } from '../../app/under-way.tsx'
import { Waiting } from '../../app/waiting.tsx'
import { openRollout, openSecond } from '../../commands/go.ts'
import { useOverscan } from '../../data/printing.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { count, counted, percent, real } from '../../text/numbers.ts'
import { rolloutName } from '../../text/rollout-name.ts'
import { spelt, WHOLE_ID } from '../../text/visible.ts'
import { TokenGlyphs } from '../rollout/lines.tsx'
import { type AlignedRow, alignedRows, turnWords } from './alignment-rows.ts'

/** Two rollouts side by side, token by token, or word by word where ids are missing: what both begin with, where they part, what each has that the other has not. */
export function SideBySide({
  left,
  right,
  names,
}: {
  left: RolloutRef
  right: RolloutRef
  names: readonly [string, string]
}) {
  const answer = useAnswer('alignment', { left, right })
  if (answer.state === 'failed') {
    return (
      <p className="error-text" role="alert">
        ✖ {answer.message}
      </p>
    )
  }
  const doing = 'Laying them side by side'
  const isOfOthers = answer.state === 'ready' && !(isOf(answer.value.left, left) && isOf(answer.value.right, right))
  if (answer.state === 'loading' || (isOfOthers && answer.wait.isStopped)) {
    return <Waiting doing={doing} wait={answer.wait} />
  }
  return (
    <>
      {isOfOthers && <WaitingForAnother doing={doing} wait={answer.wait} />}
      <Aligned key={`${left.run}${left.index} ${right.run}${right.index}`} alignment={answer.value} names={names} />
    </>
  )
}

function isOf({ of }: AlignedSide, { run, index }: RolloutRef): boolean {
  return of.run === run && of.index === index
}

function Aligned({ alignment, names }: { alignment: Alignment; names: readonly [string, string] }) {
  const { left, right, hunks } = alignment
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const rows = useMemo(() => alignedRows(alignment, open), [alignment, open])
  const scroller = useRef<HTMLElement>(null)
  const [at, setAt] = useState(-1)
  const overscan = useOverscan(6)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (rows[index]?.kind === 'differs' || rows[index]?.kind === 'same' ? 72 : 26),
    overscan,
  })
  const differences = useMemo(
    () => rows.flatMap((row, index) => (row.kind === 'differs' && rows[index - 1]?.kind !== 'differs' ? index : [])),
    [rows],
  )
  const go = (step: 1 | -1) => {
    const next = Math.max(0, Math.min(differences.length - 1, at + step))
    setAt(next)
    const row = differences[next]
    if (row !== undefined) virtual.scrollToIndex(row, { align: 'start' })
  }
  if (left.states.length === 0 || right.states.length === 0) {
    return (
      <p className="quiet">One of them has neither token ids nor messages, so there is nothing to lay side by side.</p>
    )
  }
  return (
    <div className="aligned">
      <Summary alignment={alignment} />
      <div className="aligned-tools">
        <button type="button" className="button small" disabled={hunks.length === 0} onClick={() => go(-1)}>
          ↑ previous difference
        </button>
        <button type="button" className="button small" disabled={hunks.length === 0} onClick={() => go(1)}>
          ↓ next difference
        </button>
        <span className="quiet">
          {hunks.length === 0
            ? ''
            : at >= 0
              ? `${count(at + 1)} of ${count(differences.length)}`
              : counted(differences.length, 'difference')}
        </span>
      </div>
      <div className="aligned-heads">
        <SideHead side={left} name={names[0]} by={alignment.by} />
        <SideHead side={right} name={names[1]} by={alignment.by} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the list is scrolled with the keyboard */}
      <section ref={scroller} className="aligned-window" aria-label="Both rollouts side by side" tabIndex={0}>
        <div className="aligned-body" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index] as AlignedRow
            return (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                className={`aligned-row ${row.kind}`}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <RowOf alignment={alignment} row={row} onUnfold={(from) => setOpen(new Set([...open, from]))} />
              </div>
            )
          })}
        </div>
      </section>
    </div>
  )
}

function RowOf({
  alignment: { left, right },
  row,
  onUnfold,
}: {
  alignment: Alignment
  row: AlignedRow
  onUnfold(from: number): void
}) {
  if (row.kind === 'turn') {
    return (
      <>
        <div className="aligned-turn">{row.left}</div>
        <div className="aligned-turn">{row.right}</div>
      </>
    )
  }
  if (row.kind === 'fold') {
    const [start, end] = row.left
    return (
      <button type="button" className="aligned-fold" onClick={() => onUnfold(start)}>
        ⋯ {counted(end - start, unitName(left, right))} the same <span className="link">show</span>
      </button>
    )
  }
  return (
    <>
      <Units side={left} range={row.left} />
      <Units side={right} range={row.right} />
    </>
  )
}

function unitName(left: AlignedSide, right: AlignedSide): string {
  return left.ids === null || right.ids === null ? 'word' : 'token'
}

function Units({ side, range: [start, end] }: { side: AlignedSide; range: readonly [number, number] }) {
  const units = Array.from({ length: end - start }, (_, at) => start + at)
  if (units.length === 0) return <div className="aligned-cell empty">nothing here</div>
  return (
    <div className="aligned-cell">
      {units.map((unit) => (
        <span
          key={unit}
          className={`token ${TOKEN_STATE_NAMES[side.states[unit] as number] ?? 'unknown'}`}
          title={spelt(titleOf(side, unit))}
        >
          <TokenGlyphs text={textOf(side, unit)} />
        </span>
      ))}
    </div>
  )
}

function textOf({ text, textOffsets, ids }: AlignedSide, unit: number): string {
  const own = text.slice(textOffsets[unit], textOffsets[unit + 1])
  // A token that spells nothing, or the rest of a character, is still there.
  return own === '' ? `⟨${ids?.[unit] ?? ''}⟩` : own
}

function titleOf({ ids, from, states }: AlignedSide, unit: number): string {
  if (ids === null) return `word ${unit}`
  return `token ${from + unit} · id ${ids[unit]} · ${TOKEN_STATE_NAMES[states[unit] as number] ?? 'unknown'}`
}

function SideHead({ side, name, by }: { side: AlignedSide; name: string; by: Alignment['by'] }) {
  const units = side.states.length
  return (
    <div className="aligned-head">
      <span className="quiet">{name}</span>{' '}
      <button
        type="button"
        className="link aligned-id"
        title={rolloutName(side, WHOLE_ID)}
        onClick={() => (side.of.run === 'open' ? openRollout(side.of.index) : openSecond(side.of.index))}
      >
        {rolloutName(side)}
      </button>
      <span className="aligned-facts">
        reward {real(side.reward)} · {counted(units, by === 'words' ? 'word' : 'token')} ·{' '}
        {side.end.startsWith('cut') ? '✂ ' : ''}
        {END_WORDS[side.end]}
      </span>
    </div>
  )
}

/** Where they part, in words. */
function Summary({ alignment }: { alignment: Alignment }) {
  const { left, right, hunks, prefix, by } = alignment
  const unit = by === 'words' ? 'word' : 'token'
  const how = {
    ids: '',
    texts: ' Two tokenizers made them, so the texts of their tokens are compared.',
    words: ' At least one has no token ids, so their messages are compared word by word.',
  }[by]
  const [first] = hunks
  if (first === undefined) {
    return (
      <p>
        Both are the same, {counted(prefix, unit)} long.{how}
      </p>
    )
  }
  const differing = hunks.reduce((sum, hunk) => sum + hunk.left[1] - hunk.left[0], 0)
  const share = left.states.length === 0 ? 0 : 1 - differing / left.states.length
  const [a, b] = [excerpt(left, first.left), excerpt(right, first.right)]
  const turn = turnWords(left, prefix)
  return (
    <p>
      {prefix === 0 ? (
        <>They differ from the first {unit} on</>
      ) : (
        <>
          They begin with the same {counted(prefix, unit)} and part{turn === null ? '' : ` in ${turn}`}
        </>
      )}
      : {a === null ? 'the left one has nothing there' : <q>{a}</q>} against{' '}
      {b === null ? 'nothing on the right' : <q>{b}</q>}. {percent(share)} of the left one stands in the right one, in
      the same order.{how}
    </p>
  )
}

const EXCERPT = 60

function excerpt({ text, textOffsets }: AlignedSide, [start, end]: readonly [number, number]): string | null {
  if (start === end) return null
  const own = text.slice(textOffsets[start], textOffsets[end])
  return spelt(own.length > EXCERPT ? `${own.slice(0, EXCERPT)}…` : own)
}
