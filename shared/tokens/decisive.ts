/** How the ids of one sequence fit one candidate. */
export interface SequenceFit {
  readonly unknown: number
  /** The first four of those, each once. */
  readonly unknownIds: readonly number[]
  /** Turn starts, and those that a role name follows. */
  readonly starts: number
  readonly headers: number
  /** It begins with BOS, ends with a token that ends texts, or is padded. */
  readonly edge: boolean
  /** Turns that open with a tag which this vocabulary spells. */
  readonly speltTags: number
  readonly defaultSystem: boolean
}

/** A sequence that was looked at: how many ids it has, and how they fit each candidate. */
export interface FittedSequence {
  readonly length: number
  readonly fits: readonly SequenceFit[]
}

/** What is looked at first; more would mostly not tell more. */
const MOST_IDS = 2_000_000
const MOST_SEQUENCES = 32
/** Sequences behind those that tell families apart, for where the first ones do not: an environment without thoughts or tools comes first. */
const MOST_TELLING = 8

/**
 * The first sequences that have ids, as many as mostly decide, and of those behind them a few that say what the first may leave open: one with turns
 * where they have none, and those that tell families apart. Of parts of a dump, put together, they are the same as of all of it.
 *
 * @param mayTell whether a sequence may hold an id that not every candidate has; it is not fitted otherwise
 */
export function fitDecisive<Sequence extends { readonly length: number }>(
  sequences: readonly Sequence[],
  look: (sequence: Sequence) => FittedSequence,
  mayTell: (sequence: Sequence) => boolean,
): FittedSequence[] {
  const end = endOfLeading(sequences)
  const kept = withIds(sequences.slice(0, end)).map(look)
  let seeksTurns = !kept.some(hasTurns)
  let telling = 0
  for (const sequence of withIds(sequences.slice(end))) {
    if (!seeksTurns && (telling === MOST_TELLING || !mayTell(sequence))) continue
    const fitted = look(sequence)
    const tells = telling < MOST_TELLING && tellsApart(fitted)
    if (tells || (seeksTurns && hasTurns(fitted))) kept.push(fitted)
    if (tells) telling++
    seeksTurns &&= !hasTurns(fitted)
  }
  return kept
}

/** As `fitDecisive`, of sequences that were fitted before. */
export function decisive(sequences: readonly FittedSequence[]): FittedSequence[] {
  return fitDecisive(
    sequences,
    (sequence) => sequence,
    () => true,
  )
}

/** Those of the decisive ones that are simply the first. */
export function leading(sequences: readonly FittedSequence[]): FittedSequence[] {
  return withIds(sequences.slice(0, endOfLeading(sequences)))
}

function endOfLeading(sequences: readonly { readonly length: number }[]): number {
  let kept = 0
  let total = 0
  for (const [at, { length }] of sequences.entries()) {
    if (total >= MOST_IDS || kept === MOST_SEQUENCES) return at
    if (length > 0) kept++
    total += length
  }
  return sequences.length
}

function withIds<Sequence extends { readonly length: number }>(sequences: readonly Sequence[]): Sequence[] {
  return sequences.filter(({ length }) => length > 0)
}

function hasTurns({ fits }: FittedSequence): boolean {
  return fits.some(({ headers }) => headers > 0)
}

/** One candidate opens its turns and has all its ids, another that opens them too does not. */
function tellsApart({ fits }: FittedSequence): boolean {
  const framed = fits.filter(({ headers }) => headers > 0)
  return framed.some(({ unknown }) => unknown === 0) && framed.some(({ unknown }) => unknown > 0)
}
