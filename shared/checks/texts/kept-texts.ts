/**
 * What was found out about texts that come again and again, as those that a group or a whole run shares. Holds the last
 * `most` of them at least, and none that is long.
 */
export class KeptTexts<T> {
  private found = new Map<string, T>()
  /** What was found before that; a text that is asked for again is taken over. */
  private before = new Map<string, T>()

  /** Who asks for one text often asks for it again: it is sooner compared than hashed, which is done anew for each text that was just decoded. */
  private last = ''
  private ofLast: T | undefined

  constructor(private readonly most: number) {}

  of(text: string, find: (text: string) => T): T {
    if (text.length > LONGEST) return find(text)
    if (text === this.last && this.ofLast !== undefined) return this.ofLast
    const known = this.keep(text, find)
    this.last = text
    this.ofLast = known
    return known
  }

  private keep(text: string, find: (text: string) => T): T {
    let known = this.found.get(text)
    if (known !== undefined) return known
    known = this.before.get(text) ?? find(text)
    if (this.found.size >= this.most) {
      this.before = this.found
      this.found = new Map()
    }
    this.found.set(text, known)
    return known
  }
}

const LONGEST = 1 << 14
