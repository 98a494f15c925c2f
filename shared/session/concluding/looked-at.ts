import { CHECKS } from '../../checks/registry.ts'

/** Twice as many bits as a number holds are enough for all checks. */
const BITS = 48

/** What stands for a check: a bit of one of two numbers. */
interface CheckBit {
  readonly isHigh: boolean
  readonly bit: number
}

const CHECK_BITS: ReadonlyMap<string, CheckBit> = new Map(
  CHECKS.map(({ code }, place) => [code, { isHigh: place >= BITS, bit: 2 ** (place % BITS) }]),
)

/** That of a check, by its code: the same for all rollouts. */
export function bitOf(code: string): CheckBit {
  return CHECK_BITS.get(code) as CheckBit
}

/** The texts that were made: the rollouts of a dump are looked at by the same checks, or nearly so. */
const texts = new Map<number, Map<number, string>>()
const MOST_KEPT = 1 << 12
let kept = 0

/** The checks that found something to look at in one rollout. */
export class LookedAt {
  private low = 0
  private high = 0

  /** Adds a check that was not added before. */
  add({ isHigh, bit }: CheckBit): void {
    if (isHigh) this.high += bit
    else this.low += bit
  }

  /** Their codes, as `looksAt` reads them. */
  text(): string {
    let ofHigh = texts.get(this.high)
    let text = ofHigh?.get(this.low)
    if (text !== undefined) return text
    text = this.codes().join('')
    if (kept++ >= MOST_KEPT) {
      texts.clear()
      kept = 1
      ofHigh = undefined
    }
    if (ofHigh === undefined) texts.set(this.high, (ofHigh = new Map()))
    ofHigh.set(this.low, text)
    return text
  }

  private codes(): string[] {
    const codes = CHECKS.map(({ code }) => code)
    return codes.filter((code) => {
      const { isHigh, bit } = bitOf(code)
      return Math.floor((isHigh ? this.high : this.low) / bit) % 2 === 1
    })
  }
}

/** Whether the check is among those of such a text. A letter begins a code, so that no code is found across two. */
export function looksAt(text: string, code: string): boolean {
  return text.includes(code)
}
