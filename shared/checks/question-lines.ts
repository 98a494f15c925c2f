/** A question of more characters is told by its words alone: documents follow it by the page, and their lines would cost more than they tell. */
const MOST_CHARACTERS = 1 << 14

/** How many lines at either end may be what a run puts around each question. */
const LINES_AT_AN_END = 4

/** What stands before a question in its own line, as in `Question: who …` and `**Q:** who …`. */
const LABEL = /^[\s*_#>]*[\p{L}][\p{L}\p{N} ]{0,23}[*_]*:[*_]*(?=\s+\S)/u

/**
 * A question by its lines, so that it is found again in a run that puts others around it: the sum of the digests of all of them, and behind it those of
 * the lines at either end, in hexadecimal digits with blanks between them. Null where it has nothing but one line without a label, whose digest is that
 * of its words, and where it is too long.
 */
export function questionLines(content: string, digestOf: (line: string) => string | null): string | null {
  if (content.length > MOST_CHARACTERS) return null
  const lines = content.split('\n')
  const digests = lines.flatMap((line) => digestOf(line.replace(LABEL, '')) ?? [])
  const isPlain = digests.length < 2 && !lines.some((line) => LABEL.test(line))
  if (digests.length === 0 || isPlain) return null
  const sum = digests.reduce((all, digest) => plus(all, digest), NOTHING)
  const head = digests.slice(0, LINES_AT_AN_END)
  const tail = digests.slice(LINES_AT_AN_END).slice(-LINES_AT_AN_END)
  return [sum, ...head, ...tail].join(' ')
}

/** Digest of no lines. */
const NOTHING = '0'.repeat(16)

function plus(sum: string, digest: string): string {
  return spelt(BigInt(`0x${sum}`) + BigInt(`0x${digest}`))
}

function minus(sum: string, digest: string): string {
  return spelt(BigInt(`0x${sum}`) - BigInt(`0x${digest}`))
}

function spelt(value: bigint): string {
  return BigInt.asUintN(64, value).toString(16).padStart(NOTHING.length, '0')
}

/** A question as a run has it, once for all of its rollouts. */
export interface KnownQuestion {
  /** Digest of its words. */
  readonly words: string
  /** As `questionLines` gives them; null where they are the words. */
  readonly lines: string | null
}

/** What is left of each question without the lines that half of the questions of its run have; no question without such lines is left out. */
export function ownLines(questions: readonly KnownQuestion[]): string[] {
  const ends = questions.map(({ words, lines }) => (lines === null ? [words, words] : lines.split(' ')))
  const count = new Map<string, number>()
  for (const [, ...own] of ends) for (const line of new Set(own)) count.set(line, (count.get(line) ?? 0) + 1)
  const isOfAll = (line: string) => {
    const questionsWith = count.get(line) as number
    return questionsWith > 1 && questionsWith * 2 >= questions.length
  }
  return ends.map(([sum, ...own]) => own.filter(isOfAll).reduce(minus, sum as string))
}

/** Whether nothing is left of a question. */
export function hasNoLines(left: string): boolean {
  return left === NOTHING
}
