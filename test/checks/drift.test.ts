import { describe, expect, it } from 'vitest'
import { driftOf, driftTokens } from '../../shared/checks/template/drift.ts'
import { createView } from '../../shared/checks/view.ts'
import type { PolicyId } from '../../shared/model/policy.ts'
import { assistant, conversation, type RecordOptions, tool, trajectoryOf, user } from '../helpers/conversation.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories, settings } from './audit.ts'

const TEXT = 'The Pantom document names two directors, and the year 1961.'

/** What is found out about a rollout whose second turn says `ids` where the tokenizer would write TEXT. */
async function driftIn(edit: (ids: number[]) => number[], options: RecordOptions = {}, record = 0, last = TEXT) {
  const tokenizer = await testTokenizer('qwen2.5')
  const turns = [user('Who?'), assistant(last === TEXT ? 'I look it up.' : ''), tool('A document.'), assistant(last)]
  const row = conversation(tokenizer, turns, options)
  const { contentStart, contentEnd } = row.layout[3]!
  const content = row.record.input_ids.slice(contentStart, contentEnd)
  const changed = edit(content)
  row.record.input_ids.splice(contentStart, content.length, ...changed)
  row.record.loss_mask?.splice(contentStart, content.length, ...changed.map(() => 1))
  const trajectory = trajectoryOf(row, { source: 0, record, part: 0 })
  const view = createView(trajectory, { tokenizer, settings: settings(), unsampledLogprob: null })
  const drift = driftOf(view!)
  // What is decided before the encoder is loaded is the same count.
  if (drift !== null && drift.splits === 0) expect(driftTokens(view!)).toBe(drift.tokens)
  return { drift, sampled: tokenizer.encode('I look it up.').length + content.length }
}

describe('what becomes of sampled text that is encoded again', () => {
  it('is the same where the tokenizer wrote it', async () => {
    const { drift, sampled } = await driftIn((ids) => ids)
    expect(drift).toEqual({ tokens: sampled, splits: 0 })
  })

  it('is another split where the model took another way', async () => {
    const { drift } = await driftIn((ids) => {
      const at = ids.indexOf(393)
      expect(ids.slice(at, at + 2)).toEqual([393, 30002])
      return [...ids.slice(0, at), 53122, 316, ...ids.slice(at + 2)]
    })
    expect(drift).toMatchObject({ splits: 1 })
  })

  it('is looked at in the beginning of a turn that is very long', async () => {
    const long = `${TEXT} `.repeat(400).trimEnd()
    const { drift } = await driftIn((ids) => ids, {}, 0, long)
    // Of 2048 tokens the last 32 are not sure to end with a word.
    expect(drift).toEqual({ tokens: 2016, splits: 0 })
    const other = await driftIn((ids) => [...ids.slice(0, 700), 53122, 316, ...ids.slice(700)], {}, 0, long)
    expect(other.drift).toMatchObject({ splits: 1 })
  })

  it('is asked of all rollouts of the first records that hold several, and of the first one of later ones', async () => {
    const tokenizer = await testTokenizer('qwen2.5')
    const row = conversation(tokenizer, [user('Who?'), assistant(TEXT)])
    const isAsked = (record: number, part: number) => {
      const trajectory = trajectoryOf(row, { source: 0, record, part })
      return driftOf(createView(trajectory, { tokenizer, settings: settings(), unsampledLogprob: null })!) !== null
    }
    expect([isAsked(31, 7), isAsked(32, 7), isAsked(32, 0), isAsked(255, 0)]).toEqual([true, false, true, true])
  })

  it.each<[string, RecordOptions, number]>([
    ['late in the file', {}, 256],
    ['with the sampled ids beside it', { more: { meta: { response_ids: [1, 2] } } }, 0],
    ['of which nothing is trained', { editMask: (mask) => mask.fill(0) }, 0],
  ])('is not asked of a rollout %s', async (_, options, record) => {
    const tokenizer = await testTokenizer('qwen2.5')
    const row = conversation(tokenizer, [user('Who?'), assistant(TEXT)], options)
    const trajectory = trajectoryOf(row, { source: 0, record, part: 0 })
    expect(driftOf(createView(trajectory, { tokenizer, settings: settings(), unsampledLogprob: null })!)).toBeNull()
  })
})

describe('T02 over a whole dump', () => {
  const gap = (absolute: number) => ({ count: 100, sum: 0, absolute: absolute * 100 })
  const dump = (more: (i: number) => object, options = {}) =>
    dumpOf(
      Array.from({ length: 100 }, (_, i) => factsOf(i, { drift: { tokens: 600, splits: 0 }, ...more(i) })),
      { options },
    )

  it('notes that nothing was sampled that the tokenizer would not write, as a note that fails nothing', () => {
    const { findings, tally } = runOver(
      'T02',
      dump(() => ({})),
    )
    expect(findings).toMatchObject([{ severity: 'info', scope: 'source', evidence: { encoded_again: 60_000 } }])
    expect(tally).toMatchObject({ checked: 100, affected: 0 })
  })

  it('says where the logprobs bear it out', () => {
    const [finding] = runOver(
      'T02',
      dump(() => ({ gap: gap(0.3) })),
    ).findings
    expect(finding?.message).toMatch(/differ by 0\.3 a token$/)
  })

  it.each([
    ['one turn has another split', dump((i) => (i === 40 ? { drift: { tokens: 20, splits: 1 } } : {}))],
    ['sampler and trainer agree on the tokens', dump(() => ({ gap: gap(0.01) }))],
    ['there are too few tokens', dump((i) => (i < 50 ? {} : { drift: undefined }))],
  ])('is silent where %s', (_, view) => {
    expect(runOver('T02', view).findings).toEqual([])
  })

  it('is silent over data for supervised training', () => {
    const view = dump(() => ({}))
    const policy = { ...view.settings.policy, id: 'sft' as const }
    expect(runOver('T02', { ...view, settings: { ...view.settings, policy } }).findings).toEqual([])
  })
})

describe('T02 of turns that the dump flags', () => {
  type Flags = 'sampled' | 'not' | 'in part'
  const told = async (first: Flags | null, train: boolean, policy: PolicyId = 'rl') => {
    const tokenizer = await testTokenizer('qwen2.5')
    const turns = [
      user('Who?'),
      assistant('I look it up.', train ? {} : { train: false }),
      user('Well?'),
      assistant(TEXT),
    ]
    const row = conversation(tokenizer, turns)
    const sampled = Uint8Array.from(row.sampled, Number)
    const { contentStart, end } = row.layout[1]!
    sampled.fill(first === 'sampled' ? 1 : 0, first === 'in part' ? contentStart + 1 : contentStart, end - 1)
    const trajectory = { ...trajectoryOf(row), sampled: first === null ? null : sampled }
    return auditTrajectories([trajectory], tokenizer, { policy })
  }

  it('names one that is trained and of which no token was sampled', async () => {
    const { failing, byCode } = await told('not', true)
    expect(failing).toEqual(['T02'])
    expect(byCode.get('T02')?.findings).toMatchObject([
      { turn: 1, severity: 'error', evidence: { reason: 'not-sampled' } },
    ])
  })

  it.each([
    ['it is not trained', 'not', false, 'rl'],
    ['some of it was', 'in part', true, 'rl'],
    ['all of it was', 'sampled', true, 'rl'],
    ['nothing is flagged', null, true, 'rl'],
    ['it is data for supervised training', 'not', true, 'sft'],
  ] as const)('is silent where %s', async (_, first, train, policy) => {
    expect((await told(first, train, policy)).byCode.get('T02')?.findings).toEqual([])
  })
})
