import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Span } from '../../model/tokens.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { chanceOfAtLeast } from '../reporting/chance.ts'
import type { CutSide } from './cut-text.ts'
import { LEAST_TOKENS } from './long-replies.ts'
import { kindsOf } from './reply-kinds.ts'

/** Replies of one length, at which a limit cut them. */
export interface ReplyPile {
  readonly unit: PileUnit
  /** What was cut away: an end or a start, where they end or begin in mid-sentence; null where neither shows, as where their middle is gone. */
  readonly side: Exclude<CutSide, 'middle'> | null
  /** Tokens or characters of the text between the tags. */
  readonly length: number
  /** The kind of replies (`kindsOf`) of which none is longer; null where no reply is. */
  readonly kind: string | null
  /** How many replies there are, of how many rollouts, and of how many texts. */
  readonly replies: number
  readonly rollouts: number
  readonly texts: number
}

export const PILE_UNITS = ['characters', 'tokens'] as const
export type PileUnit = (typeof PILE_UNITS)[number]
export type LongReply = NonNullable<TrajectoryFacts['longReplies']>[number]

/**
 * The greatest length of a tool reply, in characters or in tokens, where different texts of several rollouts have exactly that length, and
 * fewer have each of those just below it. They end in mid-sentence at different words, or begin so, or, where neither shows, the other
 * lengths are many. Null where there is none: replies of one format may be equally long, but they end alike or are no prose, and those that
 * a tool keeps short are of many lengths.
 */
export function replyPile(facts: readonly TrajectoryFacts[], thresholds: Thresholds): ReplyPile | null {
  const columns = new FactColumns(facts)
  const has = columns.present('longReplies')
  const piles = PILE_UNITS.flatMap((unit) => {
    const longest = columns.numbers('longestReply', unit)
    return pileIn(facts, unit, longest, has, thresholds) ?? []
  })
  const [first, second] = piles
  return first !== undefined && second !== undefined && second.rollouts > first.rollouts ? second : (first ?? null)
}

function pileIn(
  facts: readonly TrajectoryFacts[],
  unit: PileUnit,
  longest: Float64Array,
  has: Uint8Array,
  thresholds: Thresholds,
): ReplyPile | null {
  let most = 0
  for (let i = 0; i < longest.length; i++) if ((longest[i] as number) > most) most = longest[i] as number
  if (most === 0) return null
  const exactly = rowsAt(facts, unit, longest, has, most, thresholds)
  for (const side of ['right', 'left', null] as const) {
    const pile = pileOf(exactly, side, thresholds)
    if (pile !== null) return { unit, side, length: most, kind: null, ...pile }
  }
  return null
}

/** Rollouts with replies of one length, and how many others there are. */
export interface RowsAt {
  /** Replies of this length by rollout. */
  readonly rows: readonly (readonly LongReply[])[]
  /** Rollouts with long replies, and those of which the longest lies just below the length. */
  readonly measured: number
  readonly below: number
  /** Other lengths that replies have which are clearly shorter, and yet long. */
  others(): number
}

function rowsAt(
  facts: readonly TrajectoryFacts[],
  unit: PileUnit,
  longest: Float64Array,
  has: Uint8Array,
  length: number,
  thresholds: Thresholds,
): RowsAt {
  const rows: (readonly LongReply[])[] = []
  const margin = thresholds['near-limit-tokens']
  let [measured, near] = [0, 0]
  const shorterOnes = new Set<number>()
  for (let i = 0; i < longest.length; i++) {
    const own = longest[i] as number
    if (Number.isNaN(own)) continue
    measured++
    if (own >= length - margin) near++
    else shorterOnes.add(own)
    if (own < length || has[i] !== 1) continue
    const there = ofLength(facts[i] as TrajectoryFacts, { unit, length })
    if (there.length > 0) rows.push(there)
  }
  const others = () => {
    const shortest = rows.flat().reduce((least, { tokens }) => Math.min(least, tokens), Number.POSITIVE_INFINITY)
    const { values } = new FactColumns(facts).lists('toolReplyLengths')
    const inTokens = new Set(values.filter((tokens) => tokens >= LEAST_TOKENS && tokens < shortest - margin)).size
    // Texts of equally many characters have few tokens and many: of the longest replies the length is known in the unit itself.
    return Math.max(inTokens, shorterOnes.size)
  }
  return { rows, measured, below: near - rows.length, others }
}

/**
 * A pile on one side, with all replies of its length: some were cut at the end of a sentence by chance. Null where it is none.
 *
 * @param asksMore it is one of many that are looked for
 */
export function pileOf(
  { rows, measured, below, others }: RowsAt,
  side: ReplyPile['side'],
  thresholds: Thresholds,
  asksMore = false,
): Pick<ReplyPile, 'replies' | 'rollouts' | 'texts'> | null {
  const {
    'near-limit-tokens': margin,
    'pile-up-rollouts': least,
    'pile-up-share': share,
    'pile-up-chance': mostChance,
  } = thresholds
  const showing = rows
    .map((replies) => replies.filter(({ open }) => (side === null ? open !== 'dense' : open === side)))
    .filter((replies) => replies.length > 0)
  const distinct = (replies: readonly LongReply[], of: 'text' | 'edge') => new Set(replies.map((each) => each[of])).size
  const texts = distinct(showing.flat(), 'text')
  const enough = showing.length >= least && texts >= least && showing.length >= share * measured
  // Where the middle is gone the ends are those of whole documents, of which a few come again and again.
  const differ = distinct(showing.flat(), 'edge') >= (side === null ? least : texts / 2)
  // More than stand at each length just below it.
  const isPeak = showing.length * margin >= (below + rows.length - showing.length) * least
  if (!enough || !differ || !isPeak) return null
  // Where no end shows it, chance must do less, which gives one text one length; and where every reply is of one length, its format may be what
  // makes it so.
  const byChance = () => chanceOfAtLeast(texts, texts + below + rows.length - showing.length, 1 / (margin + 1))
  const isSure = side !== null && !asksMore
  if (!isSure && (showing.length < 2 * least || byChance() >= mostChance)) return null
  if (side === null && others() < least) return null
  const all = rows.flat()
  return { replies: all.length, rollouts: rows.length, texts: distinct(all, 'text') }
}

function ofLength({ longReplies = [] }: TrajectoryFacts, { unit, length }: Pick<ReplyPile, 'unit' | 'length'>) {
  return longReplies.filter((reply) => reply[unit] === length)
}

/** A rollout's replies that are as long as the pile, and of its kind. */
export function atPile(
  row: TrajectoryFacts,
  pile: Pick<ReplyPile, 'unit' | 'length' | 'kind'>,
): readonly (Span & Record<PileUnit, number>)[] {
  const { kind, unit, length } = pile
  if (kind === null) return ofLength(row, pile)
  return (row.longestOfKinds ?? []).filter((reply) => reply[unit] === length && kindsOf(reply).includes(kind))
}
