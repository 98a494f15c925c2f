import { type PyName, shownName } from './values.ts'

/** A name in a pickle that is not known to be plain data. It was looked at by nobody but the reader of its letters. */
export interface ForeignName {
  /** `module.qualname`, such as `os.system`; shortened and without control characters. */
  readonly name: string
  /** Calls that the pickle asks for and that were not made. */
  readonly calls: number
  /** Instances that were read as their fields. */
  readonly objects: number
}

const MAX_NAMES = 1000

export class ForeignNames {
  private readonly counts = new Map<string, { calls: number; objects: number }>()

  mention(name: PyName | string): void {
    this.of(name)
  }

  called(name: PyName | string): void {
    this.of(name).calls++
  }

  instantiated(name: PyName | string): void {
    this.of(name).objects++
  }

  /** By name. Names beyond the first thousand are counted together. */
  list(): ForeignName[] {
    return Array.from(this.counts, ([name, count]) => ({ name, ...count })).sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  private of(name: PyName | string): { calls: number; objects: number } {
    let shown = shownName(typeof name === 'string' ? name : name.name)
    if (!this.counts.has(shown) && this.counts.size >= MAX_NAMES) shown = '(further names)'
    let count = this.counts.get(shown)
    if (count === undefined) this.counts.set(shown, (count = { calls: 0, objects: 0 }))
    return count
  }
}
