import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import type { Stream } from '../../shared/model/streams.ts'
import { resolveLimits } from '../helpers/at-once.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { foundBy } from '../helpers/found.ts'
import { resultOf, verdictOf } from './input.ts'

const rows = (count: number, more: (i: number) => Partial<TrajectoryFacts> = () => ({})) =>
  Array.from({ length: count }, (_, i) => factsOf(i, more(i)))

describe('H04', () => {
  const limits = { max_seq_len: 1000 }
  const near = (count: number, of: number, more: Partial<TrajectoryFacts> = {}) =>
    dumpOf(
      rows(of, (i) => ({ realLength: i < count ? 990 : 500, ...more })),
      { limits },
    )

  it.each([
    [21, 'supported'],
    [20, 'inconclusive'],
    [5, 'inconclusive'],
    [4, 'contradicted'],
  ] as const)('with %i of 100 rollouts within 10 tokens of the limit it is %s', (count, verdict) => {
    const result = verdictOf('H04', near(count, 100))
    expect(result.verdict).toBe(verdict)
    if (verdict !== 'inconclusive') expect(result.because[0]?.value).toBe(count / 100)
  })

  it('counts tokens without padding, and not those 11 below the limit', () => {
    const padded = dumpOf(
      rows(20, () => ({ length: 1000, realLength: 989 })),
      { limits },
    )
    expect(verdictOf('H04', padded).verdict).toBe('contradicted')
  })

  it.each([
    [10, 'supported'],
    [9, 'inconclusive'],
    [0, 'contradicted'],
  ] as const)('with text lost in %i of 100 rollouts it is %s', (count, verdict) => {
    const lost = dumpOf(
      rows(100, (i) => (i < count ? (i % 2 ? { lost: 12 } : { endReason: 'cut-prose' }) : {})),
      { limits },
    )
    expect(verdictOf('H04', lost).verdict).toBe(verdict)
  })

  it('counts prompts that were cut on the left, by their own ids or against their siblings, as the filter finds them', () => {
    const cutLeft = { tokens: [0, 9], text: 'documents', lost: 40 } as const
    const facts = rows(100, (i) => ({
      group: `g${Math.floor(i / 4)}`,
      firstRole: i % 4 === 0 ? 'user' : 'system',
      ...(i < 10 ? { firstRole: null, cutLeft } : {}),
    }))
    const dump = dumpOf(facts, { limits })
    const [line] = verdictOf('H04', dump).because
    expect(line).toMatchObject({ value: 0.32, checks: expect.arrayContaining(['C01']) })
    expect(foundBy(dump, line?.where)).toHaveLength(32)
  })

  it('does not rule out that system messages were cut away where the ids begin with another turn', () => {
    const lacking = (firstRole: string) =>
      verdictOf(
        'H04',
        dumpOf(
          rows(100, (i) => (i === 0 ? { firstRole, systemReplaced: true } : {})),
          { limits },
        ),
      )
    const found = lacking('user')
    expect(found.verdict).toBe('inconclusive')
    expect(found.missing.join()).toContain('whether the system message of 1 rollout was cut away')
    expect(lacking('system').verdict).toBe('contradicted')
  })

  it.each([
    [10, 'supported', 'supported'],
    [9, 'inconclusive', 'not-checkable'],
    [0, 'contradicted', 'not-checkable'],
  ] as const)('with %i of 100 prompts cut in their middle it is %s, and %s without a limit', (count, verdict, unlimited) => {
    const checks = [resultOf('C02', { affected: count })]
    const result = verdictOf('H04', dumpOf(rows(100), { limits }), { checks })
    expect(result.verdict).toBe(verdict)
    const lines = result.because.filter(({ checks: rest }) => rest.join() === 'C02')
    expect(lines).toEqual(count === 0 ? [] : [expect.objectContaining({ value: count / 100, threshold: 0.1 })])
    expect(verdictOf('H04', dumpOf(rows(100)), { checks }).verdict).toBe(unlimited)
  })

  it('is supported by text that is known to be lost where no limit is known, and not by a little of it', () => {
    const lost = (count: number) => verdictOf('H04', dumpOf(rows(100, (i) => (i < count ? { lost: 12 } : {}))))
    const result = lost(10)
    expect([result.verdict, result.because[0]?.value, result.missing[0]]).toEqual([
      'supported',
      0.1,
      'limits of the prompt, the completion or the sequence',
    ])
    expect(lost(9)).toMatchObject({ verdict: 'not-checkable', because: [] })
    // Turns and time end rollouts as well, and of how many the tokens may run out, their limit tells.
    const ended = (more: Partial<TrajectoryFacts>) =>
      verdictOf('H04', dumpOf(rows(100, (i) => (i < 30 ? { realLength: 200 + 3 * i, ...more } : { realLength: 300 }))))
        .verdict
    expect(ended({ endReason: 'cut-reply', isTruncated: true })).toBe('not-checkable')
    expect(ended({ endReason: 'cut-prose', isTruncated: true })).toBe('not-checkable')
    expect(ended({ endReason: 'cut-prose', finishReason: 'length' })).toBe('not-checkable')
  })

  it('counts cut replies as lost text, and needs no other limit than theirs', () => {
    const cut = rows(40, (i) => ({ cutReplies: [{ tokens: 80, characters: i < 30 ? 256 : 100 + i }] }))
    const result = verdictOf('H04', dumpOf(cut))
    expect(result.verdict).toBe('supported')
    expect(result.because[0]).toMatchObject({ value: 1, checks: expect.arrayContaining(['C08']) })
    expect(result.missing[0]).toMatch(/^limits of the prompt/)
  })

  describe('replies of one length', () => {
    const reply = (i: number, tokens: number, open: 'right' | 'none') => {
      const size = { tokens, characters: 5 * tokens + i }
      return {
        toolReplyLengths: [tokens + 4],
        longestReply: size,
        longReplies: [
          { start: 100, end: 100 + tokens, ...size, open, text: `t${i}`, edge: `e${i}`, tool: 'search', turn: 1 },
        ],
      }
    }
    const piled = (count: number, open: 'right' | 'none') =>
      dumpOf(
        rows(100, (i) => (i < count ? reply(i, 256, open) : reply(i, 60 + i, 'none'))),
        { limits },
      )
    const checks = [resultOf('C08', { affected: 20, severity: 'warning' })]

    it.each([
      [20, 'supported'],
      [9, 'inconclusive'],
    ] as const)('that %i of 100 rollouts have and break off at make it %s', (count, verdict) => {
      const result = verdictOf('H04', piled(count, 'right'), { checks })
      expect(result.verdict).toBe(verdict)
      const lines = result.because.filter(({ checks: rest }) => rest.join() === 'C08')
      expect(lines).toEqual([expect.objectContaining({ value: count / 100, threshold: 0.1 })])
      const unlimited = dumpOf(piled(count, 'right').facts, { limits: {} })
      expect(verdictOf('H04', unlimited, { checks }).verdict).toBe(verdict)
    })

    it('decide nothing where they end as whole ones do, or where C08 says nothing', () => {
      expect(verdictOf('H04', piled(20, 'none'), { checks }).verdict).toBe('inconclusive')
      expect(verdictOf('H04', piled(20, 'right')).verdict).toBe('contradicted')
    })
  })

  it('splits the reward by visible documents and by end, and states what masked rows do to the baseline', () => {
    const documents = (visible: number) => ({
      supportingDocuments: { available: 2, retrieved: 2, visible, standing: visible },
    })
    const facts = Array.from({ length: 3 }, (_, group) =>
      [0.9, 0.5, 0.1, 0.7].map((reward, member) => {
        const masked = member === 3
        return factsOf(group * 4 + member, {
          group: `g${group}`,
          reward,
          advantage: masked ? null : reward - 0.55,
          ...documents(member < 2 ? 2 : 1),
          ...(masked ? { trained: 0, weight: 0, endReason: 'cut-call' as const } : {}),
        })
      }),
    ).flat()
    // What the dump says of an end is not what its ids show.
    const dump = dumpOf(
      facts.map((row) => ({ ...row, finishReason: 'stop' })),
      { limits },
    )
    const { because } = verdictOf('H04', dump)
    for (const [name, rollouts] of [
      [/that end properly/, 9],
      [/cut in a tool call/, 3],
      [/not visible/, 6],
    ] as const) {
      const line = because.find(({ measure }) => name.test(measure))
      expect([name, foundBy(dump, line?.where).length]).toEqual([name, rollouts])
    }
    const value = (name: RegExp) => because.find(({ measure }) => name.test(measure))?.value
    expect(value(/6 rollouts whose supporting documents are all visible/)).toBeCloseTo(0.7)
    expect(value(/6 rollouts with a supporting document that is not visible/)).toBeCloseTo(0.4)
    expect(value(/9 rollouts that end properly/)).toBeCloseTo(0.5)
    expect(value(/3 rollouts cut in a tool call/)).toBeCloseTo(0.7)
    expect(value(/masked rollouts that count in the mean reward of 3 groups/)).toBe(3)
    expect(value(/mean shift of the baseline of 3 groups/)).toBeCloseTo(0.05)
  })

  it.each([
    [79, 'supported'],
    [80, 'contradicted'],
  ] as const)('with documents visible in %i of 100 rollouts it is %s', (count, verdict) => {
    const documents = dumpOf(
      rows(200, (i) =>
        i < 100
          ? { supportingDocuments: { available: 2, retrieved: null, visible: i < count ? 2 : 1, standing: 2 } }
          : {},
      ),
      { limits },
    )
    expect(verdictOf('H04', documents).verdict).toBe(verdict)
  })

  describe('of documents that are not in the ids', () => {
    const VISIBLE = 'share of rollouts whose supporting documents are visible at the answer'
    /** Thirty of a hundred rollouts show none of their documents; a hundred more have none. */
    const hidden = (retrieved: number | null, more: Partial<TrajectoryFacts> = {}) => {
      const found = (visible: number) => ({
        supportingDocuments: { available: 2, retrieved, visible, standing: visible },
      })
      const facts = rows(200, (i) => (i < 30 ? { ...found(0), ...more } : i < 100 ? found(2) : {}))
      const result = verdictOf('H04', dumpOf(facts, { limits }))
      return { ...result, line: result.because.find(({ measure }) => measure.startsWith(VISIBLE)) }
    }

    it('is beside the shares of available documents that were retrieved and that are visible', () => {
      /** Of two documents one is retrieved in every second rollout, and seen. */
      const told = (retrieved: boolean) =>
        verdictOf(
          'H04',
          dumpOf(
            rows(100, (i) => {
              const count = i < 50 ? 2 : 1
              const documents = { available: 2, retrieved: retrieved ? count : null, visible: count, standing: count }
              return { supportingDocuments: documents }
            }),
            { limits },
          ),
        )
      const linesOf = ({ because }: ReturnType<typeof told>) =>
        because.flatMap(({ measure, value, threshold }) =>
          /^(share of the )?supporting documents/.test(measure) ? [[measure, value, threshold]] : [],
        )
      const visible = ['share of the supporting documents that are visible at the answer', 0.75, null]
      const all = ['supporting documents available in the records of 100 rollouts', 200, null]
      const known = told(true)
      expect(known.verdict).toBe('contradicted')
      expect(linesOf(known)).toEqual([
        all,
        ['share of the supporting documents that were retrieved', 0.75, null],
        visible,
      ])
      // Without messages nothing tells it.
      expect(linesOf(told(false))).toEqual([all, visible])
      expect(linesOf(verdictOf('H04', dumpOf(rows(100), { limits })))).toEqual([])
    })

    it('is inconclusive where they may never have been retrieved, and says so', () => {
      const { verdict, missing, line } = hidden(null)
      expect([verdict, missing]).toEqual([
        'inconclusive',
        ['messages, which tell whether the documents that are not in the ids were ever retrieved'],
      ])
      expect(line).toMatchObject({ measure: `${VISIBLE}, of all, for nothing tells which were retrieved`, value: 0.7 })
      expect(line?.speaks).toBeUndefined()
    })

    it('is supported where those rollouts are at a limit, or where messages say that they were retrieved', () => {
      expect(hidden(null, { realLength: 1000 }).verdict).toBe('supported')
      expect(hidden(null, { isTruncated: true })).toMatchObject({ verdict: 'supported', missing: [] })
      const { verdict, line } = hidden(2)
      expect([verdict, line?.measure, line?.speaks]).toEqual([
        'supported',
        `${VISIBLE}, of those that were retrieved`,
        'for',
      ])
    })
  })

  it('measures a limit on new tokens per rollout, or per turn where rollouts exceed it', () => {
    const perRollout = dumpOf(
      rows(100, (i) => ({ realLength: i < 30 ? 350 : 200 })),
      { limits: { max_completion_length: 256 } },
    )
    expect(verdictOf('H04', perRollout).because[0]).toMatchObject({ value: 0.3, comparison: '>', threshold: 0.2 })
    const perTurn = dumpOf(
      rows(100, (i) => ({ realLength: 900, assistantLengths: i < 30 ? [20, 128] : [20, 40] })),
      { limits: { max_completion_length: 128 } },
    )
    expect(verdictOf('H04', perTurn).because[0]).toMatchObject({ value: 0.3, comparison: '>', threshold: 0.2 })
  })

  it('finds the limit in a pile-up', () => {
    const piled = dumpOf(
      rows(40, (i) =>
        i < 12 ? { realLength: 640, promptLength: 90 + i, endReason: 'cut-prose', assistantLengths: [20 + i] } : {},
      ),
    )
    expect(verdictOf('H04', piled)).toMatchObject({ verdict: 'supported' })
  })

  it('is not checkable without ids or any limit', () => {
    expect(verdictOf('H04', near(0, 10), { without: ['ids'] }).missing).toEqual(['ids'])
    const result = verdictOf('H04', dumpOf(rows(10)))
    expect(result.verdict).toBe('not-checkable')
    expect(result.missing[0]).toMatch(/^limits/)
  })

  it('says why it does not know which documents were visible', () => {
    const lacks = (facts: Partial<TrajectoryFacts>, without: readonly Stream[] = []) =>
      verdictOf('H04', near(0, 100, facts), { without }).missing
    expect(lacks({}, ['documents'])).toEqual(['documents'])
    expect(lacks({})).toEqual([expect.stringMatching(/^documents that are marked as supporting/)])
    const supportingDocuments = { available: 2, retrieved: 0, visible: 0, standing: 0 }
    expect(lacks({ supportingDocuments })).toEqual([expect.stringMatching(/^documents among the replies/)])
    // Read with another family's tokenizer no turn is found, though the dump has documents.
    expect(lacks({ endReason: 'unknown' })).toEqual(['turns in the ids'])
  })

  it('is inconclusive where no end is known', () => {
    expect(verdictOf('H04', near(0, 100, { endReason: 'unknown' }), { without: ['tokenizer'] })).toMatchObject({
      verdict: 'inconclusive',
      missing: ['tokenizer'],
    })
  })
})

describe('H04 without a known limit', () => {
  /** Of every step the first three of ten rollouts are cut at `limitOf`, the others stop anywhere below. */
  const steps = (limitOf: (step: number) => number | null) =>
    dumpOf(
      rows(100, (i) => {
        const [step, at] = [Math.floor(i / 10), i % 10]
        const limit = limitOf(step)
        const isCut = at < 3 && limit !== null
        const promptLength = 60 + at
        const own = isCut ? limit : 100 + 37 * at + 400 * Number(step > 4)
        return {
          step,
          promptLength,
          realLength: promptLength + own,
          assistantLengths: [own],
          ...(isCut ? { endReason: 'cut-prose', isTruncated: true } : {}),
        }
      }),
    )
  const lacks = (limitOf: (step: number) => number | null) => {
    const dump = steps(limitOf)
    const found = resolveLimits(dump.settings, {}, dump.facts)
    expect([found.max_completion_length, found.max_seq_len]).toEqual([null, null])
    return verdictOf('H04', dump).missing.filter((each) => !each.startsWith('documents'))
  }

  it('says of a limit that was raised on the way which steps show it', () => {
    expect(lacks((step) => (step < 5 ? 500 : null))).toEqual([
      'limits of each step (rollouts of 5 of 10 steps end at one length, 500 tokens, and those of other steps are longer: inspect the steps of one limit by themselves)',
    ])
  })

  it('says that no length shows one where no step does', () => {
    expect(lacks(() => null)[0]).toMatch(/one length which no other exceeds/)
  })
})
