import type { Finding, Report } from '../model/report.ts'
import type { Cause } from './causes.ts'

/** The code of rows whose arrays do not fit together. */
const LAYOUT = 'S03'

/** Where the arrays of a row do not fit together (S03) stands before what is seen in such rows alone, and rests on them. */
export function layoutFirst<Step extends { readonly cause: Cause | null }>(
  steps: readonly Step[],
  { findings }: Pick<Report, 'findings'>,
): Step[] {
  const layout = steps.findIndex(({ cause }) => cause?.lead.code === LAYOUT)
  if (layout < 1) return [...steps]
  const placeOf = ({ source, record, part }: Finding) => `${source}:${record}:${part}`
  const unfit = new Set(findings.filter(({ code }) => code === LAYOUT).map(placeOf))
  const restsOnIt = ({ cause }: Step) => {
    const own = findings.filter(({ code }) => code === cause?.lead.code)
    return own.length > 0 && own.every((finding) => unfit.has(placeOf(finding)))
  }
  const behind = steps.slice(0, layout).filter(restsOnIt)
  const others = steps.filter((step) => !behind.includes(step))
  const at = others.findIndex(({ cause }) => cause?.lead.code === LAYOUT)
  return [...others.slice(0, at + 1), ...behind, ...others.slice(at + 1)]
}
