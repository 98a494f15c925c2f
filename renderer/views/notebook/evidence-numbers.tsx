import type { Evidence } from '../../../shared/notebook/model.ts'
import { ABSENT, percent, real } from '../../text/numbers.ts'
import { spelt } from '../../text/visible.ts'

type Pinned = Evidence['numbers'][number]

/** Names of numbers that do not say by themselves what they are. A notebook may name a number `__proto__`. */
const NAMES: ReadonlyMap<string, string> = new Map([['onset', 'begins at token']])

/** Numbers as they were pinned, each with its name. */
export function EvidenceNumbers({ numbers }: { numbers: Evidence['numbers'] }) {
  const isShare = numbers.some(({ unit }) => unit === 'share')
  // What was pinned by earlier versions may hold a number twice.
  const isFirst = ({ name, value }: Pinned, at: number) =>
    numbers.findIndex((other) => other.name === name && other.value === value) === at
  return numbers.filter(isFirst).map(({ name, value, unit }) => (
    <span key={`${name} ${value}`} className="evidence-number">
      {NAMES.get(name) ?? spelt(name.replaceAll('_', ' '))}{' '}
      <strong>{isShare ? shareOf(value) : pinnedValue(value)}</strong> {unit === 'share' ? '' : spelt(unit ?? '')}
    </span>
  ))
}

/** A share, or the threshold that it is compared with (`> 0.2`), as a percentage. */
function shareOf(value: number | string | null): string {
  if (typeof value === 'number') return percent(value)
  const [, sign, bound] = /^([<>]?=?) (0|1|0?\.\d+)$/.exec(String(value)) ?? []
  return bound === undefined ? pinnedValue(value) : `${sign} ${percent(Number(bound))}`
}

export function pinnedValue(value: number | string | boolean | null): string {
  return typeof value === 'number' ? real(value) : spelt(String(value ?? ABSENT))
}
