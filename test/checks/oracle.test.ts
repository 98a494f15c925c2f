import { describe, expect, it } from 'vitest'
import { createView } from '../../shared/checks/view.ts'
import type { PolicyId } from '../../shared/model/policy.ts'
import { Expected, Provenance } from '../../shared/model/tokens.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'
import { assistant, type Conversation, conversation, trajectoryOf, user } from '../helpers/conversation.ts'
import { FAMILIES, testTokenizer } from '../helpers/tokenizers.ts'
import { settings } from './audit.ts'

const qwen2 = await testTokenizer('qwen2.5')
const qwen3 = await testTokenizer('qwen3')

function viewOf(row: Conversation, tokenizer = qwen2, policy: PolicyId = 'rl', unsampledLogprob: number | null = null) {
  const view = createView(trajectoryOf(row), { tokenizer, settings: settings(policy), unsampledLogprob })
  if (view?.expected == null) throw new Error('the row was not segmented')
  return { ...view, expected: view.expected }
}

describe.each(FAMILIES)('the structure oracle on %s', (family) => {
  it('expects exactly the sampled tokens to be trained', async () => {
    const tokenizer = await testTokenizer(family)
    const row = searchRow(tokenizer, 0, {}, { padLeft: 4, padRight: 2 })
    expect(Array.from(viewOf(row, tokenizer).expected)).toEqual([...row.sampled])
  })

  it('expects the text of a turn without a header to be trained', async () => {
    const tokenizer = await testTokenizer(family)
    const row = searchRow(tokenizer, 0, { answer: { header: false } })
    expect(Array.from(viewOf(row, tokenizer).expected)).toEqual([...row.sampled])
  })
})

describe('policies', () => {
  it('sft leaves the newline after the end token to the data, and masks headers', () => {
    const row = searchRow(qwen2, 0)
    const { expected } = viewOf(row, qwen2, 'sft')
    const turn = row.layout[2]!
    expect(expected[turn.endToken + 1]).toBe(Expected.undecided)
    expect(expected[turn.headerEnd - 1]).toBe(Expected.masked)
  })

  it('last-turn masks earlier turns, and keeps the plain oracle beside it', () => {
    const row = searchRow(qwen2, 0)
    const { expected, expectedRl } = viewOf(row, qwen2, 'last-turn')
    expect(expected[row.layout[2]!.contentStart]).toBe(Expected.masked)
    expect(expectedRl?.[row.layout[2]!.contentStart]).toBe(Expected.trained)
    expect(expected[row.layout[4]!.contentStart]).toBe(Expected.trained)
  })
})

describe('the last turn, where a format documents that it is trained', () => {
  const after = () => [{ role: 'environment', text: 'The state is now this.', train: true }]
  const expectedOf = (origin: 'given' | 'format', row: Conversation) => {
    const base = settings('last-turn')
    const documented = { ...base, policy: { ...base.policy, origin } }
    const view = createView(trajectoryOf(row), { tokenizer: qwen2, settings: documented, unsampledLogprob: null })
    return view?.expected?.[row.layout[4]!.contentStart]
  }

  it('is not known of a reply that the environment has answered, unless a person declared it', () => {
    const answered = searchRow(qwen2, 0, { after })
    expect(expectedOf('format', answered)).toBe(Expected.undecided)
    expect(expectedOf('given', answered)).toBe(Expected.trained)
    expect(expectedOf('format', searchRow(qwen2, 0))).toBe(Expected.trained)
  })
})

describe('what ids cannot tell', () => {
  it('the end of a turn of nobody known is whose its words are', () => {
    const turns = [user('Why?'), { role: 'critic', text: 'Because.' }, user('And?'), assistant('So.')]
    const row = conversation(qwen2, turns)
    const [question, nobodys] = row.layout
    const silent = viewOf(row).expected
    expect(silent[nobodys!.contentStart]).toBe(Expected.undecided)
    expect(silent[nobodys!.endToken]).toBe(Expected.undecided)
    expect(silent[question!.endToken]).toBe(Expected.masked)
    const told = conversation(qwen2, turns, { sampled: true })
    told.record.sampled!.fill(1, nobodys!.contentStart, nobodys!.endToken + 1)
    expect(viewOf(told).expected[nobodys!.endToken]).toBe(Expected.trained)
  })

  it('a think tag directly after the header may be the template’s', () => {
    const row = conversation(qwen3, [user('Why?'), assistant('<think>\nBecause.\n</think>\n\nSo.')])
    const { expected } = viewOf(row, qwen3)
    const { contentStart } = row.layout[1]!
    expect([...expected.subarray(contentStart, contentStart + 3)]).toEqual([
      Expected.undecided,
      Expected.undecided,
      Expected.trained,
    ])
  })

  it('… unless the dump says who wrote it', () => {
    const row = conversation(qwen3, [user('Why?'), assistant('<think>\nBecause.\n</think>\n\nSo.')], { sampled: true })
    expect(viewOf(row, qwen3).expected[row.layout[1]!.contentStart]).toBe(Expected.trained)
  })

  it('a prefilled empty think block is the template’s, unless it was sampled', () => {
    const turns = [user('Why?'), assistant('So.', { prefill: '<think>\n\n</think>\n\n' })]
    const row = conversation(qwen3, turns)
    expect(viewOf(row, qwen3).expected[row.layout[1]!.headerEnd]).toBe(Expected.masked)
    const told = conversation(qwen3, turns, { sampled: true })
    told.record.sampled!.fill(1, told.layout[1]!.headerEnd)
    expect(viewOf(told, qwen3).expected[told.layout[1]!.headerEnd]).toBe(Expected.trained)
  })

  it('an assistant turn inside the prompt may be an example', () => {
    const turns = [user('2 + 2?'), assistant('4'), user('3 + 3?'), assistant('6')]
    const { layout } = conversation(qwen2, turns)
    const row = conversation(qwen2, turns, { more: { prompt_length: layout[3]!.headerEnd } })
    const { expected } = viewOf(row)
    expect(expected[layout[1]!.contentStart]).toBe(Expected.undecided)
    expect(expected[layout[3]!.contentStart]).toBe(Expected.trained)
  })

  it('a reply spliced into an assistant turn is not sampled, and the end token may be appended', () => {
    const row = conversation(qwen2, [
      user('Who?'),
      assistant('<search>who</search><information>Ines Valdoro.</information>It was she.'),
    ])
    const { expected, segmentation } = viewOf(row)
    const reply = segmentation!.turns[1]!.spans.find(({ part }) => part === 'tool')!
    expect(new Set(expected.subarray(reply.start, reply.end))).toEqual(new Set([Expected.masked]))
    expect(expected[row.layout[1]!.endToken]).toBe(Expected.undecided)
    expect(expected[reply.end]).toBe(Expected.trained)
  })

  it('empty lines around a spliced reply may be the environment’s', () => {
    const row = conversation(qwen2, [
      user('Who?'),
      assistant('Ask who\n\n<information>Ines.</information>\n\nIt was she.'),
    ])
    const { expected, segmentation, ids, text } = viewOf(row)
    const reply = segmentation!.turns[1]!.spans.find(({ part }) => part === 'tool')!
    const blanks = [...ids.keys()].filter(
      (at) => /^\n+$/.test(text({ start: at, end: at + 1 })) && at >= reply.start - 1,
    )
    expect(blanks).toContain(reply.start - 1)
    expect(expected[reply.start - 1]).toBe(Expected.undecided)
    expect(expected[reply.start - 2]).toBe(Expected.trained)
    expect(expected[row.layout[1]!.contentEnd - 1]).toBe(Expected.trained)
  })

  it('ends that all hold what the format puts on unsampled tokens may be appended', () => {
    const row = searchRow(qwen2, 0, {}, { logprobs: 'sampler' })
    const ends = row.layout.flatMap(({ role, endToken }) => (role === 'assistant' ? [endToken] : []))
    const scores = (score: number) =>
      row.record
        .logprobs!.sampler!.map((value) => value ?? 0)
        .with(ends[0]!, score)
        .with(ends[1]!, 0)
    const expectedWith = (score: number) => {
      const edited = { ...row, record: { ...row.record, logprobs: { sampler: scores(score) } } }
      const { expected } = viewOf(edited, qwen2, 'rl', 0)
      return ends.map((end) => expected[end])
    }
    expect(expectedWith(0)).toEqual([Expected.undecided, Expected.undecided])
    // One end that was sampled shows that this environment lets the model close its turns.
    expect(expectedWith(-0.2)).toEqual([Expected.trained, Expected.trained])
  })
})

it('a stored prompt length may count the left padding or not', () => {
  const turns = [user('2 + 2?'), assistant('4'), user('3 + 3?'), assistant('6')]
  for (const padLeft of [0, 5, 40]) {
    const { layout } = conversation(qwen2, turns, { padLeft })
    const end = layout[3]!.headerEnd
    for (const prompt_length of [end, end - padLeft]) {
      const { expected, facts } = viewOf(conversation(qwen2, turns, { padLeft, more: { prompt_length } }))
      expect(facts.promptLength).toBe(end - padLeft)
      expect(expected[layout[1]!.contentStart]).toBe(Expected.undecided)
    }
  }
})

describe('the provenance oracle', () => {
  it('takes flags at their word', () => {
    const row = searchRow(qwen2, 0, {}, { sampled: true })
    expect(Array.from(viewOf(row).provenance ?? [])).toEqual([...row.sampled])
  })

  it('reads null logprobs as not sampled, and an exact 0.0 as sampled', () => {
    const row = searchRow(qwen2, 0, {}, { logprobs: 'sampler' })
    expect(row.record.logprobs!.sampler!.filter((value) => value === 0).length).toBeGreaterThan(0)
    expect(Array.from(viewOf(row).provenance ?? [])).toEqual([...row.sampled])
  })

  it('is silent on 0.0 where the format writes 0.0 on tokens that were not sampled', () => {
    const row = searchRow(qwen2, 0, {}, { logprobs: 'sampler' })
    const values = row.record.logprobs!.sampler!.map((value) => value ?? 0)
    row.record.logprobs = { sampler: values }
    const { provenance } = viewOf(row, qwen2, 'rl', 0)
    expect(Array.from(provenance ?? [])).toEqual(
      values.map((value) => (value === 0 ? Provenance.silent : Provenance.sampled)),
    )
  })

  it('reads a placeholder that no logprob can be', () => {
    const row = searchRow(qwen2, 0, {}, { logprobs: 'sampler' })
    row.record.logprobs = { sampler: row.record.logprobs!.sampler!.map((value) => value ?? 1) }
    expect(Array.from(viewOf(row, qwen2, 'rl', 1).provenance ?? [])).toEqual([...row.sampled])
  })

  it('learns nothing from logprobs of a forward pass over everything', () => {
    const row = searchRow(qwen2, 0)
    row.record.logprobs = { sampler: row.record.input_ids.map((_, i) => (i === 0 ? null : -0.5)) }
    expect(viewOf(row).provenance).toBeNull()
    row.record.logprobs = {
      sampler: row.record.input_ids.map((_, i) => (i < row.layout[2]!.contentStart ? null : -0.5)),
    }
    expect(viewOf(row).provenance).toBeNull()
  })

  it('says nothing where the dump has neither flags nor logprobs', () => {
    expect(viewOf(searchRow(qwen2, 0)).provenance).toBeNull()
  })
})

it.each([
  'logprobs.sampler',
  'logprobs',
  'old_log_probs',
])('of the tail that a shorter array of logprobs does not reach, nothing is known: %s', (name) => {
  const row = searchRow(qwen2, 0, {}, { logprobs: 'sampler' })
  const length = row.record.input_ids.length
  const trajectory = trajectoryOf(row)
  trajectory.logprobs.sampler?.fill(Number.NaN, length - 3)
  const arrays = [{ name, length: length - 3, expected: length }]
  const view = createView(
    { ...trajectory, arrays },
    { tokenizer: qwen2, settings: settings(), unsampledLogprob: 'nan' },
  )
  expect([...(view?.provenance ?? [])].slice(-4)).toEqual([
    Provenance.sampled,
    Provenance.silent,
    Provenance.silent,
    Provenance.silent,
  ])
})

it('denials of an array that does not fit are none, as of the logprobs of a response that stand at the beginning', () => {
  const row = searchRow(qwen2, 0, {}, { logprobs: 'sampler' })
  const of = (length: number) => {
    const trajectory = trajectoryOf(row)
    const arrays = [{ name: 'logprobs.sampler', length, expected: row.record.input_ids.length }]
    return createView({ ...trajectory, arrays }, { tokenizer: qwen2, settings: settings(), unsampledLogprob: null })
      ?.provenance
  }
  expect(of(row.record.input_ids.length - 40)).not.toContain(Provenance.notSampled)
  expect(of(row.record.input_ids.length)).toContain(Provenance.notSampled)
})

it('logprobs that lie one token late tell nothing, in a row that ends with its last end token', () => {
  const row = conversation(
    qwen2,
    [user('Where?'), assistant('Let me look it up.'), user('Go on.'), assistant('In Teal.', { separator: false })],
    { logprobs: 'sampler' },
  )
  expect(Array.from(viewOf(row).provenance ?? [])).toEqual([...row.sampled])
  const sampler = row.record.logprobs!.sampler!
  row.record.logprobs = { sampler: [null, ...sampler.slice(0, -1)] }
  expect(viewOf(row).provenance).toBeNull()
})
