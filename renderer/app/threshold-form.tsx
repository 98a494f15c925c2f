import { type FormEvent, useId, useState } from 'react'
import {
  resolveThresholds,
  THRESHOLDS,
  ThresholdError,
  type ThresholdId,
  thresholdsOf,
} from '../../shared/model/thresholds/registry.ts'
import { reconfigure } from '../data/dump.ts'
import { useFiles } from '../state/files.ts'
import { openDialog } from '../state/view.ts'
import { count } from '../text/numbers.ts'
import { WithCode } from './with-code.tsx'

/** The numbers by which a check or a hypothesis decides, each with its reason; what is set judges the whole dump again. */
export function ThresholdForm({ of }: { of: string }) {
  const all = thresholdsOf(of)
  // Those of its own first, as on its page.
  const shared = all.filter((id) => THRESHOLDS[id].usedBy === 'every check')
  const ids = [...all.filter((id) => !shared.includes(id)), ...shared]
  const set = useFiles((files) => files.options.thresholds) ?? {}
  const isOpen = useFiles((files) => files.report !== null)
  const [texts, setTexts] = useState<Partial<Record<ThresholdId, string>>>({})
  const name = useId()
  if (ids.length === 0) return null
  const textOf = (id: ThresholdId) => texts[id] ?? set[id]?.toString() ?? ''
  const wanted = Object.fromEntries(ids.map((id) => [id, numberOf(textOf(id))]))
  const wrong = sentenceFor(wanted)
  const isChanged = ids.some((id) => (wanted[id] ?? THRESHOLDS[id].value) !== (set[id] ?? THRESHOLDS[id].value))
  const apply = (event: FormEvent) => {
    event.preventDefault()
    if (wrong !== null || !isChanged) return
    openDialog(null)
    void setThresholds(wanted)
  }
  return (
    <form className="thresholds" onSubmit={apply}>
      {ids.map((id) => {
        const { unit, range, reason, value } = THRESHOLDS[id]
        return (
          <div key={id} className="threshold">
            <label htmlFor={`${name}-${id}`}>
              <code>{id}</code>
            </label>
            <span className="threshold-value">
              <input
                id={`${name}-${id}`}
                inputMode="decimal"
                value={textOf(id)}
                placeholder={String(value)}
                disabled={!isOpen}
                aria-describedby={`${name}-${id}-why`}
                onChange={(event) => setTexts({ ...texts, [id]: event.target.value })}
              />
              <span className="quiet">
                {unit}, {range.map((bound) => bound.toLocaleString('en-US')).join(' to ')}; {value} if empty
              </span>
            </span>
            <p id={`${name}-${id}-why`} className="threshold-why quiet">
              <WithCode text={sentence(reason)} />
            </p>
          </div>
        )
      })}
      {wrong !== null && (
        <p className="error-text" role="alert">
          ✖ {wrong}
        </p>
      )}
      <button type="submit" className="button" disabled={wrong !== null || !isChanged}>
        {ids.length === 1 ? 'Judge with this number' : `Judge with these ${count(ids.length)} numbers`}
      </button>
    </form>
  )
}

/** What is at its default is not said to be set. */
async function setThresholds(wanted: Readonly<Partial<Record<ThresholdId, number>>>): Promise<void> {
  const before = useFiles.getState().options.thresholds ?? {}
  const kept = Object.entries({ ...before, ...wanted }).filter(
    ([id, value]) => value !== undefined && value !== THRESHOLDS[id as ThresholdId].value,
  )
  await reconfigure({ thresholds: kept.length === 0 ? undefined : Object.fromEntries(kept) })
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}

/** An empty field leaves the default; what is no number is one that no range allows. */
function numberOf(text: string): number | undefined {
  const said = text.trim()
  if (said === '') return undefined
  return /^-?(\d+(\.\d*)?|\.\d+)(e-?\d+)?$/i.test(said) ? Number(said) : Number.NaN
}

/** Why these thresholds cannot be set; null where they can. */
function sentenceFor(wanted: Readonly<Record<string, number | undefined>>): string | null {
  const odd = Object.entries(wanted).find(([, value]) => Number.isNaN(value))
  if (odd !== undefined) return `${odd[0]} has to be a number.`
  try {
    resolveThresholds(wanted)
    return null
  } catch (error) {
    if (error instanceof ThresholdError) return error.message
    throw error
  }
}
