import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import type { PairingFacts } from '../../shared/checks/texts/pairing.ts'
import type { SecondRun } from '../../shared/hypotheses/hypothesis.ts'
import { dumpOf } from '../helpers/facts.ts'
import { pairedRun, pairing, rows, second, verdict } from './beside.ts'

describe('H08', () => {
  it('is contradicted by two runs that agree', () => {
    expect(verdict('H08', pairedRun(), second(pairedRun()))).toMatchObject({
      verdict: 'contradicted',
      confidence: 'high',
      missing: [],
    })
  })

  it('is not contradicted by texts that agree: what the templates made of them is not known', () => {
    const result = verdict(
      'H08',
      pairedRun(() => ({ promptHash: null })),
      second(pairedRun(() => ({ promptHash: null }))),
    )
    expect(result).toMatchObject({
      verdict: 'inconclusive',
      missing: ['ids of the prompts in both runs, by one tokenizer'],
    })
  })

  describe('where the prompts of one run lack its tools', () => {
    const lost = { systemHash: 'without', toolsMissing: true } as const
    const own = (row: Partial<TrajectoryFacts>) => pairedRun((i) => ({ promptHash: `${row.systemHash} ${i}`, ...row }))
    const measures = (here: readonly TrajectoryFacts[], there: readonly TrajectoryFacts[]) => {
      const result = verdict('H08', here, second(there))
      return { ...result, told: result.because.map(({ measure, value }) => `${measure}: ${value}`).join('; ') }
    }

    it('is supported by tools that differ, and by no system text', () => {
      for (const found of [
        measures(own({ systemHash: 'with' }), own(lost)),
        measures(own(lost), own({ systemHash: 'with' })),
      ]) {
        expect(found.verdict).toBe('supported')
        expect(found.told).toContain('tools differ: 1;')
        expect(found.told).toContain('system text differs: 0')
        expect(found.told).toContain('whose tools stand in the prompts of one run only (T07 of the other): 60')
        expect(found.missing).toEqual([])
      }
    })

    it('counts messages that differ all the same', () => {
      const other = (more: Partial<PairingFacts>) =>
        own({ systemHash: 'with' }).map((row, i) => ({ ...row, pairing: pairing(i, more) }))
      expect(measures(other({ system: 'other' }), own(lost)).told).toContain('system text differs: 1')
    })

    it('compares prompts that lack them in both runs, and where only some rollouts do', () => {
      expect(measures(own({ ...lost, systemHash: 'a' }), own(lost)).told).toContain('system text differs: 1')
      const some = own(lost).map((row, i) => (i % 2 === 0 ? row : { ...row, toolsMissing: false }))
      expect(measures(own({ systemHash: 'with' }), some).told).toContain('system text differs: 0.5')
    })
  })

  it('is not checkable where a run is laid beside itself, wholly or in part, or beside more of it', () => {
    const itself = (facts: readonly TrajectoryFacts[]): SecondRun => ({ ...second([]), dump: dumpOf(facts) })
    const edited = (count: number) =>
      pairedRun().map((row, i) => (i < count ? { ...row, recordHash: `anew ${i}` } : row))
    for (const [here, there] of [
      [pairedRun(), pairedRun()],
      [pairedRun(), pairedRun().slice(20)],
      [pairedRun().slice(20), pairedRun()],
      [pairedRun(), edited(1)],
      [pairedRun(), edited(29)],
    ] as const) {
      const { verdict: judged, missing, because } = verdict('H08', here, itself(there))
      expect({ judged, because }).toEqual({ judged: 'not-checkable', because: [] })
      expect(missing).toEqual([
        'another run: most rollouts of the questions that both have are the same records, so that one run is laid beside itself',
      ])
    }
    expect(verdict('H08', pairedRun(), itself(edited(30))).verdict).toBe('contradicted')
  })

  it.each([
    { reward: 0, judged: 'supported' },
    { reward: 0.9, judged: 'not-checkable' },
  ])('is $judged where a quarter of the same records is scored again, with $reward in place of 1', ({
    reward,
    judged,
  }) => {
    const rescored = pairedRun().map((row, i) => (i % 4 ? row : { ...row, reward, recordHash: `anew ${i}` }))
    const found = verdict('H08', pairedRun(), { ...second([]), dump: dumpOf(rescored) })
    expect(found.verdict).toBe(judged)
    expect(found.because.find(({ measure }) => measure.startsWith('mean reward difference'))?.value).toBe(
      judged === 'supported' ? 0.25 : undefined,
    )
  })

  it.each([
    ['tools differ in one of twenty pairs', (i: number) => ({ pairing: pairing(i, i % 20 ? {} : { tools: 'other' }) })],
    ['system texts differ', (i: number) => ({ systemHash: null, pairing: pairing(i, { system: 'none' }) })],
    ['system turns differ in the ids', () => ({ systemHash: 'other' })],
    ['prompts are rendered otherwise', (i: number) => ({ promptHash: `other${i}` })],
    [
      'a third of the rollouts is cut',
      (i: number) => ({ endReason: i % 3 ? ('stop' as const) : ('cut-prose' as const) }),
    ],
    ['the same answers are scored otherwise', () => ({ reward: 0.8 })],
  ])('is supported where %s', (_, more) => {
    const first = pairedRun(() => ({ systemHash: 'one' }))
    const other = pairedRun((i) => ({ systemHash: 'one', ...more(i) }))
    expect(verdict('H08', first, second(other)).verdict).toBe('supported')
  })

  it('says nothing of prompts that a run never renders twice alike, and tells those that it does', () => {
    // Four rollouts to a question.
    const runOf = (prompt: (i: number) => string) =>
      rows(60, (i) => ({ pairing: pairing(i >> 2), promptHash: prompt(i), reward: 1 }))
    const steady = runOf((i) => `p${i >> 2}`)
    const anew = runOf((i) => `made up ${i}`)
    const other = runOf((i) => `other ${i >> 2}`)
    expect(verdict('H08', steady, second(anew)).verdict).toBe('inconclusive')
    expect(verdict('H08', anew, second(steady)).verdict).toBe('inconclusive')
    expect(verdict('H08', steady, second(other)).verdict).toBe('supported')
  })

  it('forgives one pair of sixty, other wording, and ends that differ by chance', () => {
    const other = pairedRun((i) => ({
      pairing: pairing(i, i === 0 ? { tools: 'other' } : { answer: `another${i}` }),
      endReason: i === 7 ? 'cut-prose' : 'stop',
    }))
    expect(verdict('H08', pairedRun(), second(other)).verdict).toBe('contradicted')
  })

  it('is no surer than the rollouts of the questions that both runs have', () => {
    const sharing = (questions: number) =>
      second(pairedRun((i) => ({ pairing: pairing(i < questions ? i : i + 1000) })))
    const confidence = (questions: number) => verdict('H08', pairedRun(), sharing(questions)).confidence
    expect([9, 10, 49, 50].map(confidence)).toEqual(['low', 'medium', 'medium', 'high'])
  })

  it('does not ask for ids of prompts that differ with their tools or system text', () => {
    const others = second(pairedRun((i) => ({ pairing: pairing(i, { tools: 'other' }) })))
    expect(verdict('H08', pairedRun(), others).missing).toEqual([])
    const mixed = second(pairedRun((i) => ({ pairing: pairing(i, i % 2 ? { tools: 'other' } : {}), promptHash: null })))
    expect(verdict('H08', pairedRun(), mixed).missing).toEqual(['ids of the prompts in both runs, by one tokenizer'])
  })

  it('is neither where nothing of the pairs can be compared but the rewards of like answers', () => {
    const blind = pairedRun((i) => ({ pairing: pairing(i, { system: null, tools: null }), promptHash: null }))
    const { verdict: judged, missing } = verdict('H08', blind, second(blind))
    expect([judged, missing]).toEqual([
      'inconclusive',
      ['ids of the prompts in both runs, by one tokenizer', 'tools of both runs'],
    ])
  })

  it('needs a second run with questions of the first', () => {
    expect(verdict('H08', pairedRun(), null).missing).toEqual(['a second run of the same questions (--against)'])
    const strangers = second(pairedRun((i) => ({ pairing: pairing(i + 1000) })))
    expect(verdict('H08', pairedRun(), strangers).verdict).toBe('not-checkable')
  })
})
