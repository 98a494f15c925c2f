import { describe, expect, it } from 'vitest'
import { adviceOf, adviceSentences } from '../../shared/hypotheses/advice.ts'
import type { FixOf } from '../../shared/hypotheses/fixes.ts'
import { recordedBy } from '../../shared/hypotheses/recording.ts'
import type { Defect, HypothesisResult, Measure, Report } from '../../shared/model/report.ts'
import { check, report } from '../exports/report-fixture.ts'

const fails = (code: string, affected: number, more: Parameters<typeof check>[1] = {}) =>
  check(code, { status: 'fail', affected, rate: affected / 256, pattern: 'sporadic', ...more })

function defect(id: string, affected: Readonly<Record<string, number>>): Defect {
  const symptoms = Object.entries(affected).map(([code, units]) => ({
    code,
    affected: units,
    places: { checked: 256, affected: units },
    pattern: 'sporadic' as const,
  }))
  const [first] = symptoms
  const checks = [first?.code ?? '']
  return { id, title: `Title of ${id}`, checks, places: first!.places, why: '', fix: '', cite: '', symptoms }
}

const speaking = (measure: string, value: number, checks: string[], more: Partial<Measure> = {}): Measure => ({
  measure,
  value,
  threshold: 0.2,
  comparison: '>',
  checks,
  speaks: 'for',
  ...more,
})

function verdict(id: HypothesisResult['id'], more: Partial<HypothesisResult> = {}): HypothesisResult {
  return {
    id,
    title: `Title of ${id}`,
    verdict: 'supported',
    confidence: 'high',
    because: [],
    missing: [],
    would_change: [],
    ...more,
  }
}

/** Nothing declared, nothing suggested, no fault, no verdict. */
function plain(fields: Partial<Report> = {}): Report {
  const whole = report({ checks: [check('M01'), check('T05')], defects: [], hypotheses: [], findings: [] })
  return { ...whole, policy: { ...whole.policy, suggested: null }, ...fields }
}

const said = (of: Report) => adviceSentences(of).map(({ text }) => text)

describe('what a report advises', () => {
  it('says of a fault that is in all of a part of the run what that part has in common', () => {
    const extent = (more: Parameters<typeof check>[1]) =>
      adviceOf(plain({ checks: [fails('M10', 45, { pattern: 'systematic', ...more })] })).steps[0]?.extent
    expect(extent({ systematic_in: { rollouts: { parallel_calls: true } } })).toBe(
      '45 of 256 rollouts, in rollouts with parallel calls',
    )
    expect(extent({ systematic_in: { steps: [7, 11] } })).toBe('45 of 256 rollouts, in steps 7–11')
    expect(extent({})).toBe('45 of 256 rollouts')
  })

  it('asks for no declaration on which only a note hangs', () => {
    const whole = plain()
    const conventions = [
      { id: 'branching-rows' as const, intend: ['S06'], evidence: '8 of 8 rollouts are several rows' },
      { id: 'observation-loss' as const, intend: ['M01'], evidence: '90 of 90 tokens of tool replies are trained' },
    ]
    const checks = [fails('M01', 256), fails('S06', 256, { severity: 'info' })]
    expect(adviceOf(plain({ checks, policy: { ...whole.policy, conventions } })).declare).toEqual([
      'Say whether M01 is meant: 90 of 90 tokens of tool replies are trained',
    ])
  })

  it('names first what is worst, how far it reaches, and the verdict that it alone would bring about', () => {
    const checks = [fails('M15', 256), fails('L02', 200), fails('C03', 7, { severity: 'warning' }), fails('M01', 40)]
    const hypotheses = [
      verdict('H02', { because: [speaking('places', 256, ['M15'])] }),
      verdict('H07', { because: [speaking('rate', 1, ['L02', 'M01'])] }),
    ]
    expect(said(plain({ checks, defects: [defect('V1', { M15: 256, L02: 200 })], hypotheses }))).toEqual([
      'Mend V1 first: title of V1 (256 of 256 rollouts); alone enough to support H02 (title of H02).',
      'Then M01: title of M01 (40 of 256 rollouts).',
      'Then C03: title of C03 (7 of 256 rollouts).',
    ])
  })

  it('tells a warning that touches next to nothing as a note', () => {
    const warning = { severity: 'warning' } as const
    const once = plain({ checks: [fails('A06', 1, warning), check('M01')] })
    expect(adviceOf(once)).toMatchObject({ outcome: 'clean', steps: [], notes: ['A06'] })
    expect(said(once)[1]).toBe('What is only unusual stands as a note: A06.')
    expect(said(plain({ checks: [fails('A06', 40, warning)] }))[0]).toMatch(/^Mend A06 first/)

    const counted = (severity: 'info' | 'warning') =>
      plain({
        checks: [fails('C04', 30, { severity }), fails('M04', 30, { severity: 'info' }), check('M01')],
        defects: [defect('V11', { C04: 30, M04: 30 })],
      })
    expect(adviceOf(counted('info'))).toMatchObject({ steps: [], notes: ['V11'] })
    expect(said(counted('warning'))[0]).toMatch(/^Mend V11 first/)
    const decides = verdict('H04', { because: [speaking('places', 1, ['A06'])] })
    expect(said(plain({ checks: [fails('A06', 1, warning)], hypotheses: [decides] }))[0]).toMatch(/^Mend A06 first/)
  })

  it('says of no cause that it alone supports what rests on a check that fails because of another too', () => {
    const hypotheses = [verdict('H02', { because: [speaking('places', 100, ['M01'])] })]
    const decided = (defects: Defect[]) =>
      adviceOf(plain({ checks: [fails('M01', 100)], defects, hypotheses })).steps.map(({ ids, decides }) => [
        ids,
        decides,
      ])
    expect(decided([defect('V1', { M01: 2 })])).toEqual([
      [['M01'], []],
      [['V1'], []],
    ])
    expect(decided([defect('V1', { M01: 60 }), defect('V2', { M01: 40 })])).toEqual([
      [['V1'], []],
      [['V2'], []],
    ])
    expect(decided([defect('V1', { M01: 100 })])).toEqual([[['V1'], ['H02']]])
  })

  it('takes what is told to be against, undecided or found by facts for no proof of a cause', () => {
    const because = [
      speaking('rate of C03', 0.3, ['C03'], { where: { lostText: true } }),
      speaking('share of C03', 0.3, ['C03'], { speaks: 'against' }),
      { ...speaking('rate of C03', 0.3, ['C03']), speaks: undefined },
    ]
    const of = plain({ checks: [fails('C03', 7)], hypotheses: [verdict('H04', { because })] })
    expect(adviceOf(of).steps.map(({ ids, decides }) => [ids, decides])).toEqual([
      [['H04'], []],
      [['C03'], []],
    ])
  })

  it('places a hypothesis that only its measures support by the share that speaks for it, with what to do about it', () => {
    const near = speaking('share of rollouts near a limit', 0.313, [], { where: { lostText: true } })
    const of = (affected: number) =>
      said(plain({ checks: [fails('M01', affected)], hypotheses: [verdict('H04', { because: [near] })] }))
    const limit =
      'see to H04 (share of rollouts near a limit: 31.3 %): raise the limit that cuts most, or shorten what fills it; the lab shows what each limit costs.'
    expect(of(200)).toEqual(['Mend M01 first: title of M01 (200 of 256 rollouts).', `Then ${limit}`])
    expect(of(2)).toEqual([`First ${limit}`, 'Then M01: title of M01 (2 of 256 rollouts).'])
    expect(adviceSentences(plain({ hypotheses: [verdict('H04', { because: [near] })] }))[0]?.quotes).toBe(true)
  })

  it('says of each cause that it names how it is mended: in the words of its defect, else in those of its check', () => {
    const known = { ...defect('V1', { M15: 256 }), fix: 'Give all real tokens' }
    const checks = [fails('M15', 256), fails('M01', 40)]
    const fixOf = (code: string) => (code === 'M01' ? 'Mask what was not sampled.' : null)
    const of = (...given: FixOf[]) =>
      adviceSentences(plain({ checks, defects: [known] }), ...given).map(({ fix }) => fix)
    expect(of(fixOf)).toEqual(['Give all real tokens.', 'Mask what was not sampled.'])
    expect(of()).toEqual(['Give all real tokens.', null])
    const near = speaking('share of rollouts near a limit', 0.3, [])
    expect(adviceSentences(plain({ hypotheses: [verdict('H04', { because: [near] })] }), fixOf)[0]?.fix).toBeNull()
  })

  it('puts how two runs differ behind what is wrong with this one, and before faults that decide nothing', () => {
    const differs = speaking('share of paired questions whose system text differs', 1, [])
    const near = speaking('share of rollouts near a limit', 0.3, [], { where: { lostText: true } })
    const hypotheses = [
      verdict('H08', { because: [differs] }),
      verdict('H02', { because: [speaking('share', 0.08, ['M08'])] }),
      verdict('H04', { because: [near] }),
    ]
    const warning = { severity: 'warning' } as const
    const checks = [fails('L08', 20), fails('M08', 256, warning), fails('C03', 100, warning)]
    const { steps } = adviceOf(plain({ checks, hypotheses }))
    expect(steps.flatMap(({ ids }) => ids)).toEqual(['H04', 'L08', 'M08', 'H08', 'C03'])
    expect(adviceOf(plain({ hypotheses: [verdict('H08', { because: [differs] })] })).steps[0]?.ids).toEqual(['H08'])
  })

  it('tells once what a cause names all of, and twice what it names a part of', () => {
    const stepsOf = (...args: Parameters<typeof fails>[]) => {
      const lost = speaking('share of rollouts that lost text', 1, ['C01', 'C03'], { where: { lostText: true } })
      const weight = speaking('share of the loss weight on tokens that the model did not write', 0.18, ['M01'])
      const hypotheses = [verdict('H04', { because: [lost] }), verdict('H02', { because: [weight] })]
      return adviceOf(plain({ checks: args.map((each) => fails(...each)), hypotheses })).steps.map(
        ({ ids, decides }) => `${ids.join()} ${decides.join()}`,
      )
    }
    expect(stepsOf(['C01', 256], ['M05', 8, { affected_weight: 0.2 }])).toEqual(['C01 H04', 'M05 H02'])
    expect(stepsOf(['C01', 100], ['M05', 8, { affected_weight: 0.1 }])).toEqual(['H04 ', 'C01 ', 'H02 ', 'M05 '])
    expect(stepsOf(['A01', 256], ['T07', 200, { affected_weight: 0.9 }])).toEqual(['A01 ', 'H04 ', 'T07 ', 'H02 '])
  })

  it('puts arrays that do not fit before what is seen in these rows alone', () => {
    const at = (code: string, record: number) => ({ ...report().findings[0]!, code, record, defect: undefined })
    const order = (...findings: Report['findings']) =>
      adviceOf({ ...plain({ checks: [fails('C02', 200), fails('S03', 2)] }), findings }).steps.map(({ ids }) => ids[0])
    expect(order(at('S03', 1), at('S03', 2), at('C02', 2))).toEqual(['S03', 'C02'])
    expect(order(at('S03', 1), at('C02', 1), at('C02', 2))).toEqual(['C02', 'S03'])
  })

  it('says first that a run is sound beside which another one differs, and of what H08 is', () => {
    const differs = speaking('share of paired questions whose system text differs', 1, [])
    const hypotheses = [verdict('H08', { because: [differs] })]
    const beside = plain({ checks: [check('M01')], hypotheses })
    expect(adviceOf(beside).outcome).toBe('clean')
    expect(said(beside)).toEqual([
      'Nothing that could be checked is wrong: 1 check passes on 256 rollouts.',
      'See to H08, if one of the two runs is an evaluation of the other (share of paired questions whose system text differs: 100 %): give both runs the same system text before their rewards are compared.',
    ])
    const faulty = said(plain({ checks: [fails('L08', 20)], hypotheses }))
    expect(faulty[0]).toContain('Mend L08 first')
    expect(faulty[1]).toContain('Then see to H08, if one of the two runs is an evaluation of the other')
  })

  it('lowers no capital of a name', () => {
    const hypotheses = [
      verdict('H06-lora', { title: 'LoRA weight synchronization', because: [speaking('rollouts', 9, ['L08'])] }),
    ]
    expect(said(plain({ checks: [fails('L08', 9, { title: 'KL is wrong' })], hypotheses }))[0]).toBe(
      'Mend L08 first: KL is wrong (9 of 256 rollouts); alone enough to support H06-lora (LoRA weight synchronization).',
    )
  })

  it('asks for what is to be declared before anything is mended', () => {
    const whole = plain({ checks: [fails('M03', 256)] })
    const policy = { ...whole.policy, suggested: 'last-turn' as const }
    expect(said({ ...whole, policy })[0]).toBe(
      'Say whether last-turn training is meant: the masks look like it, and until it is declared it counts as a fault.',
    )
  })

  it('tells four steps in full and of the others their ids', () => {
    const codes = ['M01', 'M02', 'M03', 'M05', 'M06', 'M10']
    const sentences = said(plain({ checks: codes.map((code, at) => fails(code, 200 - at)) }))
    expect(sentences.map((text) => text.slice(0, 16))).toEqual([
      'Mend M01 first: ',
      'Then M02: title ',
      'Then M03: title ',
      'Then M05: title ',
      'After these M06,',
    ])
  })

  it('says of a clean dump what passed, what is not decided, and what to switch on', () => {
    const hypotheses = [
      verdict('H02', { verdict: 'contradicted' }),
      verdict('H03', { verdict: 'not-checkable', missing: ['kl'], recorded_by: ['kl: TRL x'] }),
      verdict('H01', { verdict: 'inconclusive', missing: ['kl'] }),
      verdict('H08', { verdict: 'not-checkable', missing: ['a second run'] }),
      verdict('H05', { verdict: 'inconclusive' }),
    ]
    expect(said(plain({ checks: [check('M01'), fails('A01', 3, { severity: 'info' })], hypotheses }))).toEqual([
      'Nothing that could be checked is wrong: 1 check passes on 256 rollouts.',
      'What is only unusual stands as a note: A01.',
      'Not decided, for what this dump lacks: H03 and H01 need kl; H08 needs a second run.',
      'Not decided by what this dump has: H05; its measures speak neither way.',
      'Switch on to decide more: kl: TRL x.',
    ])
  })

  it('says first of a file that it is read in part, and nothing of one with a bad record', () => {
    const [source] = report().sources
    const skipped = (record: number, code: string) => ({
      record,
      line: record + 1,
      byte: 40 * record,
      code,
      message: '…',
    })
    const [bad, cut] = [skipped(1, 'bad-json'), skipped(2, 'damaged-gzip')]
    const of = (...each: (typeof bad)[][]) =>
      said(plain({ sources: each.map((records) => ({ ...source!, skipped: records })) }))
    const nothing = 'Nothing that could be checked is wrong: 2 checks pass on 256 rollouts.'
    expect(of([bad, cut])).toEqual([
      'Get the whole file: from record 2 (line 3) on nothing could be read, and all that follows is about what stands before it.',
      nothing,
    ])
    expect(of([bad])).toEqual([nothing])
    expect(of([bad], [cut], [])[0]).toBe(
      'Get 1 of 3 files whole: behind a place in it nothing could be read, and all that follows is about the rest.',
    )
  })

  it('names what to switch on alone where the switches of every trainer would be told', () => {
    const lacking = (missing: string[], formats: string[]) =>
      said(
        plain({
          checks: [check('M01')],
          hypotheses: [
            verdict('H03', { verdict: 'not-checkable', missing, recorded_by: recordedBy(missing, formats) }),
          ],
        }),
      ).at(-1)
    const missing = ['mask', 'logprobs.trainer', 'logprobs.sampler']
    expect(lacking(missing, [])).toBe(
      'Switch on to decide more: mask, logprobs.trainer and logprobs.sampler; how each trainer writes them stands with what is not decided.',
    )
    expect(lacking(missing, ['native'])).toBe(
      'Switch on to decide more: mask: in the field loss_mask of each record, whichever trainer writes it; logprobs.trainer: in the field logprobs.trainer of each record, whichever trainer writes it; logprobs.sampler: in the field logprobs.sampler of each record, whichever trainer writes it.',
    )
    expect(lacking(missing, ['verl'])).toBe(
      'Switch on to decide more: mask and logprobs.trainer: verl two lines of integrations/python; logprobs.sampler: verl two lines of integrations/python and calculate_log_probs.',
    )
  })

  it('says before all else that no token is trained, though rows that are cut away or masked on purpose are notes', () => {
    const whole = plain()
    const without = (tokens: Partial<Report['totals']['tokens']>, more: Partial<Report> = {}) =>
      plain({ ...more, totals: { ...whole.totals, tokens: { ...whole.totals.tokens, trained: 0, ...tokens } } })
    const cut = fails('C14', 256, { severity: 'info', title: 'Nothing of the completion is left' })
    const idle = without({}, { checks: [cut, fails('S04', 2, { severity: 'info' }), check('M01')] })
    expect(adviceOf(idle).outcome).toBe('idle')
    expect(said(idle)).toEqual([
      'No token of any rollout is trained: 256 rollouts give no gradient at all. Look at C14: nothing of the completion is left (256 of 256 rollouts).',
      'Nothing else that could be checked is wrong: 1 check passes on 256 rollouts.',
      'What is only unusual stands as a note: S04.',
    ])
    const asked = 'Look at how the masks are made, and at what cuts the rows.'
    expect(said(without({}))[0]).toContain(asked)
    const wrong = said(without({}, { checks: [fails('A06', 40, { severity: 'warning' })] }))
    expect(wrong).toEqual([expect.stringContaining(asked), expect.stringMatching(/^Mend A06 first/)])
    // It is the first thing to mend where it is an error.
    expect(said(without({}, { checks: [fails('M04', 256)] }))).toEqual([expect.stringMatching(/^Mend M04 first/)])
    // A few such rows beside others, a dump without a mask, and one of text alone.
    for (const tokens of [{ trained: 1 }, { unknown: 1 }, { total: 0 }]) {
      expect(adviceOf(without(tokens, { checks: [cut, check('M01')] }))).toMatchObject({
        outcome: 'clean',
        trainsNothing: false,
      })
    }
  })

  it('never calls clean what nothing looked at', () => {
    const unlooked = check('M01', { status: 'not-checkable' })
    expect(adviceOf(plain({ checks: [unlooked] })).outcome).toBe('blind')
    expect(said(plain({ checks: [unlooked] }))).toEqual([
      'No check could look at these rollouts, so nothing is known to be right or wrong.',
    ])
    // A verdict that no check stands behind is known all the same.
    const contradicted = verdict('H06-library', { verdict: 'contradicted' })
    expect(said(plain({ checks: [], hypotheses: [contradicted] }))).toEqual([
      'No check was asked about these rollouts: all that is known of them is that H06-library is contradicted.',
    ])
    const inconclusive = verdict('H06-library', { verdict: 'inconclusive' })
    expect(said(plain({ checks: [unlooked], hypotheses: [inconclusive] }))[0]).toBe(
      'No check could look at these rollouts, so nothing is known to be right or wrong.',
    )
    const none = plain({ checks: [unlooked] })
    expect(said({ ...none, totals: { ...none.totals, trajectories: 0 } })).toEqual([
      'There are no rollouts here, so there was nothing to check. Give the files that hold them as well.',
    ])
    expect(adviceOf(plain({ checks: [unlooked, unlooked, check('T05')] })).outcome).toBe('little')
    expect(adviceOf(plain({ checks: [unlooked, check('T05')] })).outcome).toBe('clean')
    expect(said(plain({ checks: [unlooked, unlooked, check('T05')] }))[0]).toContain(
      'but little could be: 2 checks of 3',
    )
  })
})
