import type { Finding } from '../model/report.ts'
import type { Place } from '../model/source.ts'
import { type CodeLists, SEVERITY_RANKS } from '../query/values.ts'
import type { Conclusion } from './conclude.ts'

/** By rollout, which findings name it: those of rollout i are `found[offsets[i]]` to `found[offsets[i + 1]]`, exclusive. */
interface Named {
  readonly of: Conclusion
  readonly offsets: Uint32Array
  /** Places among the findings of the dump. */
  readonly found: Int32Array
}

/** Findings of groups and of the whole dump by the rollouts that they name, for as long as a conclusion stands. */
export class DumpFindings {
  private known: Named | null = null

  constructor(
    private readonly conclusion: () => Conclusion,
    private readonly locate: (place: Place) => number,
  ) {}

  of(index: number): readonly Finding[] {
    const { of, offsets, found } = this.named()
    const findings: Finding[] = []
    for (let at = offsets[index] ?? 0; at < (offsets[index + 1] ?? 0); at++) {
      findings.push(of.dumpFindings[found[at] as number] as Finding)
    }
    return findings
  }

  /** The codes of rollouts, with those of these findings that no policy intends; as those of `codesOf` sorted and each once. */
  withCodes({ lists, at }: CodeLists): CodeLists {
    const { of, offsets, found } = this.named()
    if (found.length === 0) return { lists, at }
    const added = new AddedCodes(lists)
    const codes = of.dumpFindings.map(({ code, intended }) => (intended ? -1 : added.numberOf(code)))
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
    const { of, offsets, found } = this.named()
    const own = of.dumpFindings.map(({ severity, intended }) => (intended ? 0 : SEVERITY_RANKS.indexOf(severity)))
    for (let i = 0; i < Math.min(ranks.length, offsets.length - 1); i++) {
      for (let place = offsets[i] as number; place < (offsets[i + 1] as number); place++) {
        const rank = own[found[place] as number] as number
        if (rank > (ranks[i] as number)) ranks[i] = rank
      }
    }
  }

  private named(): Named {
    const conclusion = this.conclusion()
    if (this.known?.of !== conclusion) this.known = this.sorted(conclusion)
    return this.known
  }

  private sorted(of: Conclusion): Named {
    const { dumpFindings } = of
    const named = dumpFindings.reduce((sum, { members }) => sum + Math.max(1, members?.length ?? 0), 0)
    const rows = new Int32Array(named)
    const findings = new Int32Array(named)
    let [count, last] = [0, -1]
    for (const [number, finding] of dumpFindings.entries()) {
      const { source, record, part, members } = finding
      for (const place of record === null ? (members ?? []) : [{ source, record, part: part ?? 0 }]) {
        const row = this.locate(place)
        last = Math.max(last, row)
        rows[count] = row
        findings[count++] = number
      }
    }
    const offsets = new Uint32Array(last + 2)
    for (let i = 0; i < count; i++) {
      const after = (rows[i] as number) + 1
      offsets[after] = (offsets[after] as number) + 1
    }
    for (let row = 0; row <= last; row++) offsets[row + 1] = (offsets[row + 1] as number) + (offsets[row] as number)
    const next = offsets.slice()
    const found = new Int32Array(count)
    for (let i = 0; i < count; i++) {
      const row = rows[i] as number
      found[next[row] as number] = findings[i] as number
      next[row] = (next[row] as number) + 1
    }
    return { of, offsets, found }
  }
}

/** Lists of codes to which others are added, one by one. */
class AddedCodes {
  readonly lists: (readonly string[])[]
  private readonly codes: string[] = []
  private readonly byCodes = new Map<string, number>()
  /** By list and code, which list that makes. */
  private readonly made = new Map<number, number>()

  constructor(lists: readonly (readonly string[])[]) {
    this.lists = [...lists]
    for (const [number, list] of lists.entries()) this.byCodes.set(list.join(), number)
  }

  numberOf(code: string): number {
    const known = this.codes.indexOf(code)
    return known >= 0 ? known : this.codes.push(code) - 1
  }

  to(list: number, code: number): number {
    const key = list * MOST_CODES + code
    let number = this.made.get(key)
    if (number === undefined) this.made.set(key, (number = this.make(list, this.codes[code] as string)))
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

/** There are fewer check codes. */
const MOST_CODES = 1 << 10
