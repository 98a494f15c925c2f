import type { CheckResult } from '../../../shared/model/report.ts'
import type { BoundaryRow } from '../../../shared/session/protocol.ts'

export type EdgeShare = keyof BoundaryRow['counts']

/** Checks that speak of what is counted at each edge. */
const CODES: Readonly<Record<EdgeShare, readonly string[]>> = {
  header: ['T05'],
  end: ['M10', 'C03'],
  newline: ['T04'],
  mask: ['M01', 'M02', 'M03', 'M05', 'M06', 'M08', 'M09', 'M10', 'M11'],
}

/**
 * The codes that find fault with what is counted at this kind of edge; none where the policy intends it, or where what differs is
 * no fault by itself. A turn is named by the edge that opens it, and its mask is counted at the edge that closes it as well.
 */
export function codesAt(checks: readonly CheckResult[], boundary: string, share: EdgeShare): string[] {
  const [closed] = boundary.split('>')
  const speaksOf = (edge: string) => edge === boundary || (share === 'mask' && edge.endsWith(`>${closed}`))
  return checks
    .filter(
      ({ code, by_boundary }) =>
        CODES[share].includes(code) &&
        Object.entries(by_boundary).some(([edge, { affected }]) => affected > 0 && speaksOf(edge)),
    )
    .map(({ code }) => code)
}
