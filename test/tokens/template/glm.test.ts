import { describe, expect, it } from 'vitest'
import { PART } from '../../../shared/model/tokens.ts'
import { segment } from '../../../shared/tokens/segment.ts'
import { learnTemplate } from '../../../shared/tokens/template/learn.ts'
import { decodeSpan } from '../../../shared/tokens/text.ts'
import { byteTokenizer, GLM } from './other-families.ts'

const tokenizer = byteTokenizer(GLM)
const id = (token: string) => 256 + GLM.controls.indexOf(token)

function read(text: string) {
  const ids = Int32Array.from(tokenizer.encode(text, { specials: true }))
  const found = segment(ids, tokenizer, null)
  const turns = found.turns.map(({ kind, contentStart, contentEnd, endToken, start }) => ({
    turn: `${kind}: ${decodeSpan(tokenizer.table, ids, contentStart, contentEnd)}`,
    end: endToken < 0 ? null : decodeSpan(tokenizer.table, ids, endToken, endToken + 1),
    opens: decodeSpan(tokenizer.table, ids, start - 1, start),
  }))
  return { ids, found, turns }
}

const PROMPT = '[gMASK]<sop><|user|>\nWho?<|assistant|>'
const CALL = '\n<think>I ask.</think>\n<tool_call>search\n</tool_call>'
const REPLY = '\n<tool_response>\nInes\n</tool_response>'
const ANSWER = '\n<think>Ines, then.</think>\nInes.'

describe('a family that ends its turns with the token that opens the next one', () => {
  it('is learned from its template', () => {
    const { frame } = tokenizer
    expect(frame).toMatchObject({ style: 'learned', turnEnds: [], separator: false, bos: [id('[gMASK]')] })
    expect(frame?.sharedEnds).toEqual([id('<|user|>'), id('<|observation|>')])
    expect(learnTemplate(GLM.template)).toMatchObject({
      assistant: { header: '<|assistant|>', end: '' },
      tool: { header: '<|observation|>\n<tool_response>\n', end: '\n</tool_response>' },
      answersToolDirectly: false,
      prefill: '',
    })
  })

  it('is none without the token that opens its replies: what others sample there is not known', () => {
    const other = { ...GLM, controls: GLM.controls.filter((each) => each !== '<|observation|>') }
    expect(byteTokenizer(other).frame).toBeNull()
  })

  it('has that token once, as the end of the turn that it was sampled in', () => {
    const { turns, found, ids } = read(`${PROMPT}${CALL}<|observation|>${REPLY}<|assistant|>${ANSWER}<|user|>\nSure?`)
    expect(turns.map(({ turn }) => turn)).toEqual([
      'user: Who?',
      `assistant: ${CALL}`,
      `tool: ${REPLY.slice(1)}`,
      `assistant: ${ANSWER}`,
      'user: Sure?',
    ])
    expect(turns.map(({ end }) => end)).toEqual([null, '<|observation|>', null, '<|user|>', null])
    expect(turns[2]?.opens).toBe('<|observation|>')
    expect(found.turns.every(({ header }) => header === 'present')).toBe(true)
    expect(found).toMatchObject({ cutLeft: false, bos: [0] })
    expect(found.parts[ids.indexOf(id('<|observation|>'))]).toBe(PART.end)
    expect(found.parts[ids.indexOf(id('<|user|>'))]).toBe(PART.header)
  })

  it.each(['<|user|>', '<|observation|>', '<|endoftext|>'])('may end a row with %s', (end) => {
    const { turns, found } = read(PROMPT + ANSWER + end)
    expect(turns.at(-1)).toMatchObject({ turn: `assistant: ${ANSWER}`, end })
    expect(found.cutRight).toBe(false)
  })

  it('may end a text and go on', () => {
    const { turns } = read(`${PROMPT}${ANSWER}<|endoftext|><|user|>\nSure?`)
    expect(turns.map(({ end }) => end)).toEqual([null, '<|endoftext|>', null])
    expect(turns.at(-1)?.turn).toBe('user: Sure?')
  })

  it('was cut where none of them follows', () => {
    const { turns, found } = read(PROMPT + ANSWER)
    expect(turns.at(-1)?.end).toBeNull()
    expect(found.cutRight).toBe(true)
  })

  it('keeps the end that was sampled apart from padding behind it', () => {
    const { turns, found } = read(`${PROMPT}${ANSWER}<|user|>${'<|endoftext|>'.repeat(4)}`)
    expect(turns.at(-1)?.end).toBe('<|user|>')
    expect(found.padding.right).toBe(4)
  })

  it.each(['', '\n<think></think>'])('asks for an answer with %j behind the header', (prefill) => {
    expect(read(PROMPT + prefill).found).toMatchObject({ endsWithGenerationPrompt: true, cutRight: false })
  })

  it('has a header behind an end that was written twice', () => {
    const { turns } = read(`${PROMPT}${ANSWER}<|user|><|user|>\nSure?`)
    expect(turns.map(({ end }) => end)).toEqual([null, '<|user|>', null])
    expect(turns.at(-1)?.turn).toBe('user: Sure?')
  })

  it('knows whose turn it is without the line behind the token', () => {
    const { turns } = read(`${PROMPT}${CALL}<|observation|>Ines<|assistant|>${ANSWER}<|user|>`)
    expect(turns[2]?.turn).toBe('tool: Ines')
  })
})

describe('a turn of another that its own token does not end', () => {
  it('is nobody’s with a thought in it: words of the model are in it', () => {
    const { turns } = read(
      `${PROMPT}${CALL}<|observation|>${REPLY}${CALL}<|observation|>${REPLY}<|assistant|>${ANSWER}`,
    )
    expect(turns.map(({ turn }) => turn.split(':', 1)[0])).toEqual(['user', 'assistant', 'other', 'tool', 'assistant'])
    expect(turns[2]?.end).toBe('<|observation|>')
  })

  it('is its own where the next one is of another, too', () => {
    const { turns } = read(`${PROMPT}${CALL}<|observation|>${REPLY}<|observation|>${REPLY}<|assistant|>${ANSWER}`)
    expect(turns.map(({ turn }) => turn.split(':', 1)[0])).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant'])
  })
})

it('the thought that the newest of them opens in its prompt is a prefill', () => {
  const template = GLM.template
    .replaceAll('<|assistant|>\n<think>', '<|assistant|><think>')
    .replace(/\{% if add_generation_prompt %\}.*$/s, '{% if add_generation_prompt %}<|assistant|><think>{% endif %}')
  const newest = byteTokenizer({ ...GLM, template })
  expect(newest.frame?.sharedEnds).toHaveLength(2)
  expect(learnTemplate(template).prefill).toBe('<think>')
  const ids = Int32Array.from(newest.encode('[gMASK]<sop><|user|>\nWho?<|assistant|><think>', { specials: true }))
  expect(segment(ids, newest, null).endsWithGenerationPrompt).toBe(true)
})
