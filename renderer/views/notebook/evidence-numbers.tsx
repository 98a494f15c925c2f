import type { Evidence } from '../../../shared/notebook/model.ts'
import { ABSENT, real } from '../../text/numbers.ts'
import { upright } from '../../text/visible.ts'

/** Numbers as they were pinned, each with its name. */
export function EvidenceNumbers({ numbers }: { numbers: Evidence['numbers'] }) {
  return numbers.map(({ name, value, unit }) => (
    <span key={name} className="evidence-number">
      {upright(name)} <strong>{pinnedValue(value)}</strong> {upright(unit ?? '')}
    </span>
  ))
}

export function pinnedValue(value: number | string | boolean | null): string {
  return typeof value === 'number' ? real(value) : upright(String(value ?? ABSENT))
}
