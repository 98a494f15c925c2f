import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { recordedBy } from '../../shared/hypotheses/recording.ts'
import { judge } from '../../shared/hypotheses/registry.ts'
import { compared, deciding } from '../../shared/hypotheses/verdict.ts'
import { wouldChange } from '../../shared/hypotheses/would-change.ts'
import { dumpOf, factsOf, groupFacts } from '../helpers/facts.ts'
import { inputWith, resultOf, verdictOf } from './input.ts'

const above = { comparison: '>', threshold: 0.2 } as const
const below = { comparison: '<', threshold: 0.05 } as const
const lost = { comparison: '>=', threshold: 0.1 } as const
const none = { comparison: '=', threshold: 0 } as const

const near = (value: number) => compared('share near a limit', value, above, below)
const cut = (value: number) => compared('share that lost text', value, lost, none)

describe('what would change a verdict', () => {
  it('any one measure would support it', () => {
    expect(wouldChange('contradicted', [...near(0.01), ...cut(0)], [])).toEqual([
      'supported if above 20 % (now 1 %): share near a limit',
      'supported if 10 % or more (now 0 %): share that lost text',
    ])
  })

  it('only all of them together would contradict it, those that already do left out', () => {
    expect(wouldChange('supported', [...near(0.31), ...cut(0.12)], [])).toEqual([
      'contradicted if all of these hold: share near a limit below 5 % (now 31 %); share that lost text at 0 % (now 12 %)',
    ])
    expect(wouldChange('supported', [...near(0.31), ...cut(0)], [])).toEqual([
      'contradicted if below 5 % (now 31 %): share near a limit',
    ])
  })

  it('both ways where it is inconclusive, and what is missing', () => {
    expect(wouldChange('inconclusive', near(0.1), ['documents'])).toEqual([
      'supported if above 20 % (now 10 %): share near a limit',
      'contradicted if below 5 % (now 10 %): share near a limit',
      'may fall otherwise once there is: documents',
    ])
  })

  it('words stand for a bound where more than the value decides', () => {
    const lines = deciding({ supported: 'the gap grows with the step' }, near(0.01))
    expect(wouldChange('contradicted', lines, [])).toEqual(['supported if the gap grows with the step'])
  })

  it('what cannot be judged waits for what is missing', () => {
    expect(wouldChange('not-checkable', [], ['rewards', 'group'])).toEqual(['judged once there is: rewards; group'])
  })

  it('never names a bound that the value has reached', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (value) => {
        const [line] = near(value)
        const said = wouldChange('inconclusive', near(value), []).join('\n')
        expect(said.includes('supported if above')).toBe(line?.speaksFor !== 'supported')
        expect(said.includes('contradicted if below')).toBe(line?.speaksFor !== 'contradicted')
      }),
    )
  })
})

describe('the verdicts of a dump', () => {
  const dumps = {
    sound: inputWith(dumpOf(Array.from({ length: 60 }, (_, i) => factsOf(i)))),
    'without streams': inputWith(dumpOf([factsOf(0)]), { without: ['ids', 'rewards', 'logprobs.reference'] }),
    'with faults': inputWith(dumpOf(groupFacts(Array.from({ length: 20 }, () => [0.6, 0.61, 0.6, 0.6]))), {
      checks: [resultOf('M01', { affected: 3, by_turn: { 1: 1, 2: 2 } }), resultOf('A03', { affected: 1 })],
      unsampledWeight: 5,
    }),
  }

  it.each(Object.entries(dumps))('%s: every one says what would change it', (_, input) => {
    for (const { id, verdict, would_change } of judge(input)) {
      expect([id, would_change.length > 0]).toEqual([id, true])
      const opposite = { supported: 'contradicted', contradicted: 'supported' }[verdict as string]
      if (opposite !== undefined) expect(would_change.some((way) => way.startsWith(`${opposite} if`))).toBe(true)
      expect(would_change.join()).not.toMatch(/undefined|NaN|null|\[object/)
    }
  })

  it('a limit in reach turns H04 the way it said', () => {
    const rows = Array.from({ length: 60 }, (_, i) => factsOf(i, { realLength: i < 20 ? 200 : 100 }))
    const supported = verdictOf('H04', dumpOf(rows, { limits: { max_seq_len: 205 } }))
    expect(supported).toMatchObject({ verdict: 'supported' })
    expect(supported.would_change[0]).toMatch(/^contradicted if below 5 % \(now 33\.3 %\): share of rollouts within/)
    const contradicted = verdictOf('H04', dumpOf(rows, { limits: { max_seq_len: 4096 } }))
    expect(contradicted).toMatchObject({ verdict: 'contradicted' })
    expect(contradicted.would_change[0]).toMatch(/^supported if above 20 % \(now 0 %\): share of rollouts within/)
  })
})

describe('what writes a missing stream', () => {
  it('is known by the stream that a sentence begins with, and said once', () => {
    expect(recordedBy(['rewards of at least 8 training steps in the single-turn run', 'rewards'])).toEqual([
      expect.stringMatching(/^rewards: .*verl trainer\.rollout_data_dir=DIR/),
    ])
    expect(recordedBy(['limits (none is given)'])).toEqual([expect.stringMatching(/^limits: --max-seq-len/)])
    expect(recordedBy(['ids', 'logprobs.reference', 'limits'], ['trl'])).toEqual([
      'ids: TRL two lines of integrations/python',
      expect.stringMatching(/^limits: --max-seq-len/),
    ])
    expect(recordedBy(['ids'], ['slime', 'prime-rl-traces'])).toEqual([
      'ids: prime-rl trainer.enable_token_export=true, slime --save-debug-train-data FILE',
    ])
    // What stands in files beside those that were opened.
    const beside = 'prime-rl traces.jsonl of the same run, opened with these files (monitors.file, on by default)'
    expect(recordedBy(['rewards', 'group', 'messages'], ['prime-rl-export'])).toEqual([
      `rewards: ${beside}`,
      `group: ${beside}`,
      `messages: ${beside}`,
    ])
    expect(recordedBy(['advantages'], ['nemo-gym'])).toEqual([
      'advantages: NeMo-Gym train_data_step*.jsonl of NeMo-RL beside these rollouts',
    ])
    expect(recordedBy(['group'], ['nemo-rl'])).toEqual([
      'group: NeMo-RL --group-size with num_generations_per_prompt of the run, whose rows stand in order',
    ])
    expect(recordedBy(['ids'], ['areal'])).toEqual([])
    expect(recordedBy(['ids', 'kl', 'limits'], ['native'])).toEqual([
      'ids: in the field input_ids of each record, whichever trainer writes it',
      'kl: in the field kl of each record, whichever trainer writes it',
      expect.stringMatching(/^limits: --max-seq-len/),
    ])
    expect(recordedBy(['kl'], ['native', 'slime'])).toEqual(recordedBy(['kl'], ['slime']))
    expect(recordedBy(['a second run of the same questions (--against)', 'idsolated', 'documents'])).toEqual([])
  })
})
