import { useRef } from 'react'
import type { RunComparison } from '../../../shared/session/requests/compare.ts'
import { useFieldKeys } from '../../commands/use-field-keys.ts'
import { useScrollFocus } from '../../lists/use-scroll-focus.ts'
import { count } from '../../text/numbers.ts'
import { SideBySide } from './alignment-view.tsx'
import { chooseRollout, useComparePlace } from './compare-place.ts'

/** One rollout of either run, chosen by number: the way to read the second run where no question is in both. */
export function AnyTwo({ comparison: { here, there } }: { comparison: RunComparison }) {
  const place = useComparePlace()
  const scroller = useRef<HTMLDivElement>(null)
  useScrollFocus(scroller)
  if (here.rollouts === 0 || there.rollouts === 0) {
    return (
      <p className="nothing quiet">
        The {here.rollouts === 0 ? 'open' : 'second'} run has no rollouts, only what it logged.
      </p>
    )
  }
  const left = Math.min(place.here ?? 0, here.rollouts - 1)
  const right = Math.min(place.there ?? 0, there.rollouts - 1)
  return (
    <div ref={scroller} className="compare-any" tabIndex={-1}>
      <div className="compare-filters">
        <Chooser name="open run" side="here" index={left} rollouts={here.rollouts} />
        <Chooser name="second run" side="there" index={right} rollouts={there.rollouts} />
      </div>
      <SideBySide
        left={{ run: 'open', index: left }}
        right={{ run: 'second', index: right }}
        names={['open run', 'second run']}
      />
    </div>
  )
}

function Chooser({
  name,
  side,
  index,
  rollouts,
}: {
  name: string
  side: 'here' | 'there'
  index: number
  rollouts: number
}) {
  const take = (text: string) => {
    const wanted = text === '' ? Number.NaN : Math.trunc(Number(text))
    if (wanted >= 0 && wanted < rollouts) chooseRollout(side, wanted)
  }
  const keys = useFieldKeys(take)
  return (
    <fieldset className="any-chooser" aria-label={`Rollout of the ${name}`}>
      <span>{name}, rollout</span>
      <button
        type="button"
        className="button small"
        aria-label={`Previous rollout of the ${name}`}
        disabled={index === 0}
        onClick={() => chooseRollout(side, index - 1)}
      >
        ‹
      </button>
      <input
        className="compare-search"
        type="number"
        min={0}
        max={rollouts - 1}
        aria-label={`Number of the rollout of the ${name}`}
        value={index}
        onChange={(event) => take(event.target.value)}
        {...keys}
      />
      <button
        type="button"
        className="button small"
        aria-label={`Next rollout of the ${name}`}
        disabled={index >= rollouts - 1}
        onClick={() => chooseRollout(side, index + 1)}
      >
        ›
      </button>
      <span className="quiet">of 0 to {count(rollouts - 1)}</span>
    </fieldset>
  )
}
