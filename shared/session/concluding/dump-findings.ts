import type { Finding } from '../../model/report.ts'
import { type CodeLists, SEVERITY_RANKS } from '../../query/values.ts'
import type { Conclusion } from './conclude.ts'

/** Findings of groups and of the whole dump by the rollouts that they name, for as long as a conclusion stands. */
export class DumpFindings {
  constructor(private readonly conclusion: () => Pick<Conclusion, 'dumpFindings' | 'named'>) {}

  of(index: number): readonly Finding[] {
    const { dumpFindings, named } = this.conclusion()
    const { offsets, found } = named
    const findings: Finding[] = []
    for (let at = offsets[index] ?? 0; at < (offsets[index + 1] ?? 0); at++) {
      findings.push(dumpFindings[found[at] as number] as Finding)
    }
    return findings
  }

  /** The codes of rollouts, with those of these findings that no policy intends; as those of `codesOf` sorted and each once. */
  withCodes({ lists, at }: CodeLists): CodeLists {
    const { dumpFindings, named } = this.conclusion()
    const { offsets, found } = named
    if (found.length === 0) return { lists, at }
    const added = new AddedCodes(lists)
    const codes = dumpFindings.map(({ code, intended }) => (intended ? -1 : added.numberOf(code)))
    const all = at.slice()
    for (let i = 0; i < Math.min(all.length, offsets.length - 1); i++) {
      for (let place = offsets[i] as number; place < (offsets[i + 1] as number); place++) {
        const code = codes[found[place] as number] as number
        if (code >= 0) all[i] = added.to(all[i] as number, code)
      }
    }
    return { lists: added.lists, at: all }
  }

  /** Raises the ranks of rollouts to those of these findings. */
  raise(ranks: Uint8Array): void {
    const { dumpFindings, named } = this.conclusion()
    const { offsets, found } = named
    const own = dumpFindings.map(({ severity, intended }) => (intended ? 0 : SEVERITY_RANKS.indexOf(severity)))
    for (let i = 0; i < Math.min(ranks.length, offsets.length - 1); i++) {
      for (let place = offsets[i] as number; place < (offsets[i + 1] as number); place++) {
        const rank = own[found[place] as number] as number
        if (rank > (ranks[i] as number)) ranks[i] = rank
      }
    }
  }
}

/** Lists of codes to which others are added, one by one. */
class AddedCodes {
  readonly lists: (readonly string[])[]
  private readonly codes = new Map<string, number>()
  private readonly byCodes = new Map<string, number>()
  /** By code and list, one more than the number of the list that they make. */
  private readonly made: Int32Array[] = []

  constructor(lists: readonly (readonly string[])[]) {
    this.lists = [...lists]
    for (const [number, list] of lists.entries()) this.byCodes.set(list.join(), number)
  }

  numberOf(code: string): number {
    let number = this.codes.get(code)
    if (number === undefined) {
      number = this.made.push(new Int32Array(0)) - 1
      this.codes.set(code, number)
    }
    return number
  }

  to(list: number, code: number): number {
    const known = this.made[code]?.[list] ?? 0
    if (known > 0) return known - 1
    const number = this.make(list, [...this.codes.keys()][code] as string)
    let made = this.made[code] as Int32Array
    if (list >= made.length) {
      made = new Int32Array(2 * this.lists.length)
      made.set(this.made[code] as Int32Array)
      this.made[code] = made
    }
    made[list] = number + 1
    return number
  }

  private make(list: number, code: string): number {
    const codes = [...new Set([...(this.lists[list] as readonly string[]), code])].sort()
    const key = codes.join()
    const known = this.byCodes.get(key)
    if (known !== undefined) return known
    const number = this.lists.push(codes) - 1
    this.byCodes.set(key, number)
    return number
  }
}
