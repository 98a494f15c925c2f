import { Hash64 } from '../model/hash.ts'
import { Provenance, type Segmentation, type Turn } from '../model/tokens.ts'
import type { TrajectoryView } from './check.ts'
import { writtenTurns } from './edges.ts'
import { countOf } from './spans.ts'

/** Assistant turns with which a row begins and which nothing trains, or says to have been sampled, before the first that is trained. */
interface Head {
  readonly turns: readonly Turn[]
  readonly firstTrained: Turn
}

type Looked = Pick<TrajectoryView, 'mask' | 'provenance'> & { readonly segmentation: Segmentation }

function headOf({ segmentation, mask, provenance }: Looked): Head | null {
  if (mask === null) return null
  const written = writtenTurns(segmentation)
  const first = written.findIndex(({ contentStart, contentEnd }) => countOf(mask, 1, contentStart, contentEnd) > 0)
  const firstTrained = written[first]
  if (first < 1 || firstTrained === undefined) return null
  const turns = written.slice(0, first)
  const isSampled = ({ contentStart, contentEnd }: Turn) =>
    provenance !== null && countOf(provenance, Provenance.sampled, contentStart, contentEnd) > 0
  return turns.some(isSampled) ? null : { turns, firstTrained }
}

/** Where the prompt of a row ends whose dump stores no length of prompts, and has examples in them; null where it has none. */
export function endOfExamples(row: Looked): number | null {
  return headOf(row)?.firstTrained.contentStart ?? null
}

/** Rows before one and the same question show less: so many of them must begin alike. */
const FEWEST_OF_ONE_PROMPT = 4

/**
 * Rows with a head, and those whose head others have as well. A model that answers twice writes other words, so that the same turns before
 * another question are no answers of these rollouts, nor are those of several rows before one and the same question. A user must ask again.
 * A row that stores the length of its prompt says by itself what is an example.
 */
export function countHeads(views: readonly TrajectoryView[]): { readonly heads: number; readonly sharedHeads: number } {
  const known = new Map<string, { rows: number; readonly rests: Set<string> }>()
  const rows: { readonly head: string; readonly asks: boolean }[] = []
  for (const { ids, mask, provenance, segmentation, trajectory } of views) {
    if (segmentation === null || trajectory.promptLength !== null) continue
    const found = headOf({ segmentation, mask, provenance })
    if (found === null) continue
    const { turns, firstTrained } = found
    const last = turns.at(-1) as Turn
    const hash = new Hash64()
    for (const { contentStart, contentEnd } of turns) hash.words(ids, contentStart, contentEnd)
    const head = hash.digest()
    const asks = segmentation.turns.slice(last.index + 1, firstTrained.index).some(({ kind }) => kind === 'user')
    rows.push({ head, asks })
    const rest = new Hash64().words(ids, last.contentEnd, firstTrained.start).digest()
    const same = known.get(head) ?? { rows: 0, rests: new Set<string>() }
    known.set(head, { rows: same.rows + 1, rests: same.rests.add(rest) })
  }
  const isShared = (head: string) => {
    const { rows: same = 0, rests } = known.get(head) ?? {}
    return same >= FEWEST_OF_ONE_PROMPT || (rests?.size ?? 0) > 1
  }
  const shared = rows.filter(({ head, asks }) => asks && isShared(head))
  return { heads: rows.length, sharedHeads: shared.length }
}
