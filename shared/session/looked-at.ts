import { CHECKS } from '../checks/registry.ts'

/** Twice as many bits as a number holds are enough for all checks. */
const BITS = 48

const PLACES: ReadonlyMap<string, number> = new Map(CHECKS.map(({ code }, place) => [code, place]))

/** The texts that were made: the rollouts of a dump are looked at by the same checks, or nearly so. */
const texts = new Map<number, Map<number, string>>()
const MOST_KEPT = 1 << 12
let kept = 0

/** The checks that found something to look at in one rollout. */
export class LookedAt {
  private low = 0
  private high = 0

  /** @param code of a check that was not added before */
  add(code: string): void {
    const place = PLACES.get(code) as number
    if (place < BITS) this.low += 2 ** place
    else this.high += 2 ** (place - BITS)
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
    return CHECKS.filter(({ code }) => {
      const place = PLACES.get(code) as number
      const [bits, bit] = place < BITS ? [this.low, place] : [this.high, place - BITS]
      return Math.floor(bits / 2 ** bit) % 2 === 1
    }).map(({ code }) => code)
  }
}

/** Whether the check is among those of such a text. A letter begins a code, so that no code is found across two. */
export function looksAt(text: string, code: string): boolean {
  return text.includes(code)
}
