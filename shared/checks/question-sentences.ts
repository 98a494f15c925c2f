/** A question of more characters is told by its words alone: documents follow it by the page, and their sentences would cost more than they tell. */
const MOST_CHARACTERS = 1 << 14

/** How many sentences at either end may be what a run puts around each question. */
const AT_AN_END = 4

/** Lines are sentences too, and so is what stands before a colon, as in `Question: who …`. */
const BETWEEN = /\n|(?<=[.?!:]["')\]*_]{0,3})\s+|(?<=[。？！：])/u

/** Hexadecimal digits of a digest that are kept: sums of such numbers stay whole. */
const DIGITS = 12
const RANGE = 16 ** DIGITS

/**
 * A question by its sentences, so that it is found again in a run that puts others around it: the sum of the digests of all of them, and behind it those
 * of the sentences at either end, in hexadecimal digits with blanks between them. Null where it is one sentence, whose digest is that of its words, and
 * where it is too long.
 */
export function questionSentences(content: string, digestOf: (sentence: string) => string | null): string | null {
  if (content.length > MOST_CHARACTERS) return null
  const digests = content.split(BETWEEN).flatMap((sentence) => digestOf(sentence)?.slice(0, DIGITS) ?? [])
  if (digests.length < 2) return null
  const sum = digests.reduce(plus, NOTHING)
  const head = digests.slice(0, AT_AN_END)
  const tail = digests.slice(AT_AN_END).slice(-AT_AN_END)
  return [sum, ...head, ...tail].join(' ')
}

/** Digest of no sentences. */
const NOTHING = spelt(0)

function plus(sum: string, digest: string): string {
  return spelt((numberOf(sum) + numberOf(digest)) % RANGE)
}

function minus(sum: string, digest: string): string {
  return spelt((numberOf(sum) - numberOf(digest) + RANGE) % RANGE)
}

function numberOf(digits: string): number {
  return Number.parseInt(digits, 16)
}

function spelt(value: number): string {
  return value.toString(16).padStart(DIGITS, '0')
}

/** A question as a run has it, once for all of its rollouts. */
export interface KnownQuestion {
  /** Digest of its words. */
  readonly words: string
  /** As `questionSentences` gives them; null where it is one sentence. */
  readonly sentences: string | null
}

/** What is left of each question without the sentences that half of the questions of its run have. */
export function ownSentences(questions: readonly KnownQuestion[]): string[] {
  const known = questions.map(({ words, sentences }) => {
    const only = words.slice(0, DIGITS)
    return sentences === null ? [only, only] : sentences.split(' ')
  })
  const count = new Map<string, number>()
  for (const [, ...ends] of known) for (const each of new Set(ends)) count.set(each, (count.get(each) ?? 0) + 1)
  const isOfAll = (sentence: string) => {
    const questionsWith = count.get(sentence) as number
    return questionsWith > 1 && questionsWith * 2 >= questions.length
  }
  return known.map(([sum, ...ends]) => ends.filter(isOfAll).reduce(minus, sum as string))
}

/** Whether nothing is left of a question. */
export function hasNoSentences(left: string): boolean {
  return left === NOTHING
}
