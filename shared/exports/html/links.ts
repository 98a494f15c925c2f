import type { Report } from '../../model/report.ts'
import { text } from './parts.ts'

/** Codes and defects that have findings on the page, to which their names lead. */
export class Links {
  private readonly listed: ReadonlySet<string>
  private readonly begun = new Set<string>()

  constructor({ findings, defects }: Report) {
    const known = new Set(defects.map(({ id }) => id))
    const explained = findings.flatMap(({ defect }) => (defect !== undefined && known.has(defect) ? [defect] : []))
    this.listed = new Set([...findings.map(({ code }) => code), ...explained])
  }

  /** The name of a code or a defect, as a link where there are findings of it. */
  to(name: string): string {
    return this.listed.has(name) ? `<a href="#f-${text(name)}">${text(name)}</a>` : text(name)
  }

  all(names: readonly string[]): string {
    return names.map((name) => this.to(name)).join(' ')
  }

  /** The place that the name leads to, as an attribute: the first that is asked for. */
  place(name: string): string {
    if (this.begun.has(name)) return ''
    this.begun.add(name)
    return ` id="f-${text(name)}"`
  }
}
