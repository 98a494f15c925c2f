import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PARTS } from '../../shared/model/tokens.ts'
import { segment } from '../../shared/tokens/segment.ts'
import { decodeSpan } from '../../shared/tokens/text.ts'
import { byteTokenizer, GLM, HARMONY } from './template/other-families.ts'

const tokenizer = byteTokenizer(HARMONY)

function read(text: string) {
  const ids = Int32Array.from(tokenizer.encode(text, { specials: true }))
  const found = segment(ids, tokenizer, null)
  const decoded = (start: number, end: number) => decodeSpan(tokenizer.table, ids, start, end)
  const turns = found.turns.map(({ kind, role, start, headerEnd, contentStart, contentEnd, endToken, spans }) => ({
    kind,
    role,
    header: decoded(start, headerEnd),
    text: decoded(contentStart, contentEnd),
    end: endToken < 0 ? null : decoded(endToken, endToken + 1),
    spans: spans.map(({ part, closed, ...span }) => [part, decoded(span.start, span.end), closed]),
  }))
  return { turns, found, kinds: turns.map(({ kind }) => kind) }
}

const SYSTEM = '<|start|>system<|message|>You answer.<|end|>'
const USER = '<|start|>user<|message|>Who?<|end|>'
const HEADER = '<|start|>assistant'
const THOUGHT = '<|channel|>analysis<|message|>I ask.<|end|>'
const CALL = '<|channel|>commentary to=functions.search <|constrain|>json<|message|>{"q": "who"}'
const REPLY = '<|start|>functions.search to=assistant<|channel|>commentary<|message|>Ines<|end|>'
const FINAL = '<|channel|>final<|message|>Ines.'

describe('the frame of harmony', () => {
  it('is known by its tokens, and is none where one of them is missing', () => {
    const id = (token: string) => 256 + HARMONY.controls.indexOf(token)
    expect(tokenizer.frame).toMatchObject({
      style: 'harmony',
      turnStart: id('<|start|>'),
      turnEnds: [id('<|end|>'), id('<|return|>'), id('<|call|>')],
      separator: false,
    })
    const without = { ...HARMONY, controls: HARMONY.controls.filter((each) => each !== '<|call|>') }
    expect(byteTokenizer(without).frame?.style).not.toBe('harmony')
  })

  it('has whose turn it is in its headers, and what the model writes behind its own in the content', () => {
    const developer = '<|start|>developer<|message|>Be brief.<|end|>'
    const called = `${HEADER}${THOUGHT}${HEADER}${CALL}<|call|>`
    const { turns, found } = read(`${SYSTEM}${developer}${USER}${called}${REPLY}${HEADER}${FINAL}<|return|>`)
    expect(turns.map(({ kind, role, end }) => [kind, role, end])).toEqual([
      ['system', 'system', '<|end|>'],
      ['system', 'developer', '<|end|>'],
      ['user', 'user', '<|end|>'],
      ['assistant', 'assistant', '<|call|>'],
      ['tool', 'tool', '<|end|>'],
      ['assistant', 'assistant', '<|return|>'],
    ])
    expect(turns[3]).toMatchObject({ header: HEADER, text: `${THOUGHT}${HEADER}${CALL}` })
    expect(turns[3]?.spans).toEqual([
      ['think', THOUGHT, true],
      ['tool_call', '{"q": "who"}', true],
    ])
    expect(turns[4]).toMatchObject({ header: REPLY.replace('Ines<|end|>', ''), text: 'Ines' })
    expect(turns[5]).toMatchObject({ header: HEADER, text: FINAL, spans: [] })
    expect(found).toMatchObject({ cutLeft: false, cutRight: false, endsWithGenerationPrompt: false })
  })

  it('has the recipient of a call before its channel, as templates write it', () => {
    const call = ' to=functions.search<|channel|>commentary json<|message|>{"q": "who"}'
    const { turns } = read(`${USER}${HEADER}${call}<|call|>${REPLY}`)
    expect(turns[1]).toMatchObject({ header: HEADER, text: call, end: '<|call|>' })
    expect(turns[1]?.spans).toEqual([['tool_call', '{"q": "who"}', true]])
  })

  it('has a preamble and a call in one turn, and two answers in two', () => {
    const preamble = '<|channel|>commentary<|message|>One moment.<|end|>'
    expect(read(`${USER}${HEADER}${preamble}${HEADER}${CALL}<|call|>${REPLY}`).kinds).toEqual([
      'user',
      'assistant',
      'tool',
    ])
    const twice = read(`${USER}${HEADER}${FINAL}<|end|>${HEADER}${FINAL}<|end|>${USER}${HEADER}`)
    expect(twice.kinds).toEqual(['user', 'assistant', 'assistant', 'user', 'assistant'])
    expect(twice.found.endsWithGenerationPrompt).toBe(true)
  })

  it('ends a turn with a thought where another speaks next, and none where the row ends', () => {
    expect(read(`${USER}${HEADER}${THOUGHT}${USER}`).turns[1]?.end).toBe('<|end|>')
    const { turns, found } = read(`${USER}${HEADER}${THOUGHT}`)
    expect(turns[1]).toMatchObject({ end: null, text: THOUGHT })
    expect(found.cutRight).toBe(true)
  })

  it('shows a turn without its header, and a call that was cut', () => {
    const { found } = read(`${USER}${HEADER}${CALL}<|call|>${REPLY}${FINAL}<|return|>`)
    expect(found.turns.at(-1)).toMatchObject({ kind: 'assistant', header: 'missing' })
    expect(read(`${USER}${HEADER}${CALL}`).turns[1]?.spans).toEqual([['tool_call', '{"q": "who"}', false]])
  })
})

describe.each([HARMONY, GLM])('every token has one part in $name', (family) => {
  const { encode, table, frame } = byteTokenizer(family)
  const controls = family.controls.map((_, i) => 256 + i)
  const pieces = fc.oneof(
    fc.constantFrom(...controls).map((id) => [id]),
    fc.constantFrom('assistant', 'user', 'final', 'analysis', ' to=x', '\n', 'text').map((text) => encode(text)),
  )

  it('whatever the order of its tokens', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 24 }), (drawn) => {
        const ids = Int32Array.from(drawn.flat())
        const { parts, turns, padding } = segment(ids, { table, frame }, null)
        expect(parts.every((part) => part < PARTS.length)).toBe(true)
        let before = padding.left
        for (const { start, headerEnd, contentStart, contentEnd, endToken, separatorStart, end, spans } of turns) {
          const places = [before, start, headerEnd, contentStart, contentEnd, separatorStart, end]
          expect(places).toEqual(places.toSorted((a, b) => a - b))
          expect(end).toBeGreaterThan(start)
          expect(endToken).toBe(separatorStart > contentEnd ? contentEnd : -1)
          for (const span of spans) expect(span.end <= contentEnd && span.start < span.end).toBe(true)
          before = end
        }
        expect(before).toBeLessThanOrEqual(ids.length - padding.right)
      }),
      { numRuns: 300 },
    )
  })
})
