import { useState } from 'react'
import { SCHEME_FORMULAS } from '../../../shared/checks/groups/scheme-formulas.ts'
import { SCHEME_NAMES } from '../../../shared/checks/groups/scheme-words.ts'
import { END_WORDS } from '../../../shared/checks/texts/end-words.ts'
import type { GroupDetail, GroupMember, GroupScheme } from '../../../shared/session/requests/groups.ts'
import { LongId } from '../../app/long-id.tsx'
import { openRollout } from '../../commands/go.ts'
import { ABSENT, allDigits, count, decimalsOf, inDecimals, percent, real } from '../../text/numbers.ts'
import { shownId, wholeId } from '../../text/visible.ts'
import { useMedia } from '../rollout/use-canvas.ts'
import { COLUMN_WORDS, MARK_WORDS } from './group-words.ts'
import { chooseSibling, layBeside } from './groups-place.ts'

/**
 * Schemes that stand beside what is stored unless all are asked for, where there is room for others than the one in use; the reward itself
 * has a column of its own.
 */
const USUAL: readonly GroupScheme['scheme'][] = ['group-std-unbiased', 'batch-std', 'centre']

/** Codes that a row has room for; the others are counted, and named where the pointer rests. */
const MOST_CODES = 3
const MOST_CODES_NARROW = 2

/** The rollouts of a group with the advantages that each scheme would give them. */
export function SiblingTable({
  detail,
  chosen,
  beside,
}: {
  detail: GroupDetail
  chosen: number | null
  beside: number | null
}) {
  const [isAll, setAll] = useState(false)
  const { members, schemes } = detail
  const isNarrow = useMedia('screen and (max-width: 1100px)')
  const usual = !isNarrow ? USUAL : schemes.some(({ inUse }) => inUse) ? [] : USUAL.slice(0, 1)
  const shown = schemes
    .map((scheme, at) => ({ ...scheme, at }))
    .filter(({ scheme, inUse }) => isAll || inUse || usual.includes(scheme))
    .sort((a, b) => order(a) - order(b))
  const decimals = {
    reward: decimalsOf(members.map(({ row }) => row.facts.reward)),
    // Made to be laid beside each other, across columns too.
    advantage: decimalsOf(
      members.flatMap(({ row, advantages }) => [
        row.facts.advantage,
        ...shown.map(({ at }) => advantages?.[at] ?? null),
      ]),
    ),
  }
  // Twice the same numbers, where there is room for only one of them.
  const showsStored = isAll || !isNarrow || !schemes.some(isAsStored)
  const hasStored = members.some(({ row }) => row.facts.advantage !== null)
  return (
    <section aria-labelledby="siblings">
      <div className="group-section-head">
        <h3 id="siblings">Rollouts and their advantages</h3>
        <button type="button" className="link" aria-pressed={isAll} onClick={() => setAll(!isAll)}>
          {isAll ? 'fewer schemes' : `all ${schemes.length} schemes`}
        </button>
      </div>
      <div className="sibling-scroll">
        <table className="sibling-table">
          <thead>
            <tr>
              <th scope="col">rollout</th>
              <th scope="col">
                <span className="visually-hidden">lay beside the chosen one</span>
              </th>
              <th scope="col" className="number">
                reward
              </th>
              {showsStored && (
                <th scope="col" className="number" title={COLUMN_WORDS.stored.what}>
                  stored
                </th>
              )}
              {shown.map((scheme) => (
                <SchemeHead key={scheme.scheme} scheme={scheme} isStored={!showsStored && isAsStored(scheme)} />
              ))}
              <th scope="col" className="number">
                tokens
              </th>
              <th scope="col" className="number" title={COLUMN_WORDS.trained.what}>
                trained
              </th>
              <th scope="col">{isNarrow ? 'end, findings' : 'end'}</th>
              {!isNarrow && <th scope="col">findings</th>}
            </tr>
          </thead>
          <tbody>
            {members.map((member) => (
              <SiblingRow
                key={member.row.index}
                member={member}
                members={members}
                shown={shown}
                isNarrow={isNarrow}
                showsStored={showsStored}
                decimals={decimals}
                isChosen={member.row.index === chosen}
                isBeside={member.row.index === beside}
              />
            ))}
          </tbody>
        </table>
      </div>
      {detail.membersOmitted > 0 && (
        <p className="quiet">
          {count(detail.membersOmitted)} more are in this group. The saved table and the exports hold all of them.
        </p>
      )}
      {!hasStored && (
        <p className="quiet">
          This dump stores no advantage (dump it as <code>advantage</code>): what the trainer did is not known.
        </p>
      )}
    </section>
  )
}

function order({ scheme }: GroupScheme): number {
  const at = USUAL.indexOf(scheme)
  return at === -1 ? USUAL.length : at
}

/** Whether the advantages of a scheme are those that are stored, to the digits that are shown. */
function isAsStored({ inUse, residual }: GroupScheme): boolean {
  return inUse && residual !== null && residual <= 1e-4
}

/** @param props.isStored the column stands for what is stored as well */
function SchemeHead({
  scheme: { scheme, eps, residual, inUse },
  isStored,
}: {
  scheme: GroupScheme
  isStored: boolean
}) {
  const fits = residual !== null && residual <= 0.01
  return (
    <th
      scope="col"
      className={inUse ? 'number scheme in-use' : 'number scheme'}
      title={`${SCHEME_FORMULAS[scheme]}${eps === null ? '' : `, eps ${real(eps)}`}${
        residual === null ? '' : `. Differs from the stored ones by ${percent(residual)} of the largest`
      }`}
    >
      {SCHEME_NAMES[scheme]}
      <span className="scheme-note">
        {inUse && <span>in use{residual !== null && ' ·'} </span>}
        {residual !== null && (
          <span>
            {isStored
              ? '✓ as stored'
              : fits
                ? '✓ fits'
                : residual < 1
                  ? `off by ${percent(residual)}`
                  : '✗ does not fit'}
          </span>
        )}
      </span>
    </th>
  )
}

function SiblingRow({
  member: { row, advantages, untrained, copyOf },
  members,
  shown,
  isNarrow,
  showsStored,
  decimals,
  isChosen,
  isBeside,
}: {
  member: GroupMember
  members: readonly GroupMember[]
  shown: readonly (GroupScheme & { readonly at: number })[]
  /** What is found stands below how it ends then, for which there is room. */
  isNarrow: boolean
  showsStored: boolean
  decimals: { readonly reward: number; readonly advantage: number }
  isChosen: boolean
  isBeside: boolean
}) {
  const { index, facts, codes } = row
  const original = copyOf === null ? null : members[copyOf]
  return (
    <tr
      className={`sibling${isChosen ? ' selected' : ''}${isBeside ? ' beside' : ''}`}
      aria-current={isChosen ? 'true' : undefined}
      onClick={() => chooseSibling(index)}
      onDoubleClick={() => openRollout(index)}
    >
      <th scope="row">
        <button type="button" className="link sibling-id" title={wholeId(facts.id)} onClick={() => openRollout(index)}>
          <LongId id={facts.id} />
        </button>
        {original !== undefined && original !== null && (
          <span className="group-mark" title={`The same tokens as ${shownId(original.row.facts.id, 200)}`}>
            {' '}
            <span aria-hidden="true">{MARK_WORDS.copies.glyph}</span>
            <span className="visually-hidden">copy</span>
          </span>
        )}
      </th>
      <td>
        <button
          type="button"
          className="beside-button"
          aria-pressed={isBeside}
          aria-label={`Lay ${shownId(facts.id, 80)} beside the chosen rollout, token by token`}
          title="Lay it beside the chosen rollout, token by token"
          disabled={isChosen}
          onClick={(event) => {
            event.stopPropagation()
            layBeside(isBeside ? null : index)
          }}
        >
          ⇆
        </button>
      </td>
      <Exact value={facts.reward} decimals={decimals.reward} className="number" />
      {showsStored && <Exact value={facts.advantage} decimals={decimals.advantage} className="number stored" />}
      {shown.map(({ scheme, at, inUse }) => (
        <Exact
          key={scheme}
          value={withoutRounding(advantages?.[at] ?? null)}
          decimals={decimals.advantage}
          className={inUse ? 'number in-use' : 'number'}
        />
      ))}
      <td className="number">{facts.realLength > 0 ? count(facts.realLength) : ABSENT}</td>
      <td className="number">
        {untrained ? (
          <span
            className="warn-text"
            title={
              codes.includes('C04')
                ? 'Trains nothing, and its reward was counted in the baseline (C04)'
                : 'Trains nothing; the stored advantages do not show that its reward was counted'
            }
          >
            <span aria-hidden="true">{MARK_WORDS.untrained.glyph}</span> 0
          </span>
        ) : facts.trained === null ? (
          ABSENT
        ) : (
          count(facts.trained)
        )}
      </td>
      <td className={isNarrow ? 'sibling-end' : undefined}>
        {facts.endReason.startsWith('cut') && <span aria-hidden="true">✂ </span>}
        {END_WORDS[facts.endReason]}
        {isNarrow && codes.length > 0 && (
          <div title={codes.join(', ')}>
            <Codes codes={codes} most={MOST_CODES_NARROW} />
          </div>
        )}
      </td>
      {!isNarrow && (
        <td title={codes.join(', ')}>
          <Codes codes={codes} most={MOST_CODES} />
        </td>
      )}
    </tr>
  )
}

function Codes({ codes, most }: { codes: readonly string[]; most: number }) {
  return (
    <>
      {codes.slice(0, most).join(' ')}
      {codes.length > most && (
        <>
          <span className="quiet"> +{count(codes.length - most)}</span>
          <span className="sibling-codes"> {codes.slice(most).join(' ')}</span>
        </>
      )}
    </>
  )
}

/** What is left of rounding is 0. */
function withoutRounding(value: number | null): number | null {
  return value !== null && Math.abs(value) < 5e-7 ? 0 : value
}

/** A number with the decimals of its column, all of its digits where the pointer rests. */
function Exact({ value, decimals, className }: { value: number | null; decimals: number; className: string }) {
  const shown = inDecimals(value, decimals)
  return (
    <td className={className} title={value === null || !Number.isFinite(value) ? undefined : allDigits(value, shown)}>
      {value === null ? <span className="quiet">{shown}</span> : shown}
    </td>
  )
}
