import { addHeads, type HeadCount } from '../../checks/reporting/examples.ts'
import { decisive, type FittedSequence, type SequenceFit } from '../../tokens/decisive.ts'
import { type KinEvidence, kinName } from '../opening/kin.ts'
import { type Cells, COUNT, ColumnError, FLAG, NUMBER, readSome, TEXT, writeColumn } from './columns.ts'
import { listOf, recordOf } from './composites.ts'
import type { KinState } from './state-shape.ts'

const FIT: Cells<SequenceFit> = recordOf(
  {
    unknown: COUNT,
    unknownIds: listOf(NUMBER),
    starts: COUNT,
    headers: COUNT,
    edge: FLAG,
    speltTags: COUNT,
    defaultSystem: FLAG,
  },
  ':',
)

const HEAD: Cells<HeadCount> = recordOf(
  {
    head: TEXT,
    rows: COUNT,
    asking: COUNT,
    rests: listOf(TEXT),
    torn: listOf(recordOf({ group: TEXT, rows: COUNT }, ';')),
  },
  ':',
)

export function encodeKin({
  key,
  model,
  sources,
  sequences,
  candidates,
  fitted,
  alignment,
  shapes,
  shifts,
  paddedEnds,
  heads,
}: KinEvidence): KinState {
  return {
    format: key.formatId,
    families: key.families === null ? null : [...key.families],
    first_model: key.model,
    model,
    sources: writeColumn(COUNT, sources),
    sequences,
    candidates: candidates.map(({ id, size, start, spellings }) => ({ id, size, start, spellings: { ...spellings } })),
    lengths: writeColumn(
      COUNT,
      fitted.map(({ length }) => length),
    ),
    fits: candidates.map((_, i) =>
      writeColumn(
        FIT,
        fitted.map(({ fits }) => fits[i] as SequenceFit),
      ),
    ),
    alignment: {
      masked: alignment.masked,
      one_shorter: alignment.onTargets,
      compared: alignment.compared,
      early: alignment.early,
    },
    shapes: {
      multi_turn: shapes.multiTurn,
      last_only: shapes.lastOnly,
      closed_turns: shapes.closedTurns,
      newline_only: shapes.newlineOnly,
      earlier_thoughts: shapes.earlierThoughts,
      earlier_thoughts_masked: shapes.earlierThoughtsMasked,
      last_thoughts: shapes.lastThoughts,
      last_thoughts_masked: shapes.lastThoughtsMasked,
      with_blocks: shapes.withBlocks,
      own_blocks: shapes.ownBlocks,
      tags_left_out: shapes.tagsLeftOut,
      tags_trained: shapes.tagsTrained,
      tags_of_both: shapes.tagsOfBoth,
      own_tags: shapes.ownTags,
    },
    shifts: {
      late: shifts.late,
      not_late: shifts.notLate,
      late_behind_thought: shifts.lateBehindMasked,
      early: shifts.early,
      not_early: shifts.notEarly,
      unclear: shifts.unclear,
    },
    padded_ends: { trained: paddedEnds.trained, untrained: paddedEnds.untrained },
    ...(heads.length === 0 ? {} : { heads: writeColumn(HEAD, heads) }),
  }
}

/**
 * The kins of a report with so many sources, which get numbers from `first` on. Throws `ColumnError`, also where a source is of no
 * kin or of two.
 */
export function decodeKins(states: readonly KinState[], sources: number, first: number): KinEvidence[] {
  const kins = states.map((state) => decodeKin(state, first))
  const members = kins.flatMap((kin) => kin.sources).sort((a, b) => a - b)
  if (members.length !== sources || members.some((source, i) => source !== first + i)) {
    throw new ColumnError(`sources do not name each of ${sources} once`)
  }
  return kins
}

function decodeKin(state: KinState, first: number): KinEvidence {
  const lengths = readSome(COUNT, state.lengths)
  const columns = state.fits.map((column) => readSome(FIT, column))
  if (columns.length !== state.candidates.length || columns.some((column) => column.length !== lengths.length)) {
    throw new ColumnError('fits and candidates do not go together')
  }
  return {
    key: { formatId: state.format, families: state.families, model: state.first_model },
    sources: readSome(COUNT, state.sources).map((source) => first + source),
    sequences: state.sequences,
    model: state.model,
    candidates: state.candidates,
    fitted: lengths.map(
      (length, row): FittedSequence => ({ length, fits: columns.map((column) => column[row] as SequenceFit) }),
    ),
    alignment: {
      masked: state.alignment.masked,
      onTargets: state.alignment.one_shorter,
      compared: state.alignment.compared,
      early: state.alignment.early,
    },
    shapes: {
      multiTurn: state.shapes.multi_turn,
      lastOnly: state.shapes.last_only,
      closedTurns: state.shapes.closed_turns,
      newlineOnly: state.shapes.newline_only,
      earlierThoughts: state.shapes.earlier_thoughts,
      earlierThoughtsMasked: state.shapes.earlier_thoughts_masked,
      lastThoughts: state.shapes.last_thoughts,
      lastThoughtsMasked: state.shapes.last_thoughts_masked,
      withBlocks: state.shapes.with_blocks ?? 0,
      ownBlocks: state.shapes.own_blocks ?? 0,
      tagsLeftOut: state.shapes.tags_left_out ?? 0,
      tagsTrained: state.shapes.tags_trained ?? 0,
      tagsOfBoth: state.shapes.tags_of_both ?? 0,
      ownTags: state.shapes.own_tags ?? 0,
    },
    shifts: {
      late: state.shifts?.late ?? 0,
      notLate: state.shifts?.not_late ?? 0,
      lateBehindMasked: state.shifts?.late_behind_thought ?? 0,
      early: state.shifts?.early ?? 0,
      notEarly: state.shifts?.not_early ?? 0,
      unclear: state.shifts?.unclear ?? 0,
    },
    paddedEnds: { trained: state.padded_ends?.trained ?? 0, untrained: state.padded_ends?.untrained ?? 0 },
    heads: readSome(HEAD, state.heads ?? ''),
  }
}

/** The evidence of the kins of several parts of a run, as if the sources of all parts had been surveyed together. */
export function addKins(parts: readonly (readonly KinEvidence[])[]): KinEvidence[] {
  const sums = new Map<string, KinEvidence>()
  for (const kin of parts.flat()) {
    const name = kinName(kin.key)
    const sum = sums.get(name)
    sums.set(name, sum === undefined ? kin : addKin(sum, kin))
  }
  return [...sums.values()]
}

function addKin(a: KinEvidence, b: KinEvidence): KinEvidence {
  if (!sameFamilies(a.candidates, b.candidates)) {
    throw new ColumnError(`candidates of ${a.key.formatId} are not those of another report`)
  }
  const fitted = decisive([...a.fitted, ...b.fitted])
  // Looked at together, no more sequences are kept; what the others lacked is spelt no longer.
  const unknown = new Set(fitted.flatMap(({ fits }) => fits.flatMap(({ unknownIds }) => unknownIds)))
  return {
    key: a.key,
    sources: [...a.sources, ...b.sources],
    sequences: a.sequences + b.sequences,
    model: a.model ?? b.model,
    candidates: a.candidates.map((candidate, i) => ({
      ...candidate,
      spellings: Object.fromEntries(
        Object.entries({ ...candidate.spellings, ...b.candidates[i]?.spellings }).filter(([id]) =>
          unknown.has(Number(id)),
        ),
      ),
    })),
    fitted,
    alignment: addCounts(a.alignment, b.alignment),
    shapes: addCounts(a.shapes, b.shapes),
    shifts: addCounts(a.shifts, b.shifts),
    paddedEnds: addCounts(a.paddedEnds, b.paddedEnds),
    heads: addHeads(a.heads, b.heads),
  }
}

function sameFamilies(a: KinEvidence['candidates'], b: KinEvidence['candidates']): boolean {
  return (
    a.length === b.length &&
    a.every(({ id, size, start }, i) => id === b[i]?.id && size === b[i]?.size && start === b[i]?.start)
  )
}

function addCounts<Counts extends { readonly [Name in keyof Counts]: number }>(a: Counts, b: Counts): Counts {
  return Object.fromEntries(
    (Object.keys(a) as (keyof Counts)[]).map((name) => [name, a[name] + b[name]]),
  ) as unknown as Counts
}
