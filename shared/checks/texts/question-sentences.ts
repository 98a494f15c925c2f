/** A question of more characters is told by its words alone: documents follow it by the page, and their sentences would cost more than they tell. */
const MOST_CHARACTERS = 1 << 14

/** How many sentences at either end may be what a run puts around each question. */
const AT_AN_END = 4

/** Lines are sentences too, and so is what stands before a colon, as in `Question: who …`. */
const BETWEEN = /\n|(?<=[.?!:]["')\]*_]{0,3})\s+|(?<=[。？！：])/u

/** A number that is given to a question says nothing of what is asked: another run, or another dataset, may number other ones. */
const NUMBERED = /^[\s*_#>]*\p{L}{0,12}[ .]{0,2}\d{1,9}["')\]*_]{0,3}[:.]["')\]*_]{0,3}$/u

/** Hexadecimal digits of a digest that are kept: sums of such numbers stay whole. */
const DIGITS = 12
const RANGE = 16 ** DIGITS

/**
 * A question by its sentences, so that it is found again in a run that puts others around it: the sum of their different digests, and behind it those
 * of the sentences at either end, in hexadecimal digits with blanks between them. Null where it is one sentence, whose digest is that of its words, and
 * where it is too long.
 */
export function questionSentences(content: string, digestOf: (sentence: string) => string | null): string | null {
  if (content.length > MOST_CHARACTERS) return null
  const short = (text: string) => digestOf(text)?.slice(0, DIGITS) ?? []
  const sentences = content.split(BETWEEN).filter((sentence) => !NUMBERED.test(sentence))
  // Each once: what comes again and again could not be taken off where it stands in the middle.
  const digests = [...new Set(sentences.flatMap(short))]
  if (digests.length === 0 || (digests.length === 1 && digests[0] === short(content))) return null
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
function ownSentences(questions: readonly KnownQuestion[]): string[] {
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

/**
 * The places of a run's questions by what is left of each without the sentences that half of them have. None of which nothing is left, nor of several
 * that have the same left.
 */
export function byOwnSentences(questions: readonly KnownQuestion[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  const several = new Set([NOTHING])
  for (const [place, left] of ownSentences(questions).entries()) {
    if (places.has(left)) several.add(left)
    places.set(left, place)
  }
  for (const left of several) places.delete(left)
  return places
}
