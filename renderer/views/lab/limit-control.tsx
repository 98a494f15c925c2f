import { useState } from 'react'
import { minus } from '../../../shared/model/number-text.ts'
import { COMPLETION_LIMITS, type TriedLimit } from '../../../shared/session/lab/limits.ts'
import { useFieldKeys } from '../../commands/use-field-keys.ts'
import { goTo } from '../../state/place.ts'
import { count } from '../../text/numbers.ts'
import { LIMIT_WORDS } from '../../text/words.ts'
import { limitsInForceAgain, showCurve, tryLimit } from './lab-place.ts'

const PER_WORDS = { completion: 'all after the prompt', turn: 'each assistant turn' } as const

/** One limit, as a number and on a slider whose mark is the one in force; whether it is that, another or none stands beneath. */
export function LimitControl({
  name,
  value,
  inForce,
  reach,
  completionPer,
}: {
  name: TriedLimit
  /** What is tried, in tokens; null = none. */
  value: number | null
  inForce: number | null
  /** Longest that it could cut, once that is known. */
  reach: number
  completionPer: keyof typeof PER_WORDS
}) {
  const label = LIMIT_WORDS[name]
  // The end of the slider stands for no limit, so that a limit lies before it.
  const most = Math.max(reach, Math.ceil(Math.max(inForce ?? 0, value ?? 0) * 1.05), 16)
  const [refused, refuse] = useState<string | null>(null)
  const take = (text: string) => {
    const isRefused = Number(text) < 0
    refuse(isRefused ? text : null)
    if (!isRefused) tryLimit(name, text === '' ? null : Number(text))
  }
  const keys = useFieldKeys(take)
  return (
    <div className="lab-limit">
      <label className="lab-field">
        <span>{label}</span>
        <input
          type="number"
          min={0}
          placeholder="none"
          value={refused ?? value ?? ''}
          aria-invalid={refused !== null || undefined}
          onChange={(event) => take(event.target.value)}
          onKeyDown={keys.onKeyDown}
          onFocus={(event) => {
            keys.onFocus(event)
            showCurve(name)
          }}
        />
      </label>
      {name === 'max_completion_length' && value !== null && (
        <label className="lab-field">
          <span className="quiet">holds for</span>
          <select value={completionPer} onChange={(event) => goTo('lab', { per: event.target.value })}>
            {COMPLETION_LIMITS.map((per) => (
              <option key={per} value={per}>
                {PER_WORDS[per]}
              </option>
            ))}
          </select>
        </label>
      )}
      <span className={value === null ? 'lab-slider none' : 'lab-slider'}>
        {inForce !== null && (
          <span className="lab-tick" style={{ left: `calc(7px + (100% - 16px) * ${inForce / most})` }} />
        )}
        <input
          type="range"
          aria-label={`${label}, in tokens`}
          aria-valuetext={value === null ? 'no limit' : count(value)}
          min={0}
          max={most}
          step={Math.max(1, Math.round(most / 512))}
          value={value ?? most}
          onFocus={() => showCurve(name)}
          onChange={(event) => {
            const next = Number(event.target.value)
            refuse(null)
            tryLimit(name, next >= most ? null : next)
          }}
        />
      </span>
      <p className="lab-standing quiet">
        {refused !== null && <span className="error-text">{minus(refused)} is not tried: no length is below 0 · </span>}
        {value === inForce ? (
          inForce === null ? (
            'no limit'
          ) : (
            'in force'
          )
        ) : (
          <>
            {value === null ? 'no limit tried' : 'tried'}
            {inForce !== null && (
              <>
                {' · '}
                <button type="button" className="link" onClick={() => limitsInForceAgain([name])}>
                  back to {count(inForce)}, in force
                </button>
              </>
            )}
          </>
        )}
      </p>
    </div>
  )
}
