import type { Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { OfLast } from '../of-last.ts'
import { edgesIn } from './edges.ts'
import { isAsExpected } from './shape.ts'

/** Places of which none is affected, in turns that come in order: what `Reporter.place` counts one by one. */
export class SoundPlaces {
  count = 0
  /** Of the turns in which they are, each once. */
  readonly ordinals: number[] = []
  /** The edges that they are at, in the order in which they come, and how many are at each. */
  readonly edges: string[] = []
  readonly counts: number[] = []
  /** The last one is the end of the row. */
  endsRow = false

  add(ordinal: number, edge: string): void {
    const { ordinals, edges, counts } = this
    this.count++
    if (ordinals[ordinals.length - 1] !== ordinal) ordinals.push(ordinal)
    const at = edges.indexOf(edge)
    if (at < 0) {
      edges.push(edge)
      counts.push(1)
    } else counts[at] = (counts[at] as number) + 1
  }
}

/** What checks look at in the turns of a plain rollout. */
export interface PlainTurns {
  /** The turns of the model, by the edges before them. */
  readonly written: SoundPlaces
  /** The words of others. */
  readonly others: SoundPlaces
  /** The headers of the model's turns, and of those behind them. */
  readonly headers: SoundPlaces
  /** The end tokens of the model's turns, and the newlines behind them, by the edges after them. */
  readonly ends: SoundPlaces
  readonly separators: SoundPlaces
  /** Turns of the model behind which the row goes on. */
  readonly followed: SoundPlaces
}

const known = new OfLast<TrajectoryView, PlainTurns | null>()

/**
 * The turns of a rollout in which nothing is out of the ordinary, which most are: all have a header and an end token, and the mask is what is expected of
 * the ids and of what the dump says of who wrote them, so that ten checks have nothing to look for. Null of others.
 */
export function plainTurns(view: TrajectoryView): PlainTurns | null {
  let plain = known.get(view)
  if (plain === undefined) {
    plain = findPlain(view)
    known.set(view, plain)
  }
  return plain
}

function findPlain(view: TrajectoryView): PlainTurns | null {
  const { segmentation, expected, expectedRl } = view
  if (segmentation === null || expected !== expectedRl || !isAsExpected(view)) return null
  const { turns } = segmentation
  const mask = view.mask as Uint8Array
  for (const turn of turns) if (!isPlain(turn, mask)) return null
  const plain: PlainTurns = {
    written: new SoundPlaces(),
    others: new SoundPlaces(),
    headers: new SoundPlaces(),
    ends: new SoundPlaces(),
    separators: new SoundPlaces(),
    followed: new SoundPlaces(),
  }
  const edges = edgesIn(segmentation)
  for (let i = 0; i < turns.length; i++) {
    const turn = turns[i] as Turn
    if (turn.kind === 'assistant') addWritten(plain, turn, edges, i < turns.length - 1)
    else addOther(plain, turn, edges, turns[i - 1]?.kind === 'assistant')
  }
  const last = turns.at(-1)
  plain.ends.endsRow = last?.kind === 'assistant'
  plain.separators.endsRow = plain.ends.endsRow && (last as Turn).end > (last as Turn).separatorStart
  return plain.written.count === 0 ? null : plain
}

function addWritten(
  plain: PlainTurns,
  { index, ordinal, separatorStart, end }: Turn,
  edges: readonly string[],
  isFollowed: boolean,
): void {
  const before = edges[index] as string
  const after = edges[index + 1] as string
  plain.written.add(ordinal, before)
  plain.headers.add(ordinal, before)
  plain.ends.add(ordinal, after)
  if (end > separatorStart) plain.separators.add(ordinal, after)
  if (isFollowed) plain.followed.add(ordinal, after)
}

function addOther(plain: PlainTurns, turn: Turn, edges: readonly string[], isBehindWritten: boolean): void {
  const { index, ordinal, contentStart, contentEnd } = turn
  const before = edges[index] as string
  if (contentEnd > contentStart) plain.others.add(ordinal, before)
  if (isBehindWritten) plain.headers.add(ordinal, before)
}

/**
 * What such a mask trains of it is known then: all that the model wrote of it, through its end, and nothing else. An end token that nobody sampled is
 * rightly masked, and no end that M10 looks at; a reply inside of a turn is a place of M01.
 */
function isPlain({ kind, header, contentStart, contentEnd, endToken, spans }: Turn, mask: Uint8Array): boolean {
  if (header !== 'present' || endToken < 0) return false
  if (kind !== 'assistant') return kind !== 'other'
  if (contentEnd === contentStart || mask[contentEnd - 1] !== 1 || mask[endToken] !== 1) return false
  return spans.every(({ part }) => part !== 'tool')
}
