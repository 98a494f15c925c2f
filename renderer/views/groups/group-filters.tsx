import {
  GROUP_KINDS,
  GROUP_MARKS,
  type GroupKind,
  type GroupMark,
  type GroupQuery,
  type GroupSummary,
} from '../../../shared/session/requests/groups.ts'
import { count, percent, real } from '../../text/numbers.ts'
import { KIND_WORDS, MARK_WORDS, queryWords } from './group-words.ts'
import { EVERY_GROUP, narrow } from './groups-place.ts'
import { saveGroups } from './save-tables.ts'

/** How many groups are of each kind, as a bar with the share from which H05 is supported drawn in. */
export function KindBar({ summary: { kinds, bounds } }: { summary: GroupSummary }) {
  const complete = kinds.dead + kinds.noise + kinds.contrast
  if (complete === 0) return null
  return (
    <div className="kind-bar-place">
      <div
        className="kind-bar"
        role="img"
        aria-label={(['dead', 'noise', 'contrast'] as const)
          .map((kind) => `${KIND_WORDS[kind].name} ${percent(kinds[kind] / complete)}`)
          .join(', ')}
      >
        {(['dead', 'noise', 'contrast'] as const).map(
          (kind) =>
            kinds[kind] > 0 && (
              <span key={kind} className={`kind-part ${kind}`} style={{ flexGrow: kinds[kind] }}>
                {kinds[kind] / complete >= 0.22
                  ? `${KIND_WORDS[kind].name} ${percent(kinds[kind] / complete)}`
                  : kinds[kind] / complete >= 0.1 && KIND_WORDS[kind].name}
              </span>
            ),
        )}
        <span className="kind-bound" style={{ left: `${bounds.deadShare * 100}%` }} />
      </div>
      <p className="kind-note quiet">H05 is supported from {percent(bounds.deadShare)} dead or noise on (the line)</p>
    </div>
  )
}

/** What narrows the list, and what can be done with it. */
export function GroupFilters({ summary, query, shown }: { summary: GroupSummary; query: GroupQuery; shown: number }) {
  const { kinds = [], marks = [], std, step, text = '' } = query
  const isNarrowed = queryWords(query) !== null
  return (
    <div className="group-filters">
      <fieldset className="chips" aria-label="Which groups">
        {GROUP_KINDS.map((kind) => (
          <Chip
            key={kind}
            words={KIND_WORDS[kind]}
            count={summary.kinds[kind]}
            isOn={kinds.includes(kind)}
            onToggle={() => narrow({ kinds: toggled<GroupKind>(kinds, kind) })}
          />
        ))}
        {GROUP_MARKS.filter((mark) => summary.marks[mark] > 0 || marks.includes(mark)).map((mark) => (
          <Chip
            key={mark}
            words={MARK_WORDS[mark]}
            count={summary.marks[mark]}
            isOn={marks.includes(mark)}
            onToggle={() => narrow({ marks: toggled<GroupMark>(marks, mark) })}
          />
        ))}
        {std !== undefined && (
          <button type="button" className="chip" aria-pressed="true" onClick={() => narrow({ std: null })}>
            std {real(std.atLeast)}–{real(std.below)} <span aria-hidden="true">✕</span>
          </button>
        )}
        {summary.steps.length > 1 && (
          <label className="group-step">
            step{' '}
            <select
              value={step ?? ''}
              onChange={(event) => narrow({ step: event.target.value === '' ? null : Number(event.target.value) })}
            >
              <option value="">all</option>
              {summary.steps.map((each) => (
                <option key={each.step} value={each.step}>
                  {each.step}
                </option>
              ))}
            </select>
            {summary.steps.length < summary.allSteps && (
              <span className="quiet">
                {' '}
                {count(summary.steps.length)} of {count(summary.allSteps)} steps to choose from
              </span>
            )}
          </label>
        )}
        <input
          className="group-search"
          type="search"
          aria-label="Groups whose id has"
          placeholder="group id"
          value={text}
          onChange={(event) => narrow({ text: event.target.value.slice(0, 200) })}
        />
        {isNarrowed && (
          <button type="button" className="link" onClick={() => narrow(EVERY_GROUP)}>
            Clear
          </button>
        )}
      </fieldset>
      <button type="button" className="button small" disabled={shown === 0} onClick={() => saveGroups(query, shown)}>
        Save {isNarrowed ? `these ${count(shown)}` : 'all'} as a table…
      </button>
    </div>
  )
}

function toggled<Name extends string>(names: readonly Name[], name: Name): readonly Name[] {
  return names.includes(name) ? names.filter((other) => other !== name) : [...names, name]
}

function Chip({
  words: { glyph, name, what },
  count: number,
  isOn,
  onToggle,
}: {
  words: { readonly glyph: string; readonly name: string; readonly what: string }
  count: number
  isOn: boolean
  onToggle(): void
}) {
  return (
    <button
      type="button"
      className="chip"
      aria-pressed={isOn}
      title={what}
      disabled={number === 0 && !isOn}
      onClick={onToggle}
    >
      <span aria-hidden="true">{glyph}</span> {name} <span className="chip-count">{count(number)}</span>
    </button>
  )
}
