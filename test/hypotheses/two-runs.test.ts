import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts.ts'
import { type PairingFacts, pairingFacts } from '../../shared/checks/pairing.ts'
import { pairingQuestions } from '../../shared/checks/run-pairs.ts'
import type { SecondRun } from '../../shared/hypotheses/hypothesis.ts'
import { atOnce } from '../../shared/model/steps.ts'
import { STREAMS } from '../../shared/model/streams.ts'
import type { Trajectory } from '../../shared/model/trajectory.ts'
import { dumpOf } from '../helpers/facts.ts'
import { rows, second, verdict } from './beside.ts'
import { resultOf } from './input.ts'

describe('H08', () => {
  const pair = (i: number, more: Partial<PairingFacts> = {}): PairingFacts => ({
    question: `q${i}`,
    system: 's',
    tools: 't',
    answer: `a${i}`,
    ...more,
  })
  const run = (more: (i: number) => Partial<TrajectoryFacts> = () => ({})) =>
    rows(60, (i) => ({ pairing: pair(i), promptHash: `p${i}`, reward: 1, ...more(i) }))

  it('is contradicted by two runs that agree', () => {
    expect(verdict('H08', run(), second(run()))).toMatchObject({
      verdict: 'contradicted',
      confidence: 'high',
      missing: [],
    })
  })

  it('is not contradicted by texts that agree: what the templates made of them is not known', () => {
    const result = verdict(
      'H08',
      run(() => ({ promptHash: null })),
      second(run(() => ({ promptHash: null }))),
    )
    expect(result).toMatchObject({
      verdict: 'inconclusive',
      missing: ['ids of the prompts in both runs, by one tokenizer'],
    })
  })

  it('is not checkable where a run is laid beside itself, wholly or in part, or beside more of it', () => {
    const itself = (facts: readonly TrajectoryFacts[]): SecondRun => ({ ...second([]), dump: dumpOf(facts) })
    const edited = (count: number) => run().map((row, i) => (i < count ? { ...row, recordHash: `anew ${i}` } : row))
    for (const [here, there] of [
      [run(), run()],
      [run(), run().slice(20)],
      [run().slice(20), run()],
      [run(), edited(1)],
      [run(), edited(29)],
    ] as const) {
      const { verdict: judged, missing, because } = verdict('H08', here, itself(there))
      expect({ judged, because }).toEqual({ judged: 'not-checkable', because: [] })
      expect(missing).toEqual([
        'another run: most rollouts of the questions that both have are the same records, so that one run is laid beside itself',
      ])
    }
    expect(verdict('H08', run(), itself(edited(30))).verdict).toBe('contradicted')
  })

  it.each([
    { reward: 0, judged: 'supported' },
    { reward: 0.9, judged: 'not-checkable' },
  ])('is $judged where a quarter of the same records is scored again, with $reward in place of 1', ({
    reward,
    judged,
  }) => {
    const rescored = run().map((row, i) => (i % 4 ? row : { ...row, reward, recordHash: `anew ${i}` }))
    const found = verdict('H08', run(), { ...second([]), dump: dumpOf(rescored) })
    expect(found.verdict).toBe(judged)
    expect(found.because.find(({ measure }) => measure.startsWith('mean reward difference'))?.value).toBe(
      judged === 'supported' ? 0.25 : undefined,
    )
  })

  it.each([
    ['tools differ in one of twenty pairs', (i: number) => ({ pairing: pair(i, i % 20 ? {} : { tools: 'other' }) })],
    ['system texts differ', (i: number) => ({ systemHash: null, pairing: pair(i, { system: 'none' }) })],
    ['system turns differ in the ids', () => ({ systemHash: 'other' })],
    ['prompts are rendered otherwise', (i: number) => ({ promptHash: `other${i}` })],
    [
      'a third of the rollouts is cut',
      (i: number) => ({ endReason: i % 3 ? ('stop' as const) : ('cut-prose' as const) }),
    ],
    ['the same answers are scored otherwise', () => ({ reward: 0.8 })],
  ])('is supported where %s', (_, more) => {
    const first = run(() => ({ systemHash: 'one' }))
    const other = run((i) => ({ systemHash: 'one', ...more(i) }))
    expect(verdict('H08', first, second(other)).verdict).toBe('supported')
  })

  it('says nothing of prompts that a run never renders twice alike, and tells those that it does', () => {
    // Four rollouts to a question.
    const runOf = (prompt: (i: number) => string) =>
      rows(60, (i) => ({ pairing: pair(i >> 2), promptHash: prompt(i), reward: 1 }))
    const steady = runOf((i) => `p${i >> 2}`)
    const anew = runOf((i) => `made up ${i}`)
    const other = runOf((i) => `other ${i >> 2}`)
    expect(verdict('H08', steady, second(anew)).verdict).toBe('inconclusive')
    expect(verdict('H08', anew, second(steady)).verdict).toBe('inconclusive')
    expect(verdict('H08', steady, second(other)).verdict).toBe('supported')
  })

  describe('of questions in other words', () => {
    const asked = (content: string) => {
      const messages = [{ role: 'user', content }]
      return pairingFacts({ messages, ids: null, tools: [] } as unknown as Trajectory, null, null)
    }
    const around = (text: (i: number) => string) => run((i) => ({ promptHash: text(i), pairing: asked(text(i)) }))
    const plain = around((i) => `Where does river ${i} rise?`)
    const boxed = around((i) => `Where does river ${i} rise?\n\nAnswer in a box.`)

    it('is supported, in whichever run a line is added to each', () => {
      for (const [here, there] of [
        [plain, boxed],
        [boxed, plain],
        [boxed, around((i) => `You may search.\nQuestion: Where does river ${i} rise?`)],
      ] as const) {
        const found = verdict('H08', here, second(there))
        expect(found.verdict).toBe('supported')
        expect(found.because.slice(0, 1)).toMatchObject([
          { measure: 'share of paired questions whose words differ, though the question is the same', value: 1 },
        ])
        // The prompts differ as their words do, and what is right to one may be wrong to the other.
        expect(found.because.map(({ measure }) => measure).join()).not.toMatch(/prompt ids|same words/)
      }
    })

    it('is not checkable where the questions are others, or several are alike but for such lines', () => {
      const others = around((i) => `Where does river ${i + 100} rise?\n\nAnswer in a box.`)
      expect(verdict('H08', plain, second(others)).verdict).toBe('not-checkable')
      const twice = around((i) => `Where does river ${i >> 1} rise?\n${i % 2 ? 'Search first.' : 'Answer in a box.'}`)
      expect(verdict('H08', plain, second(twice)).verdict).toBe('not-checkable')
    })

    it('forgives one pair of sixty', () => {
      const mostly = plain.map((row, i) => (i === 0 ? (boxed[0] as TrajectoryFacts) : row))
      const lone = verdict('H08', mostly, second(boxed))
      expect(lone.because[0]).toMatchObject({ value: 59 / 60 })
      const few = verdict('H08', plain, second([...plain.slice(0, 59), ...boxed.slice(59)]))
      expect(few.verdict).toBe('contradicted')
    })
  })

  it('forgives one pair of sixty, other wording, and ends that differ by chance', () => {
    const other = run((i) => ({
      pairing: pair(i, i === 0 ? { tools: 'other' } : { answer: `another${i}` }),
      reward: 0,
      endReason: i === 7 ? 'cut-prose' : 'stop',
    }))
    expect(verdict('H08', run(), second(other)).verdict).toBe('contradicted')
  })

  it('pairs a run of ids alone with one of words and ids, and never by ids what its words tell apart', () => {
    const words = run((i) => ({ pairing: pair(i, { questionIds: `ids ${i}` }) }))
    const bare = run((i) => ({ pairing: pair(i, { question: `ids ${i}`, system: null, tools: null, answer: null }) }))
    expect(verdict('H08', words, second(bare)).verdict).toBe('contradicted')
    expect(verdict('H08', bare, second(words)).verdict).toBe('contradicted')
    const others = run((i) => ({ pairing: pair(i + 1000, { questionIds: `ids ${i}` }) }))
    expect(verdict('H08', words, second(others)).verdict).toBe('not-checkable')
  })

  it('pairs a run of ids alone with one of other ids, or of words, by the words that its ids spell', () => {
    const spelt = (name: string) => (i: number) => ({
      pairing: pair(i, { question: `ids ${name}${i}`, idWords: `q${i}`, system: null, tools: null, answer: null }),
    })
    const bare = run(spelt('a'))
    expect(verdict('H08', run(), second(bare)).verdict).toBe('contradicted')
    expect(verdict('H08', bare, second(run())).verdict).toBe('contradicted')
    expect(verdict('H08', bare, second(run(spelt('b')))).verdict).toBe('contradicted')
    // Where both have the ids they tell more: words leave signs out (2 + 3, 2 - 3).
    const alike = run((i) => ({ pairing: pair(i, { question: `ids a${i}`, idWords: 'q' }) }))
    const { pairs } = atOnce(pairingQuestions(bare, alike))
    expect(pairs).toHaveLength(60)
  })

  it('counts a question once where only some rollouts of a run have words, in both directions', () => {
    const named = (worded: (i: number) => boolean) =>
      rows(40, (i) => {
        const ids = `ids ${i >> 2}`
        const bare = { question: ids, system: null, tools: null, answer: null }
        return { pairing: worded(i) ? pair(i >> 2, { questionIds: ids }) : bare }
      })
    const [words, bare] = [named(() => true), named(() => false)]
    for (const mixed of [named((i) => i % 2 === 0), named((i) => i % 2 === 1)]) {
      for (const [one, other] of [
        [mixed, words],
        [words, mixed],
        [mixed, bare],
        [bare, mixed],
        [mixed, named((i) => i % 3 === 0)],
      ] as const) {
        const { pairs, questions } = atOnce(pairingQuestions(one, other))
        expect(questions).toEqual([10, 10])
        expect(pairs.map(({ rows, others }) => [rows.length, others.length])).toEqual(Array(10).fill([4, 4]))
      }
    }
  })

  it('is no surer than the rollouts of the questions that both runs have', () => {
    const sharing = (questions: number) => second(run((i) => ({ pairing: pair(i < questions ? i : i + 1000) })))
    const confidence = (questions: number) => verdict('H08', run(), sharing(questions)).confidence
    expect([9, 10, 49, 50].map(confidence)).toEqual(['low', 'medium', 'medium', 'high'])
  })

  it('does not ask for ids of prompts that differ with their tools or system text', () => {
    const others = second(run((i) => ({ pairing: pair(i, { tools: 'other' }) })))
    expect(verdict('H08', run(), others).missing).toEqual([])
    const mixed = second(run((i) => ({ pairing: pair(i, i % 2 ? { tools: 'other' } : {}), promptHash: null })))
    expect(verdict('H08', run(), mixed).missing).toEqual(['ids of the prompts in both runs, by one tokenizer'])
  })

  it('is neither where nothing of the pairs can be compared but the rewards of like answers', () => {
    const blind = run((i) => ({ pairing: pair(i, { system: null, tools: null }), promptHash: null }))
    const { verdict: judged, missing } = verdict('H08', blind, second(blind))
    expect([judged, missing]).toEqual([
      'inconclusive',
      ['ids of the prompts in both runs, by one tokenizer', 'tools of both runs'],
    ])
  })

  it('needs a second run with questions of the first', () => {
    expect(verdict('H08', run(), null).missing).toEqual(['a second run of the same questions (--against)'])
    const strangers = second(run((i) => ({ pairing: pair(i + 1000) })))
    expect(verdict('H08', run(), strangers).verdict).toBe('not-checkable')
  })
})

describe('H06-library', () => {
  const run = (assistantTurns: number, reward: (step: number) => number, steps = 24) =>
    rows(steps * 4, (i) => ({ assistantTurns, step: i >> 2, reward: reward(i >> 2) + (i % 4) * 0.01 }))
  const rising = (step: number) => 0.2 + step * 0.04
  const flat = (step: number) => 0.5 + (step % 2) * 0.02

  it.each([
    ['contradicted', 'the single-turn run rises', rising, flat],
    ['supported', 'neither rises', flat, flat],
    ['inconclusive', 'only the run of several turns rises', flat, rising],
  ] as const)('is %s where %s', (expected, _, single, multi) => {
    expect(verdict('H06-library', run(3, multi), second(run(1, single))).verdict).toBe(expected)
    expect(verdict('H06-library', run(1, single), second(run(3, multi))).verdict).toBe(expected)
  })

  it('calls nothing level that chance may have kept from rising', () => {
    /** Means of rewards between 0 and 1 of eight rollouts a step; a rise of 0.3 over as many steps would be hard to see. */
    const noise = [0.06, -0.09, 0.02, -0.04, 0.11, -0.02, 0.05, -0.1, 0.08, 0, -0.07, 0.04]
    const noisy = (times: number, tilt: number) => (step: number) => 0.68 + tilt * step + times * noise[step % 12]!
    const of = (steps: number, times: number, tilt = 0.004) =>
      verdict('H06-library', run(3, noisy(times, tilt), steps), second(run(1, noisy(times, tilt), steps)))
    const short = of(8, 1)
    expect(short.verdict).toBe('inconclusive')
    expect(short.missing[0]).toBe(
      'at least 20 training steps in the single-turn run, which has 8, before it can be called level',
    )
    expect(short.because[0]?.value).toMatch(
      /^may rise or be level, from 0\.\d+ to 0\.\d+; [+−]0\.\d+ ± 0\.\d+ by the line/,
    )
    expect(short.because.some(({ speaks }) => speaks !== undefined)).toBe(false)
    const loud = of(24, 3)
    expect(loud.verdict).toBe('inconclusive')
    expect(loud.missing[0]).toMatch(/scatter too much to rule out that it gains 0\.1$/)
    expect(of(96, 0.5, 0).verdict).toBe('supported')
    expect(of(24, 0.5, 0.02).verdict).toBe('contradicted')
  })

  it('says of rewards that collapse that they fall', () => {
    const falling = (step: number) => 0.95 - step * 0.028
    const both = verdict('H06-library', run(3, falling), second(run(1, falling)))
    expect(both.verdict).toBe('supported')
    expect(both.because[0]?.value).toMatch(/^falls, from 0\.\d+ to 0\.\d+; −0\.644 ± 0\.000 by the line/)
    const one = verdict('H06-library', run(3, falling), second(run(1, flat)))
    expect(one.because.map(({ value }) => String(value).split(',')[0])).toEqual(
      expect.arrayContaining(['is level', 'falls']),
    )
    const short = verdict('H06-library', run(3, falling, 8), second(run(1, falling, 8)))
    expect(short.because[0]?.value).toMatch(/^falls, /)
    expect(short.would_change[0]).toBe(
      'supported if the mean reward of the single-turn run does not rise, and that of the other run neither',
    )
  })

  it('asks for an order of the steps, and for no less scatter, where rewards gain and do not rise step by step', () => {
    /** A gain as of a line through twelve steps down and twelve up again, far above. */
    const broken = (step: number) => (step < 12 ? 0.4 - step * 0.01 : 0.8 - step * 0.01)
    const { verdict: judged, missing } = verdict('H06-library', run(3, flat), second(run(1, broken)))
    expect(judged).toBe('inconclusive')
    expect(missing[0]).toMatch(
      /more steps .*in the single-turn run: its rewards gain .* over all, and do not rise in order/,
    )
  })

  it('does not take a jump of the noise for a rise', () => {
    const late = (step: number) => 0.6 + (step === 7 ? 0.1 : 0) + (step % 2) * 0.05
    expect(verdict('H06-library', run(3, late, 8), second(run(1, late, 8))).verdict).toBe('inconclusive')
  })

  it('is not checkable without a second run, a single-turn run, or its steps', () => {
    expect(verdict('H06-library', run(1, rising), null).verdict).toBe('not-checkable')
    expect(verdict('H06-library', run(3, flat), second(run(2, flat))).missing).toEqual([
      'a single-turn run: both have rollouts of several assistant turns',
    ])
    const lack = (single: readonly TrajectoryFacts[]) => verdict('H06-library', run(3, flat), second(single))
    expect(lack(run(1, rising, 4))).toMatchObject({
      verdict: 'not-checkable',
      missing: ['at least 8 training steps in the single-turn run, which has 4'],
    })
    // Rewards that are there are not asked for again.
    const stepless = lack(run(1, rising).map((row) => ({ ...row, step: null })))
    expect(stepless.missing).toEqual([
      expect.stringMatching(/^step of the rollouts of the single-turn run, which have/),
    ])
    const rewardless = lack(run(1, rising).map((row) => ({ ...row, reward: null })))
    expect(rewardless.missing).toEqual(['rewards of the single-turn run, over at least 8 training steps'])
  })

  it('takes no run for the single-turn one of which the turns are not known', () => {
    const texts = { turns: 0, assistantTurns: 0, toolTurns: 0, idsHash: null }
    const open = (more: Partial<TrajectoryFacts>, from = 0) =>
      run(1, rising).map((row, i) => (i >= from ? { ...row, ...more } : row))
    const text = verdict('H06-library', run(3, flat), second(open(texts)))
    expect(text).toMatchObject({
      verdict: 'not-checkable',
      missing: [expect.stringMatching(/^ids of the second run, whose texts may hold several turns each/)],
    })
    // One rollout is enough to doubt the rest, whichever run it stands in.
    expect(verdict('H06-library', open(texts, 95), second(run(3, flat))).missing).toEqual([
      expect.stringMatching(/^ids of the open run/),
    ])
    expect(verdict('H06-library', run(3, flat), second(open({ turns: 0, assistantTurns: 0 }))).missing).toEqual([
      expect.stringMatching(/^tokenizer of the second run/),
    ])
    expect(verdict('H06-library', run(3, flat), second(open(texts, 96))).verdict).toBe('contradicted')
    // Nor does a log beside it tell which is which.
    expect(verdict('H06-library', open(texts), second([])).missing).toEqual([
      expect.stringMatching(/^ids of the open run/),
    ])
  })

  it('a row of nothing but padding takes no turns away', () => {
    const last = (more: Partial<TrajectoryFacts>) =>
      run(1, rising).map((row, i) => (i === 95 ? { ...row, turns: 0, assistantTurns: 0, ...more } : row))
    const padded = last({ realLength: 0, reward: null })
    expect(verdict('H06-library', run(3, flat), second(padded)).verdict).toBe('contradicted')
    expect(verdict('H06-library', padded, second(run(3, flat))).verdict).toBe('contradicted')
    const known = { ...second(last({})), streams: new Set(STREAMS) }
    expect(verdict('H06-library', run(3, flat), known).missing).toEqual([
      'turns in the ids of 1 rollout of the second run, where its tokenizer finds none: nothing else tells whether it is the single-turn run',
    ])
    const empty = second(run(1, rising).map((row) => ({ ...row, turns: 0, assistantTurns: 0, realLength: 0 })))
    expect(verdict('H06-library', run(3, flat), empty).missing).toEqual([
      'assistant turns in the second run, which has none',
    ])
  })

  it('is inconclusive where nothing tells whether the other run rises', () => {
    const result = verdict('H06-library', run(3, flat, 4), second(run(1, flat)))
    expect(result).toMatchObject({
      verdict: 'inconclusive',
      missing: ['at least 8 training steps in the other run, which has 4'],
    })
    expect(verdict('H06-library', run(3, flat, 4), second(run(1, rising))).verdict).toBe('contradicted')
  })
})

describe('H07', () => {
  const failing = resultOf('M01', { affected: 60, by_turn: { 1: 60, 2: 60 } })

  it('is supported by an error in the run of several turns that the single-turn run does not have', () => {
    const single = second(
      rows(60, () => ({ assistantTurns: 1 })),
      [resultOf('M01')],
    )
    expect(verdict('H07', rows(60), single, [failing])).toMatchObject({
      verdict: 'supported',
      because: [{ checks: ['M01'], value: 0.6 }],
    })
  })

  it('is so beside a single-turn run with a row of nothing but padding as well', () => {
    const row = (i: number) =>
      i < 59 ? { assistantTurns: 1 } : { turns: 0, assistantTurns: 0, realLength: 0, trained: 0, masked: 0 }
    const single = second(rows(60, row), [resultOf('M01')])
    expect(verdict('H07', rows(60), single, [failing]).verdict).toBe('supported')
  })

  it('leads with what stands at later turns, and then with what is in most rollouts', () => {
    const found = [
      resultOf('C05', { affected: 7 }),
      resultOf('M15', { affected: 100 }),
      resultOf('M01', { affected: 60, by_turn: { 1: 60, 2: 50 } }),
      resultOf('T05', { affected: 60, by_turn: { 2: 60 } }),
    ]
    const clean = found.map(({ code }) => resultOf(code))
    const single = second(
      rows(60, () => ({ assistantTurns: 1 })),
      clean,
    )
    const many = rows(60, () => ({ assistantTurns: 2 }))
    const { because } = verdict('H07', many, single, found)
    expect(because.map(({ checks }) => checks[0])).toEqual(['T05', 'M01', 'M15', 'C05'])
  })

  it('is so by what only rollouts of several turns can have, of which the single-turn run has nothing to look at', () => {
    const turns = () => ({ assistantTurns: 1 })
    const beside = (code: string, status: 'not-applicable' | 'not-checkable') =>
      verdict('H07', rows(60), second(rows(60, turns), [resultOf(code, { status, checked: 0 })]), [
        resultOf(code, { affected: 60, by_turn: { 1: 60, 2: 60 } }),
      ]).verdict
    for (const code of ['M03', 'M05', 'T10']) expect(beside(code, 'not-applicable')).toBe('supported')
    expect(beside('M05', 'not-checkable')).toBe('contradicted')
    // Rows of one turn have padding as well, where the run pads any.
    expect(beside('M12', 'not-applicable')).toBe('contradicted')
  })

  it('is not, where the single-turn run has it too or could not look', () => {
    const turns = () => ({ assistantTurns: 1 })
    for (const other of [failing, resultOf('M01', { status: 'not-checkable' })]) {
      expect(verdict('H07', rows(60), second(rows(60, turns), [other]), [failing]).verdict).toBe('contradicted')
    }
  })
})
