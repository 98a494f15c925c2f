import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { ColumnError } from '../../shared/session/merge/columns.ts'
import { addKins, decodeKins, encodeKin } from '../../shared/session/merge/survey.ts'
import type { KinEvidence } from '../../shared/session/opening/kin.ts'
import { fitSequences, type TokenizerCandidate } from '../../shared/tokens/choose.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { cutAt } from './merge-shards.ts'

interface Sampled {
  readonly ids: readonly number[]
  readonly model: string | null
  readonly masked: boolean
  readonly multiTurn: boolean
}

let candidates: TokenizerCandidate[]
beforeAll(async () => {
  candidates = await Promise.all((['qwen2.5', 'qwen3'] as const).map((id) => testTokenizer(id)))
}, 60_000)

/** Heads by the first id, in the order of their first rows, with what the first two different second ids would be. */
function headsOf(sources: readonly (readonly Sampled[])[]): KinEvidence['heads'] {
  const rows = sources.flat().filter(({ ids }) => ids.length > 1)
  const heads = [...new Set(rows.map(({ ids }) => ids[0]))]
  return heads.map((head) => {
    const same = rows.filter(({ ids }) => ids[0] === head)
    return {
      head: String(head),
      rows: same.length,
      asking: same.filter(({ multiTurn }) => multiTurn).length,
      rests: [...new Set(same.map(({ ids }) => String(ids[1])))].slice(0, 2),
      torn: [...new Set(same.flatMap(({ ids, masked }) => (masked ? [String(ids[1])] : [])))]
        .sort()
        .slice(0, 16)
        .map((group) => ({ group, rows: Math.abs(Number(group)) })),
    }
  })
}

/** What a survey would note of trajectories of one source, or of several that are of one kin. */
function evidenceOf(sources: readonly (readonly Sampled[])[], first: number): KinEvidence {
  const all = sources.flat()
  const { families, sequences } = fitSequences(
    all.map(({ ids }) => Int32Array.from(ids)),
    candidates,
  )
  return {
    key: { formatId: 'native', families: ['qwen2.5', 'qwen3'], model: null },
    sources: sources.map((_, index) => first + index),
    sequences: all.length,
    model: all.find(({ model }) => model !== null)?.model ?? null,
    candidates: families,
    fitted: sequences,
    alignment: {
      masked: all.filter(({ masked }) => masked).length,
      onTargets: 0,
      compared: all.length,
      early: 1 * sources.length,
    },
    shapes: {
      multiTurn: all.filter(({ multiTurn }) => multiTurn).length,
      lastOnly: 0,
      closedTurns: all.length,
      newlineOnly: 0,
      earlierThoughts: 3 * all.length,
      earlierThoughtsMasked: 2 * all.length,
      lastThoughts: all.length,
      lastThoughtsMasked: 0,
      withBlocks: 2 * sources.length,
      ownBlocks: sources.length,
      tagsLeftOut: 3 * sources.length,
      tagsTrained: all.length,
      tagsOfBoth: 2 * all.length,
      ownTags: sources.length,
    },
    shifts: {
      late: all.filter(({ masked }) => masked).length,
      notLate: sources.length,
      lateBehindMasked: 0,
      early: 2 * sources.length,
      notEarly: all.length,
      unclear: 3 * sources.length,
    },
    paddedEnds: { trained: all.length, untrained: sources.length },
    heads: headsOf(sources),
  }
}

/** Ids that both families have, that Qwen3 alone has, and that none has. */
const id = fc.oneof(
  fc.constantFrom(151644, 77091, 198, 151645, 151667, 151668, 151665),
  fc.constantFrom(151935, 200000, -1),
)
const sampled = fc.record({
  ids: fc.array(id, { maxLength: 8 }),
  model: fc.constantFrom(null, null, null, 'Qwen/Qwen3-8B', 'Qwen/Qwen2.5-7B'),
  masked: fc.boolean(),
  multiTurn: fc.boolean(),
})
const sources = fc.array(fc.array(sampled, { maxLength: 8 }), { minLength: 1, maxLength: 12 })

const throughReport = (kins: readonly KinEvidence[], first: number, count: number) =>
  decodeKins(
    JSON.parse(
      JSON.stringify(kins.map((kin) => encodeKin({ ...kin, sources: kin.sources.map((each) => each - first) }))),
    ),
    count,
    first,
  )

describe('the evidence of parts', () => {
  it('adds up to that of all sources, also where more was looked at than decides', () => {
    fc.assert(
      fc.property(sources, fc.array(fc.nat(12), { maxLength: 3 }), (all, places) => {
        let first = 0
        const parts = cutAt(all, places).map((part) => {
          const kins = part.length === 0 ? [] : throughReport([evidenceOf(part, first)], first, part.length)
          first += part.length
          return kins
        })
        expect(addKins(parts)).toEqual([evidenceOf(all, 0)])
      }),
      { numRuns: 300 },
    )
  })

  it('stays apart for each kin, in the order of their first sources', () => {
    const kin = (model: string, source: number) => {
      const evidence = evidenceOf([[]], source)
      return { ...evidence, key: { ...evidence.key, model } }
    }
    const added = addKins([
      [kin('b', 0), kin('a', 1)],
      [kin('c', 2), kin('a', 3)],
    ])
    expect(added.map(({ key, sources: members }) => [key.model, members])).toEqual([
      ['b', [0]],
      ['a', [1, 3]],
      ['c', [2]],
    ])
  })

  it('is refused where parts were held against other tokenizers', () => {
    const [here, there] = [evidenceOf([[]], 0), evidenceOf([[]], 1)]
    const other = { ...there, candidates: there.candidates.map((each) => ({ ...each, size: each.size + 1 })) }
    expect(() => addKins([[here], [other]])).toThrow(ColumnError)
    expect(() => addKins([[here], [{ ...there, candidates: [] }]])).toThrow(ColumnError)
  })
})
