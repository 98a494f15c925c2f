import { Hash64 } from '../../model/hash.ts'
import { Provenance, type Segmentation, type Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { writtenTurns } from '../oracles/edges.ts'
import { countOf } from '../oracles/spans.ts'

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

/** One alone, or two, may be no groups: a file may give its rows the names of their tasks, at every step. */
const FEWEST_TORN = 3

/** That a head lists of its torn groups, those with the smallest hashes: enough to see how large they are. */
const MOST_TORN = 16

/** More need not be known of what follows a head. */
const DIFFERENT_RESTS = 2

/** Rows that begin alike, through the last of the turns of their head. Adds up over parts of a dump (`addHeads`). */
export interface HeadCount {
  /** Hash of the ids through the head, so also of what is asked before it. */
  readonly head: string
  readonly rows: number
  /** Those in which a user speaks between the head and the first trained turn. */
  readonly asking: number
  /** Hashes of what lies between, two different ones at most. */
  readonly rests: readonly string[]
  /** Groups, so rows of one prompt, in most rows of which something else lies between: it answers the head, and is no question of the row's own. */
  readonly torn: readonly TornGroup[]
}

export interface TornGroup {
  /** Hash of its name. */
  readonly group: string
  /** How many rows it mostly has where they stand together. */
  readonly rows: number
}

/** The heads of rows. A row that stores the length of its prompt, or says of all of its head that nobody sampled it, tells by itself what is an example. */
export function countHeads(
  views: readonly Pick<TrajectoryView, 'trajectory' | 'ids' | 'mask' | 'segmentation' | 'provenance'>[],
): HeadCount[] {
  const known = new Map<string, { rows: number; asking: number; rests: Set<string>; groups: Map<string, Stretches> }>()
  let [stretch, stretches] = ['', 0]
  for (const { ids, mask, provenance, segmentation, trajectory } of views) {
    const { group, step, place } = trajectory
    const own = JSON.stringify([place.source, step, group])
    if (own !== stretch) stretches++
    stretch = own
    if (segmentation === null || trajectory.promptLength !== null) continue
    const found = headOf({ segmentation, mask, provenance })
    if (found === null || isToldUnsampled(found, provenance)) continue
    const { turns, firstTrained } = found
    const last = turns.at(-1) as Turn
    const head = new Hash64().words(ids, segmentation.padding.left, last.contentEnd).digest()
    const rest = new Hash64().words(ids, last.contentEnd, firstTrained.start).digest()
    let same = known.get(head)
    if (same === undefined) known.set(head, (same = { rows: 0, asking: 0, rests: new Set(), groups: new Map() }))
    same.rows++
    if (segmentation.turns.slice(last.index + 1, firstTrained.index).some(({ kind }) => kind === 'user')) same.asking++
    same.rests.add(rest)
    if (group === null) continue
    const ofGroup = same.groups.get(group) ?? new Map<number, string[]>()
    ofGroup.set(stretches, [...(ofGroup.get(stretches) ?? []), rest])
    same.groups.set(group, ofGroup)
  }
  return [...known].map(([head, { rows, asking, rests, groups }]) => ({
    head,
    rows,
    asking,
    rests: [...rests].slice(0, DIFFERENT_RESTS),
    torn: tornOf(groups),
  }))
}

/** What follows a head in the rows of one group, by where they stand together. */
type Stretches = Map<number, string[]>

/** By the name of the group alone: one that comes back at another step is no second group. */
type Groups = ReadonlyMap<string, Stretches>

/**
 * Groups that are torn. A number may be given again to the rows of another prompt: where several groups begin alike, rows of one prompt are
 * those that stand together, which rows that were shuffled do not. A head of one group alone has that group's question in it, wherever its
 * rows stand.
 */
function tornOf(groups: Groups): TornGroup[] {
  const torn = [...groups].flatMap(([name, stretches]) => {
    const parts = groups.size > 1 ? [...stretches.values()] : [[...stretches.values()].flat()]
    const rows = commonest(parts.map(({ length }) => length))
    const isMostlyTorn = 2 * parts.filter(isTorn).length > parts.length
    return rows === null || !isMostlyTorn ? [] : [{ group: new Hash64().text(name).digest(), rows }]
  })
  return firstTorn(torn)
}

/** Each group once, as large as it is anywhere. */
function firstTorn(torn: readonly TornGroup[]): TornGroup[] {
  return [...sizesOf(torn)]
    .map(([group, rows]) => ({ group, rows }))
    .sort((a, b) => (a.group < b.group ? -1 : 1))
    .slice(0, MOST_TORN)
}

function sizesOf(torn: readonly TornGroup[]): Map<string, number> {
  const sizes = new Map<string, number>()
  for (const { group, rows } of torn) sizes.set(group, Math.max(rows, sizes.get(group) ?? 0))
  return sizes
}

/** The number that half of all or more are; null where there is none. */
function commonest(numbers: readonly number[]): number | null {
  const counts = new Map<number, number>()
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1)
  for (const [number, count] of counts) if (2 * count >= numbers.length) return number
  return null
}

function isToldUnsampled({ turns }: Head, provenance: Uint8Array | null): boolean {
  return (
    provenance !== null &&
    turns.every(({ contentStart, contentEnd }) =>
      provenance.subarray(contentStart, contentEnd).every((each) => each === Provenance.notSampled),
    )
  )
}

/** Files may number other questions alike, so that a group with two of them says nothing yet. */
function isTorn(rests: readonly string[]): boolean {
  const different = new Set(rests).size
  return different > 1 && 2 * different > rests.length
}

/** The heads of two parts of a dump, as if they had been counted together. */
export function addHeads(a: readonly HeadCount[], b: readonly HeadCount[]): HeadCount[] {
  const sums = new Map<string, HeadCount>()
  for (const each of [...a, ...b]) {
    const sum = sums.get(each.head)
    sums.set(
      each.head,
      sum === undefined
        ? each
        : {
            head: each.head,
            rows: sum.rows + each.rows,
            asking: sum.asking + each.asking,
            rests: [...new Set([...sum.rests, ...each.rests])].slice(0, DIFFERENT_RESTS),
            torn: firstTorn([...sum.torn, ...each.torn]),
          },
    )
  }
  return [...sums.values()]
}

/**
 * Rows with a head, and those whose head others have as well, before a user asks. A model that answers twice mostly writes other words, so that the
 * same turns before another question are likely no answers of these rollouts, nor are those of several rows before one and the same question.
 * Rollouts that all open alike look the same: it stays a guess.
 */
export function sharedHeads(counts: readonly HeadCount[]): { readonly heads: number; readonly shared: number } {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)
  const areTorn = areGroups(counts.flatMap(({ torn }) => torn))
  const isShared = ({ rows, rests, torn }: HeadCount) =>
    !(areTorn && torn.length > 0) && (rows >= FEWEST_OF_ONE_PROMPT || rests.length > 1)
  return {
    heads: sum(counts.map(({ rows }) => rows)),
    shared: sum(counts.filter(isShared).map(({ asking }) => asking)),
  }
}

/** Several, of which half or more are equally large: tasks have as many rows as chance gave them. */
function areGroups(torn: readonly TornGroup[]): boolean {
  const sizes = [...sizesOf(torn).values()]
  return sizes.length >= FEWEST_TORN && commonest(sizes) !== null
}
