import {
  type ComparedMeasure,
  MEASURE_SECTIONS,
  type MeasureSection,
  type RunComparison,
} from '../../../shared/session/requests/compare.ts'
import { KeptDetails } from '../../app/kept-details.tsx'
import { PinButton } from '../../app/pin-button.tsx'
import { type Alike, numbersAlike, sharesAlike } from '../../text/alike.ts'
import { ABSENT, allDigits, count, counted } from '../../text/numbers.ts'
import { spelt } from '../../text/visible.ts'
import { VERDICT_WORDS } from '../../text/words.ts'
import { ShowLink } from '../verdicts/number-link.tsx'
import { behindCompared } from './behind-compared.ts'
import { narrowMeasures, useComparePlace } from './compare-place.ts'
import { showInSecond } from './swap.ts'

const SECTION_WORDS: Readonly<Record<MeasureSection, string>> = {
  verdicts: 'verdicts',
  reward: 'rewards',
  ends: 'how rollouts end',
  lengths: 'lengths',
  loss: 'where the loss falls',
  turns: 'turns',
  logprobs: 'logprobs',
  edges: 'turn edges',
  checks: 'checks',
  documents: 'documents',
  logs: 'what was logged',
  setting: 'settings',
}

/** What the bars mean. */
const APART = 'A full bar is 100 percentage points of a share; of other numbers, all of the larger one.'

/** Every measure of both runs, the largest difference that is more than chance first. */
export function Measures({ comparison: { measures } }: { comparison: RunComparison }) {
  const { section, all, text } = useComparePlace()
  const words = text.trim().toLowerCase()
  const named = measures.filter(
    (measure) =>
      (section === null || measure.section === section) &&
      (words === '' || measure.label.toLowerCase().includes(words)),
  )
  const sure = named.filter(({ distance, isSure }) => distance !== null && distance > 0 && isSure !== false)
  const chance = named.filter(({ distance, isSure }) => distance !== null && distance > 0 && isSure === false)
  const same = named.filter(({ distance }) => distance === 0)
  const oneSided = named.filter(({ distance }) => distance === null)
  return (
    <>
      <div className="compare-filters">
        <label>
          of{' '}
          <select
            className="compare-select"
            value={section ?? ''}
            onChange={(event) =>
              narrowMeasures({ section: MEASURE_SECTIONS.find((each) => each === event.target.value) ?? null })
            }
          >
            <option value="">everything</option>
            {MEASURE_SECTIONS.filter((each) => measures.some((measure) => measure.section === each)).map((each) => (
              <option key={each} value={each}>
                {SECTION_WORDS[each]}
              </option>
            ))}
          </select>
        </label>
        <input
          className="compare-search"
          type="search"
          aria-label="Measures whose name has"
          placeholder="measure"
          value={text}
          onChange={(event) => narrowMeasures({ text: event.target.value.slice(0, 200) })}
        />
        <button type="button" className="chip" aria-pressed={all} onClick={() => narrowMeasures({ all: !all })}>
          also what is the same <span className="chip-count">{count(same.length)}</span>
        </button>
      </div>
      <p className="quiet compare-legend">
        The largest difference stands first. {APART} The difference is the second run’s number less the open run’s (pp:
        percentage points).
      </p>
      <MeasureTable title="What differs" measures={sure} isOpen>
        {sure.length === 0 && <p className="quiet">Nothing that is more than chance.</p>}
      </MeasureTable>
      {chance.length > 0 && (
        <MeasureTable
          title="What chance may explain in runs of this size"
          measures={chance}
          isOpen={sure.length < 12}
        />
      )}
      {oneSided.length > 0 && (
        <MeasureTable title="What only one of the runs tells" measures={oneSided} isOpen={sure.length < 8} />
      )}
      {/* Who asks for a measure by name is told of it whether it differs or not. */}
      {(all || words !== '') && same.length > 0 && <MeasureTable title="What is the same" measures={same} isOpen />}
    </>
  )
}

function MeasureTable({
  title,
  measures,
  isOpen,
  children,
}: {
  title: string
  measures: readonly ComparedMeasure[]
  isOpen: boolean
  children?: React.ReactNode
}) {
  return (
    <KeptDetails
      name={`compare ${title}`}
      className="measure-group"
      openAtFirst={isOpen}
      summary={
        <>
          <h2>{title}</h2> <span className="quiet">{counted(measures.length, 'measure')}</span>
        </>
      }
    >
      {children}
      {measures.length > 0 && (
        <table className="measure-table">
          <thead>
            <tr>
              <th scope="col">measure</th>
              <th scope="col">of</th>
              <th scope="col" className="number">
                open run
              </th>
              <th scope="col" className="number">
                second run
              </th>
              <th scope="col" className="number">
                difference
              </th>
              <th scope="col" title={APART}>
                apart
              </th>
              <th scope="col">
                <span className="visually-hidden">evidence</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {measures.map((measure) => (
              <MeasureRow key={measure.id} measure={measure} />
            ))}
          </tbody>
        </table>
      )}
    </KeptDetails>
  )
}

function MeasureRow({ measure }: { measure: ComparedMeasure }) {
  const { id, section, label, unit, here, there, distance, lacks } = measure
  const behind = behindCompared(measure)
  const behindThere = behindCompared(measure, 'there')
  const [shownHere, shownThere] = valueWords(measure)
  const difference = differenceWords(measure)
  const valueClass = unit === 'text' ? 'number measure-words' : 'number'
  return (
    <tr>
      <th scope="row">{spelt(label)}</th>
      <td className="quiet">{SECTION_WORDS[section]}</td>
      <td className={valueClass} title={exactOf(here, shownHere)}>
        {here === null ? (
          <Lack why={lacks.here} />
        ) : behind === null ? (
          shownHere
        ) : (
          <ShowLink {...behind}>{shownHere}</ShowLink>
        )}
      </td>
      <td className={valueClass} title={exactOf(there, shownThere)}>
        {there === null ? (
          <Lack why={lacks.there} />
        ) : behindThere === null ? (
          shownThere
        ) : (
          <ShowLink {...behindThere} open={(rollouts) => void showInSecond(rollouts)}>
            {shownThere}
          </ShowLink>
        )}
      </td>
      <td className="number" title={exactDifference(measure, difference)}>
        {difference}
      </td>
      <td>
        {distance === null ? null : unit === 'text' ? (
          <span className="quiet">{distance === 0 ? 'same' : 'another'}</span>
        ) : (
          <span className="distance" aria-hidden="true">
            <span className="distance-fill" style={{ width: `${distance * 100}%` }} />
          </span>
        )}
      </td>
      <td>
        <PinButton of={{ kind: 'comparison', key: { measure: id } }} what={spelt(label)} />
      </td>
    </tr>
  )
}

function Lack({ why }: { why: string | null }) {
  return <span className="quiet lack">{why ?? ABSENT}</span>
}

function valueWords({ section, unit, here, there }: ComparedMeasure): readonly [string, string] {
  const words = (value: number | string | null, shown: string | undefined): string => {
    if (typeof value !== 'string') return shown ?? ABSENT
    const verdict =
      section === 'verdicts' ? Object.entries(VERDICT_WORDS).find(([name]) => name === value)?.[1] : undefined
    return verdict === undefined ? spelt(value) : `${verdict.glyph}\u00a0${verdict.name}`
  }
  const { values } = alike(unit, here, there)
  return [words(here, values[0]), words(there, values[1])]
}

/** Both as they stand beside each other. */
function alike(unit: ComparedMeasure['unit'], ...values: readonly (number | string | null)[]): Alike {
  const numbers = values.map((value) => (typeof value === 'number' ? value : null))
  return unit === 'share' ? sharesAlike(numbers) : numbersAlike(numbers)
}

/** With all its digits, where it is shown in fewer. */
function exactOf(value: number | string | null, shown: string): string | undefined {
  return typeof value === 'number' ? allDigits(value, shown) : undefined
}

function exactDifference({ unit, here, there }: ComparedMeasure, difference: string): string | undefined {
  if (typeof here !== 'number' || typeof there !== 'number') return undefined
  const shown = difference.replace(/^\+/, '')
  return allDigits(there - here, unit === 'share' ? shown.replace(/ pp$/, ' %') : shown)
}

/** Shares in percentage points, all else as it is; the sign says where the second run is larger. */
function differenceWords({ unit, here, there }: ComparedMeasure): string {
  if (typeof here !== 'number' || typeof there !== 'number') return ''
  const difference = there - here
  const sign = difference > 0 ? '+' : difference < 0 ? '−' : ''
  return `${sign}${alike(unit, here, there).difference(difference)}${unit === 'share' ? ' pp' : ''}`
}
