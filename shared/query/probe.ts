import type { TrajectoryView } from '../checks/check.ts'
import { partitionPoint } from '../model/partition-point.ts'
import type { Finding } from '../model/report.ts'
import type { Message, Trajectory } from '../model/trajectory.ts'
import { type TokenTexts, tokenTexts } from '../tokens/text.ts'
import type { Tokenizer } from '../tokens/tokenizer.ts'
import type { Item, QueryNode } from './language/ast.ts'
import { compileRegex } from './language/regex.ts'
import { wordMatcher } from './match-words.ts'
import { type MessagePiece, messagePieces } from './message-places.ts'
import type { Probe } from './plan.ts'
import { tokensWhere } from './token-places.ts'

/** What was found in one rollout. */
export interface Hit {
  /** `MOST_HITS` where there are as many or more; 0 for none. */
  readonly count: number
  /** Tokens of the first, half-open, in stored ids; -1 where it stands in no token. */
  readonly start: number
  readonly end: number
  /** Index of the message that holds it, where no token does; -1 else. */
  readonly message: number
}

/** More matches in one rollout are not counted: each may take a walk over the whole text. */
export const MOST_HITS = 100

export const NO_HIT: Hit = { count: 0, start: -1, end: -1, message: -1 }

/** One rollout as probes see it; what is dear is made when it is asked for. */
export interface ProbeSubject {
  readonly trajectory: Trajectory
  readonly tokenizer: Tokenizer | null
  /** Null without ids. */
  view(): TrajectoryView | null
  /** Findings of the rollout itself, intended ones excepted. */
  findings(): readonly Finding[]
}

/** Next match from a place on, null where there is none. Matches are never empty. */
type Finder = (text: string) => (from: number) => readonly [number, number] | null

/** Makes what looks for several things in one rollout after the other. Throws for a regular expression that cannot be read. */
export function createProber(probes: readonly Probe[]): (subject: ProbeSubject) => Hit[] {
  const runs = probes.map(createRun)
  return (subject) => {
    const texts = new SubjectTexts(subject)
    return runs.map((run) => run(subject, texts))
  }
}

function createRun(probe: Probe): (subject: ProbeSubject, texts: SubjectTexts) => Hit {
  switch (probe.kind) {
    case 'text': {
      const find = finderOf(probe.text)
      return (subject, texts) => textHit(find, probe.within, subject, texts)
    }
    case 'tokens':
      return (subject) => tokensHit(probe.where, subject)
    case 'finding':
      return (subject) => findingHit(probe.codes, probe.turns, subject)
  }
}

/** The texts of a rollout, made once for all that is looked for in them. */
class SubjectTexts {
  private decoded: TokenTexts | null = null
  private pieces: readonly MessagePiece[] | null = null

  constructor(private readonly subject: ProbeSubject) {}

  /** Null without ids, and where no tokenizer spells them. */
  get tokens(): TokenTexts | null {
    const { trajectory, tokenizer } = this.subject
    if (trajectory.ids === null || tokenizer === null) return null
    this.decoded ??= tokenTexts(tokenizer.table, trajectory.ids)
    return this.decoded
  }

  get messages(): readonly MessagePiece[] {
    this.pieces ??= messagePieces(this.subject.trajectory.messages as readonly Message[] | null)
    return this.pieces
  }
}

function textHit(find: Finder, within: QueryNode | null, subject: ProbeSubject, texts: SubjectTexts): Hit {
  return hitInTokens(find, within, subject, texts) ?? hitInMessages(find, within, texts) ?? NO_HIT
}

function hitInTokens(find: Finder, within: QueryNode | null, subject: ProbeSubject, texts: SubjectTexts): Hit | null {
  const { tokens } = texts
  if (tokens === null) return null
  const { text, textOffsets } = tokens
  if (within === null) {
    const found = countMatches(find(text), MOST_HITS)
    if (found === null) return null
    return { count: found.count, message: -1, ...tokensOf(textOffsets, found.first) }
  }
  const view = subject.view()
  if (view === null) return null
  const fits = tokensWhere(within, view)
  let count = 0
  let first: { start: number; end: number } | null = null
  for (let start = 0, end = 0; start < fits.length && count < MOST_HITS; start = end) {
    while (start < fits.length && fits[start] === 0) start++
    end = start
    while (end < fits.length && fits[end] === 1) end++
    if (end === start) break
    const from = textOffsets[start] as number
    const found = countMatches(find(text.slice(from, textOffsets[end])), MOST_HITS - count)
    if (found === null) continue
    count += found.count
    first ??= tokensOf(textOffsets, [found.first[0] + from, found.first[1] + from])
  }
  return first === null ? null : { count, message: -1, ...first }
}

function hitInMessages(find: Finder, within: QueryNode | null, texts: SubjectTexts): Hit | null {
  let count = 0
  let message = -1
  for (const piece of texts.messages) {
    if (within !== null && !piece.fits(within)) continue
    const found = countMatches(find(piece.text), MOST_HITS - count)
    if (found === null) continue
    if (message < 0) message = piece.message
    count += found.count
    if (count >= MOST_HITS) break
  }
  return count === 0 ? null : { count, start: -1, end: -1, message }
}

function countMatches(
  next: (from: number) => readonly [number, number] | null,
  most: number,
): { count: number; first: readonly [number, number] } | null {
  let match = next(0)
  if (match === null) return null
  const first = match
  let count = 0
  while (match !== null && count < most) {
    count++
    match = next(match[1])
  }
  return { count, first }
}

/** The tokens that spell a stretch of the text. */
function tokensOf(offsets: Uint32Array, [from, to]: readonly [number, number]): { start: number; end: number } {
  // Tokens without text of their own belong to the character before them: the last that begins at the place is the one.
  const start = Math.max(0, partitionPoint(offsets.length - 1, (token) => (offsets[token] as number) <= from) - 1)
  let end = start + 1
  while (end < offsets.length - 1 && (offsets[end] as number) < to) end++
  return { start, end }
}

function tokensHit(where: QueryNode, subject: ProbeSubject): Hit {
  const view = subject.view()
  if (view === null) return NO_HIT
  const fits = tokensWhere(where, view)
  const start = fits.indexOf(1)
  if (start < 0) return NO_HIT
  const after = fits.indexOf(0, start)
  let count = 0
  for (let i = start; i < fits.length && count < MOST_HITS; i++) count += fits[i] as number
  return { count, start, end: after < 0 ? fits.length : after, message: -1 }
}

function findingHit(codes: readonly Item[], turns: QueryNode, subject: ProbeSubject): Hit {
  const view = subject.view()
  if (view === null) return NO_HIT
  const fits = tokensWhere(turns, view)
  const starts = (view.segmentation?.turns ?? []).map(({ start }) => start)
  const matches = wordMatcher(codes, 'whole')
  const isAny = codes.some((code) => code.kind === 'word' && code.text === 'any')
  const found = subject
    .findings()
    .filter(({ code, turn }) => turn !== null && fits[starts[turn] ?? -1] === 1 && (isAny || matches(code)))
  const [first] = found
  if (first === undefined) return NO_HIT
  const [start, end] = first.tokens ?? [-1, -1]
  return { count: Math.min(found.length, MOST_HITS), start, end, message: -1 }
}

function finderOf(text: QueryNode & { kind: 'text' | 'regex' }): Finder {
  if (text.kind === 'regex') {
    const regex = compileRegex(text.source, text.flags)
    return (searched) => {
      const matcher = regex.matcher(searched)
      return (from) => {
        // An empty match is none: it would stand between any two characters.
        let at = from
        for (let tries = 0; tries < MOST_HITS && at <= searched.length && matcher.find(at); tries++) {
          if (matcher.end() > matcher.start()) return [matcher.start(), matcher.end()]
          at = matcher.end() + 1
        }
        return null
      }
    }
  }
  // The program's own, not a person's, and without anything that could repeat: it takes one step a character.
  const literal = new RegExp(text.text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu')
  return (searched) => (from) => {
    literal.lastIndex = from
    const match = literal.exec(searched)
    return match === null ? null : [match.index, match.index + match[0].length]
  }
}
