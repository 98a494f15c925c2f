import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { drawStrip, STRIP_WIDTH, stateRuns } from '../../shared/checks/facts/strip.ts'
import { createFacts, createView } from '../../shared/checks/view.ts'
import { TokenState } from '../../shared/model/tokens.ts'
import { emptyTrajectory, type Trajectory } from '../../shared/model/trajectory.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'
import {
  assistant,
  type Conversation,
  call,
  conversation,
  type RecordOptions,
  system,
  tool,
  trajectoryOf,
  user,
} from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { settings } from './audit.ts'

const qwen2 = await testTokenizer('qwen2.5')
const llama = await testTokenizer('llama3')

function factsOf(row: Conversation, changes: Partial<Trajectory> = {}, tokenizer = qwen2) {
  const view = createView(
    { ...trajectoryOf(row), ...changes },
    { tokenizer, settings: settings(), unsampledLogprob: null },
  )
  if (view === null) throw new Error('the row has no ids')
  return view.facts
}

describe('what was asked', () => {
  const asked = (more: Partial<Trajectory>, question = 'Who?') => {
    const facts = factsOf(conversation(qwen2, [user(question), assistant('I do not know that at all.')]), more)
    return facts.promptHash
  }

  it('is the same wherever a row parts the opening of the first turn from what was sampled', () => {
    const whole = asked({})
    expect(whole).not.toBeNull()
    const { layout } = conversation(qwen2, [user('Who?'), assistant('I do not know that at all.')])
    const { start, headerEnd, contentStart } = layout.at(-1)!
    for (const promptLength of [start, start + 1, headerEnd, contentStart + 4])
      expect(asked({ promptLength })).toBe(whole)
    expect(asked({ promptLength: start - 2 })).not.toBe(whole)
    expect(asked({}, 'Who then?')).not.toBe(whole)
  })

  it('is the same where the stored length lies inside the question (S05), unless what follows is trained', () => {
    const row = conversation(qwen2, [user('Who is it that wrote this?'), assistant('I do not know that at all.')])
    const inside = row.layout[0]!.contentEnd - 3
    const whole = factsOf(row).promptHash
    expect(factsOf(row, { promptLength: inside }).promptHash).toBe(whole)
    const mask = Uint8Array.from(row.record.loss_mask!, (value, i) => (i === inside ? 1 : value))
    expect(factsOf(row, { promptLength: inside, mask }).promptHash).not.toBe(whole)
  })

  it('is known to be cut where a turn before the first of the model is not closed', () => {
    const open = (...turns: Parameters<typeof conversation>[1]) =>
      factsOf(conversation(qwen2, [...turns, assistant('So.')])).promptOpen
    expect(open(system('Be brief.'), user('Who is it', { end: false, separator: false }))).toBe(true)
    expect(open(system('Be brief.'), user('Who is it?'))).toBeUndefined()
    expect(open(user('Who?'), assistant('He', { end: false }), user('Who?'))).toBeUndefined()
  })
})

describe('how a rollout ended', () => {
  const open = { answer: { end: false } }
  const speltEnd = { answer: { text: 'It is he.<|im_end|>', specials: false, end: false } }
  const speltInside = { answer: { text: 'An end is <|im_end|> here', specials: false, end: false } }
  const openCall = [user('Who?'), assistant('<tool_call>\n{"name": "sea', { end: false })]
  const openReply = [user('Who?'), assistant(call(qwen2, 'search', {})), tool('Ines', { end: false })]
  const closedReply = [user('Who?'), assistant(call(qwen2, 'search', {})), tool('Ines')]

  it.each<[string, Conversation, string]>([
    ['a closed last turn', searchRow(qwen2, 0), 'stop'],
    ['a closed last turn, padded', searchRow(qwen2, 0, {}, { padRight: 5 }), 'stop'],
    ['an open last turn', searchRow(qwen2, 0, open), 'cut-prose'],
    ['an open last turn that is not flagged', searchRow(qwen2, 0, open, { isTruncated: false }), 'cut-prose'],
    ['an open last turn of a model that stopped', searchRow(qwen2, 0, open, { finishReason: 'stop' }), 'stop'],
    ['an end token in letters', searchRow(qwen2, 0, speltEnd), 'stop'],
    ['letters of an end token inside the last turn', searchRow(qwen2, 0, speltInside), 'cut-prose'],
    ['an open call', conversation(qwen2, openCall), 'cut-call'],
    ['an open reply', conversation(qwen2, openReply), 'cut-reply'],
    ['a whole reply', conversation(qwen2, closedReply), 'stop'],
    ['a whole reply of a truncated row', conversation(qwen2, closedReply, { isTruncated: true }), 'cut-reply'],
    ['a prompt alone', conversation(qwen2, [user('Who?')], { generationPrompt: true }), 'prompt-only'],
  ])('%s', (_, row, reason) => {
    expect(factsOf(row).endReason).toBe(reason)
  })

  it('is told of a row that end tokens pad by its finish reason, unless their first carries loss or was sampled', () => {
    const padded = (finishReason: string | null, more: RecordOptions = {}, of: 'mask' | 'sampled' | null = null) => {
      const row = searchRow(qwen2, 0, open, {
        padRight: 5,
        ...(finishReason === null ? {} : { finishReason }),
        ...more,
      })
      const { input_ids: ids, loss_mask: mask, sampled } = row.record as Record<string, number[]>
      const first = ids!.length - 5
      ids!.fill(151645, first)
      if (of !== null) (of === 'mask' ? mask : sampled)![first] = 1
      return factsOf(row)
    }
    expect(padded('length')).toMatchObject({ endReason: 'cut-prose', padding: 5 })
    expect(padded('length', { sampled: true })).toMatchObject({ endReason: 'cut-prose', padding: 5 })
    expect(padded('stop')).toMatchObject({ endReason: 'stop', padding: 4 })
    expect(padded(null, { isTruncated: true })).toMatchObject({ endReason: 'cut-prose', padding: 5 })
    expect(padded('stop', { isTruncated: true })).toMatchObject({ padding: 4 })
    expect(padded(null)).toMatchObject({ endReason: 'stop', padding: 4 })
    expect(padded('length', {}, 'mask')).toMatchObject({ endReason: 'stop', padding: 4 })
    expect(padded('length', { sampled: true }, 'sampled')).toMatchObject({ padding: 4 })
  })

  it.each([
    ['stop', null, 'stop'],
    ['length', null, 'cut-prose'],
    [null, true, 'cut-prose'],
    [null, null, 'unknown'],
  ])('text alone with finish reason %s and truncated %s: %s', (finishReason, isTruncated, reason) => {
    const trajectory = { ...emptyTrajectory({ source: 0, record: 0, part: 0 }, 'a'), finishReason, isTruncated }
    const facts = createFacts({ ...trajectory, messages: [{ role: 'user', content: 'a' }] })
    expect(facts).toMatchObject({ endReason: reason, turns: 1, trained: null, length: 0, lost: 0 })
  })

  it.each([
    ['assistant', { assistantTurns: 1, toolTurns: 0 }],
    ['Bot', { assistantTurns: 1, toolTurns: 0 }],
    ['policy', { assistantTurns: 1, toolTurns: 0 }],
    ['ipython', { assistantTurns: 0, toolTurns: 1 }],
    ['tool_result', { assistantTurns: 0, toolTurns: 1 }],
    ['env', { assistantTurns: 0, toolTurns: 1 }],
  ])('of messages are told by what their roles mean: %s', (role, turns) => {
    const trajectory = emptyTrajectory({ source: 0, record: 0, part: 0 }, 'a')
    expect(createFacts({ ...trajectory, messages: [{ role, content: 'a' }] })).toMatchObject({ turns: 1, ...turns })
  })
})

describe('numbers of tokens', () => {
  it('leave padding out where they say so, and count it where they say so', () => {
    const plain = factsOf(searchRow(qwen2, 0))
    const padded = factsOf(searchRow(qwen2, 0, {}, { padLeft: 3, padRight: 4 }))
    expect(padded.length).toBe(plain.length + 7)
    expect(padded).toMatchObject({
      realLength: plain.length,
      padding: 7,
      promptLength: plain.promptLength,
      idsHash: plain.idsHash,
      promptHash: plain.promptHash,
      trained: plain.trained,
    })
    expect((plain.trained as number) + (plain.masked as number)).toBe(plain.length)
  })

  it('lengths of turns are those of what was sampled, and of replies', () => {
    const row = searchRow(qwen2, 0)
    const sampled = row.layout.filter(({ role }) => role === 'assistant').map((t) => t.endToken + 1 - t.contentStart)
    const reply = row.layout[3]!
    expect(factsOf(row).assistantLengths).toEqual(sampled)
    expect(factsOf(row).toolReplyLengths).toEqual([reply.contentEnd - reply.contentStart])
  })

  it('lengths of turns are without what the prompt begins them with, where something tells that', () => {
    const words = qwen2.encode('The Olsa, I think.').length
    const row = (options: RecordOptions = {}, train = false) =>
      conversation(
        qwen2,
        [
          user('Which river?'),
          assistant('The Olsa, I think.', {
            prefill: '<think>\n',
            train: { prefill: train, content: true, end: true },
          }),
        ],
        options,
      )
    const prefill = qwen2.encode('<think>\n').length
    const { contentStart: promptLength } = row().layout[1]!
    expect(factsOf(row({ logprobs: 'sampler' })).assistantLengths).toEqual([words + 1])
    expect(factsOf(row(), { promptLength }).assistantLengths).toEqual([words + 1])
    expect(factsOf(row()).assistantLengths).toEqual([prefill + words + 1])
    expect(factsOf(row({}, true), { promptLength }).assistantLengths).toEqual([prefill + words + 1])
  })

  it('weights are summed as they are', () => {
    const row = searchRow(qwen2, 0)
    row.record.loss_mask = row.record.loss_mask!.map((value) => value / 2)
    const facts = factsOf(row)
    expect(facts.weight).toBe((facts.trained as number) / 2)
  })

  it('a common advantage is one number, a varying one is none', () => {
    const row = searchRow(qwen2, 0)
    const S = row.record.input_ids.length
    const advantages = new Float32Array(S).fill(-0.5)
    expect(factsOf(row, { advantages })).toMatchObject({ advantage: -0.5, maxAdvantage: 0.5 })
    advantages[row.layout[4]!.contentStart] = 2
    expect(factsOf(row, { advantages })).toMatchObject({ advantage: null, maxAdvantage: 2 })
    advantages.fill(7, 0, 3)
    expect(factsOf(row, { advantages }).maxAdvantage).toBe(2)
  })
})

describe('supporting documents', () => {
  const text = `Ines Valdoro made "Night Harbour" in 1961.\nIt was shot in ${'the old port and '.repeat(12)}the quay.`
  const documents = [
    { id: 'a', text, supporting: true },
    {
      id: 'b',
      text: 'Somebody else made something else, somewhere else, at another time altogether.',
      supporting: true,
    },
    { id: 'c', text: 'No matter.', supporting: false },
  ]
  const turns = [
    system('Help.'),
    user('Who?'),
    assistant(call(qwen2, 'search', { query: 'x' })),
    tool(text),
    assistant('She.'),
  ]

  it.each([
    ['qwen2.5', qwen2],
    ['llama3, which quotes replies as JSON', llama],
  ])('are seen in %s', (_, tokenizer) => {
    const row = conversation(tokenizer, turns, { documents })
    expect(factsOf(row, {}, tokenizer).supportingDocuments).toEqual({
      available: 2,
      retrieved: null,
      visible: 1,
      standing: 1,
    })
  })

  it('whose end is cut off are not', () => {
    const cut = turns.with(3, tool(text.slice(0, -20)))
    const row = conversation(qwen2, cut, { documents })
    expect(factsOf(row).supportingDocuments).toEqual({ available: 2, retrieved: null, visible: 0, standing: 0 })
  })

  it('that only the model quotes are not', () => {
    const row = conversation(qwen2, [user('Who?'), assistant(text), user('Sure?'), assistant('Yes.')], { documents })
    expect(factsOf(row).supportingDocuments).toEqual({ available: 2, retrieved: null, visible: 0, standing: 0 })
  })

  it('that come after the answer are not, though they stand in the ids', () => {
    const row = conversation(qwen2, [user('Who?'), assistant('She.'), tool(text)], { documents })
    expect(factsOf(row).supportingDocuments).toEqual({ available: 2, retrieved: null, visible: 0, standing: 1 })
  })

  it('are not known where the dump marks none', () => {
    const row = conversation(qwen2, turns, { documents: documents.map(({ id }) => ({ id, text })) })
    expect(factsOf(row).supportingDocuments).toBeNull()
    expect(factsOf(conversation(qwen2, turns)).supportingDocuments).toBeNull()
  })
})

describe('lost tokens', () => {
  const turns = [user('Who made Night Harbour?'), assistant('It is said that Ines Valdoro made it, in 1961.')]
  const lost = (options: RecordOptions) => factsOf(conversation(qwen2, turns, { messages: true, ...options })).lost

  it('are those of the answer that a cut removed', () => {
    expect(lost({ cutRight: 6 })).toBe(4)
  })

  it('are all of the messages that come after the cut', () => {
    const more = [...turns, user('And when?'), assistant('In the spring of 1961.')]
    const whole = conversation(qwen2, more, { messages: true })
    const row = conversation(qwen2, more, {
      messages: true,
      cutRight: whole.record.input_ids.length - whole.layout[1]!.end,
      isTruncated: true,
    })
    const encoded = qwen2.encode('And when?').length + qwen2.encode('In the spring of 1961.').length
    expect(factsOf(row).lost).toBe(encoded)
  })

  it.each([1, 2])('are those of the reply that a cut went through, the last of %i', (replies) => {
    const texts = ['The register names Ines Valdoro', 'The harbour was built in 1961, at night'].slice(-replies)
    const said = 'I look it up.'
    const told = [user('Who?'), assistant(said), tool(texts.join('\n</tool_response>\n<tool_response>\n'))]
    const messages = [
      { role: 'user', content: 'Who?' },
      { role: 'assistant', content: said },
      ...texts.map((content) => ({ role: 'tool', content })),
    ]
    const whole = conversation(qwen2, told)
    const spelt = qwen2.encode(texts.at(-1)!).length
    const end = whole.layout[2]!.contentEnd - qwen2.encode('\n</tool_response>').length
    const seeing = (tokens: number) => {
      const cutRight = whole.record.input_ids.length - end + spelt - tokens
      return conversation(qwen2, told, { more: { messages }, cutRight })
    }
    expect(factsOf(seeing(5)).lost).toBe(spelt - 5)
    expect(factsOf(seeing(1)).lost).toBe(spelt - 1)
    expect(factsOf(seeing(0)).lost).toBe(spelt)
  })

  it('are none where everything is there, or cannot be compared', () => {
    expect(lost({})).toBe(0)
    expect(lost({ isTruncated: true })).toBe(0)
    expect(lost({ cutRight: 6, messages: false })).toBe(0)
    const other = conversation(qwen2, turns, { cutRight: 6, more: { messages: [{ role: 'user', content: 'Else.' }] } })
    expect(factsOf(other).lost).toBe(0)
  })
})

describe('the strip', () => {
  const { masked, trained, padding } = TokenState

  it('draws runs in proportion', () => {
    const states = Uint8Array.from([...Array(50).fill(masked), ...Array(25).fill(trained), ...Array(25).fill(padding)])
    expect([...drawStrip(states)]).toEqual([masked, 128, trained, 63, padding, 64])
  })

  it('has the same edges where a mask differs elsewhere in the row', () => {
    const states = (end: number) => Uint8Array.from({ length: 979 }, (_, i) => (i < 261 || i >= end ? masked : trained))
    const edge = (strip: Uint8Array) => strip[1]
    const ends = Array.from({ length: 60 }, (_, i) => 300 + i)
    expect(new Set(ends.map((end) => edge(drawStrip(states(end)))))).toEqual(new Set([68]))
    for (const end of ends) {
      const widths = drawStrip(states(end)).filter((_, i) => i % 2 === 1)
      expect(widths.reduce((sum, width) => sum + width, 0)).toBe(STRIP_WIDTH)
    }
  })

  it('never has more than 64 segments, nor one of no width', () => {
    const states = Uint8Array.from({ length: 5000 }, (_, i) => (i % 7 < 3 ? trained : masked))
    const strip = drawStrip(states)
    expect(strip.length).toBeLessThanOrEqual(128)
    expect(strip.filter((_, i) => i % 2 === 1).every((width) => width > 0 && width <= STRIP_WIDTH)).toBe(true)
    const endsInShortRuns = Uint8Array.from({ length: 5000 }, (_, i) => (i >= 4980 && i % 2 === 0 ? trained : masked))
    const short = drawStrip(endsInShortRuns).filter((_, i) => i % 2 === 1)
    expect(short.every((width) => width > 0)).toBe(true)
    expect(short.reduce((sum, width) => sum + width, 0)).toBe(STRIP_WIDTH)
  })

  it('keeps a short trained turn of a long row in sight', () => {
    const states = new Uint8Array(100_000)
    states.fill(trained, 99_990)
    expect([...drawStrip(states)].slice(-2)).toEqual([trained, 1])
  })

  it('is trained in as many cells as the row is, where no cell is without trained tokens', () => {
    const shares = [
      [31, 17],
      [3, 4],
      [10, 90],
    ].map(([of = 0, others = 0]) => {
      const states = Uint8Array.from({ length: 83 * 40 }, (_, i) => (i % (of + others) < of ? trained : masked))
      const strip = drawStrip(states)
      const drawn = strip.reduce(
        (sum, state, i) => sum + (i % 2 === 0 && state === trained ? (strip[i + 1] ?? 0) : 0),
        0,
      )
      return drawn / STRIP_WIDTH - of / (of + others)
    })
    for (const off of shares) expect(Math.abs(off)).toBeLessThan(0.03)
  })

  it('draws a cell in the state that most of its tokens have, wherever runs end', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(masked, padding), fc.integer({ min: 1, max: 90 })), { minLength: 80 }),
        (runs) => {
          const states = Uint8Array.from(runs.flatMap(([state, length]) => Array<number>(length).fill(state)))
          fc.pre(stateRuns(states).length > 64)
          const strip = drawStrip(states)
          const drawn = Array.from({ length: strip.length / 2 }, (_, i) =>
            Array<number>(strip[2 * i + 1] ?? 0).fill(strip[2 * i] ?? 0),
          ).flat()
          for (let cell = 0; cell < 64; cell++) {
            const [start, end] = [cell, cell + 1].map((edge) => Math.floor((edge * states.length) / 64))
            const own = states.slice(start, end)
            const masks = own.filter((state) => state === masked).length
            if (masks * 2 === own.length) continue
            expect(drawn[Math.round(((cell + 0.5) * STRIP_WIDTH) / 64)]).toBe(masks * 2 > own.length ? masked : padding)
          }
        },
      ),
    )
  })

  it('is empty for an empty row', () => {
    expect(drawStrip(new Uint8Array(0)).length).toBe(0)
  })
})
