import { describe, expect, it } from 'vitest'
import type { Trajectory } from '../../shared/model/trajectory.ts'
import { searchRows } from '../fixtures/checks/fixture.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

/** A note of a role of its own, which an end token closes, amid a row and at its end. */
const NOTE = { role: 'note', text: 'The episode is over.' }
const ROWS = {
  whole: {},
  'with notes': { after: () => [NOTE] },
  'with a reply that lost its header': { reply: { header: false } },
  'with turns that nothing closes': { call: { end: false }, reply: { end: false }, answer: { end: false } },
} as const

const NO_LOGPROBS = { sampler: null, trainer: null, reference: null }
const ABSENT: readonly (readonly [string, Partial<Trajectory>])[] = [
  ['mask', { mask: null }],
  ['logprobs', { logprobs: NO_LOGPROBS }],
  ['flags', { sampled: null }],
  ['messages', { messages: null, tools: null }],
  ['prompt length', { promptLength: null }],
]

describe.each(['qwen2.5', 'llama3'] as const)('rows of %s that lack streams', (family) => {
  it.each(Object.entries(ROWS))('are looked at by every check: %s', async (_, changes) => {
    const tokenizer = await testTokenizer(family)
    const options = { logprobs: 'both', messages: true, reward: 1, sampled: true } as const
    const whole = searchRows(
      changes,
      options,
    )(tokenizer).map((row, record) => trajectoryOf(row, { source: 0, record, part: 0 }))
    for (let absent = 0; absent < 1 << ABSENT.length; absent++) {
      const gone = ABSENT.filter((_stream, bit) => (absent >> bit) & 1)
      const rows = whole.map((row) => Object.assign({ ...row }, ...gone.map(([, streams]) => streams)) as Trajectory)
      const names = gone.map(([name]) => name).join(', ')
      expect(() => auditTrajectories(rows, tokenizer), `without ${names}`).not.toThrow()
    }
  })
})
