import { beforeAll, describe, expect, it } from 'vitest'
import { segment } from '../../shared/tokens/segment.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { outline, parted } from './outline.ts'

let llama: Tokenizer

beforeAll(async () => {
  llama = await testTokenizer('llama3')
})

function read(text: string) {
  const ids = Int32Array.from(llama.encode(text, { specials: true }))
  return { ids, ...segment(ids, llama, null) }
}

const header = (role: string) => `<|start_header_id|>${role}<|end_header_id|>\n\n`
const PROMPT = `<|begin_of_text|>${header('system')}Be brief.<|eot_id|>${header('user')}Who?<|eot_id|>`

describe('Llama turns', () => {
  it('reads header, content and end, with no separator', () => {
    const found = read(`${PROMPT}${header('assistant')}Ada.<|eot_id|>`)
    expect(outline(llama, found)).toEqual(['system "Be brief."', 'user "Who?"', 'assistant "Ada."'])
    expect(parted(llama, found.ids, found.parts).slice(-3)).toEqual([
      'header "<|start_header_id|>assistant<|end_header_id|>\\n\\n"',
      'assistant "Ada."',
      'end "<|eot_id|>"',
    ])
    expect(found).toMatchObject({ hasSeparator: false, bos: [0], cutLeft: false, cutRight: false })
    expect(found.parts[0]).toBe(0)
  })

  it('finds every BOS, at the start and in the middle', () => {
    const found = read(`<|begin_of_text|>${PROMPT}${header('assistant')}a<|begin_of_text|>b<|eot_id|>`)
    expect(found.bos.slice(0, 2)).toEqual([0, 1])
    expect(found.bos).toHaveLength(3)
    expect(found.turns).toHaveLength(3)
    expect(found.cutLeft).toBe(false)
  })

  it('maps the roles of environments', () => {
    const found = read(
      `${PROMPT}${header('agent')}go<|eot_id|>${header('environment')}wall<|eot_id|>${header('ipython')}"1"<|eot_id|>`,
    )
    expect(found.turns.slice(2).map(({ role, kind }) => `${role}:${kind}`)).toEqual([
      'agent:assistant',
      'environment:tool',
      'ipython:tool',
    ])
  })

  it('reads a python_tag call to its end, closed by eom', () => {
    const found = read(`${PROMPT}${header('assistant')}Let me<|python_tag|>search.call(query="Ada")<|eom_id|>`)
    expect(parted(llama, found.ids, found.parts, found.turns[2]?.headerEnd)).toEqual([
      'assistant "Let me"',
      'tool_call "<|python_tag|>search.call(query=\\"Ada\\")"',
      'end "<|eom_id|>"',
    ])
    expect(found.turns[2]?.spans[0]?.closed).toBe(true)
  })

  it('reads a bare JSON call, and leaves an answer in JSON alone', () => {
    const spans = (content: string, end = '<|eot_id|>') =>
      read(`${PROMPT}${header('assistant')}${content}${end}`).turns[2]?.spans
    expect(spans('{"name": "search", "parameters": {"q": 1}}')).toMatchObject([{ part: 'tool_call', closed: true }])
    expect(spans('{"type": "function", "name": "f", "parameters": {}}')).toMatchObject([{ part: 'tool_call' }])
    expect(spans('{"name": "search", "param', '')).toMatchObject([{ part: 'tool_call', closed: false }])
    expect(spans('{"name": "Ada", "born": 1815}')).toEqual([])
    expect(spans('Use {"name": "search", "parameters": {}}')).toEqual([])
  })

  it('reads a call behind prose where a tool answers it', () => {
    const spans = (content: string, next = `${header('ipython')}"1"<|eot_id|>`) => {
      const { ids, parts, turns } = read(`${PROMPT}${header('assistant')}${content}<|eot_id|>${next}`)
      const { contentStart, contentEnd } = turns[2]!
      return parted(llama, ids.subarray(0, contentEnd), parts, contentStart)
    }
    const call = '{"name": "search", "parameters": {"query": "Ünal {"}}'
    const quoted = (text: string) => JSON.stringify(text).slice(1, -1)
    expect(spans(`I look it up – “once”.\n\n${call}`)).toEqual([
      'assistant "I look it up – “once”.\\n\\n"',
      `tool_call "${quoted(call)}"`,
    ])
    expect(spans(`I look it up: ${call}`).at(-1)).toBe(`tool_call "${quoted(` ${call}`)}"`)
    expect(spans(`Both.\n${call}; ${call}`).at(-1)).toBe(`tool_call "${quoted(`${call}; ${call}`)}"`)
    expect(spans(`Both.\n${call}\n${call}\n`).at(-1)).toBe(`tool_call "${quoted(`${call}\n${call}\n`)}"`)
    expect(spans(`Not {"name": "a", "parameters": {}} but\n${call}`).at(-1)).toBe(`tool_call "${quoted(call)}"`)
    expect(spans(`<think>\nhm\n</think>\n\n${call}`)).toHaveLength(2)
    const own = ['assistant']
    const kinds = (...given: Parameters<typeof spans>) => spans(...given).map((part) => part.split(' ')[0])
    // Nobody answers, or a person does.
    expect(kinds(`I look it up.\n\n${call}`, '')).toEqual(own)
    expect(kinds(`So:\n\n${call}`, `${header('user')}Sure?<|eot_id|>`)).toEqual(own)
    // A limit of turns ended a row that called before.
    const earlier = `${call}<|eot_id|>${header('ipython')}"1"<|eot_id|>${header('assistant')}`
    const last = (text: string) =>
      read(`${PROMPT}${header('assistant')}${earlier}${text}<|eot_id|>`).turns.at(-1)?.spans
    expect(last(`Once more.\n\n${call}`)).toMatchObject([{ part: 'tool_call', closed: true }])
    expect(last('It is {"name": "Ada", "born": 1815}')).toEqual([])
    // A program that the interpreter runs, and other JSON.
    expect(kinds(`import json\ncall = ${call}`)).toEqual(own)
    expect(kinds('I found {"name": "Ada", "born": 1815}')).toEqual(own)
    expect(kinds(`I found {"name": "Ada", "parameters": 3} and more}`)).toEqual(own)
  })

  it('reads a call in a code block where a tool answers it, without the block', () => {
    const spans = (content: string, next = `${header('ipython')}"1"<|eot_id|>`, end = '<|eot_id|>') => {
      const { ids, parts, turns } = read(`${PROMPT}${header('assistant')}${content}${end}${next}`)
      const { contentStart, contentEnd, spans: found } = turns[2]!
      return { closed: found[0]?.closed, parts: parted(llama, ids.subarray(0, contentEnd), parts, contentStart) }
    }
    const call = '{"name": "search", "parameters": {"query": "Ünal {"}}'
    const quoted = (text: string) => JSON.stringify(text).slice(1, -1)
    for (const [before, behind] of [
      ['I look it up.\n\n```json\n', '\n```'],
      ['```json\n', '\n```\n'],
      ['So:\n```\n', '\n\n```'],
      ['```JSON\n  ', '```'],
    ] as const) {
      const { parts, closed } = spans(before + call + behind)
      expect(parts.map((part) => part.split(' ')[0])).toEqual(['assistant', 'tool_call', 'assistant'])
      expect(parts[1]).toContain(quoted(call))
      expect(closed).toBe(true)
    }
    expect(spans(`\`\`\`json\n${call}\n\`\`\``).parts[1]).toBe(`tool_call "${quoted(`${call}\n`)}"`)
    // Nobody answers, or a person does; and in a row that called before it may be quoted.
    const own = ['assistant']
    const kinds = (...given: Parameters<typeof spans>) => spans(...given).parts.map((part) => part.split(' ')[0])
    const fenced = `One calls it so:\n\n\`\`\`json\n${call}\n\`\`\``
    expect(kinds(fenced, '')).toEqual(own)
    expect(kinds(fenced, `${header('user')}Thanks!<|eot_id|>`)).toEqual(own)
    const earlier = `${call}<|eot_id|>${header('ipython')}"1"<|eot_id|>${header('assistant')}`
    expect(read(`${PROMPT}${header('assistant')}${earlier}${fenced}<|eot_id|>`).turns.at(-1)?.spans).toEqual([])
    // A program, a call that was cut, a block that nothing opened, and other JSON.
    expect(kinds(`\`\`\`python\n${call}\n\`\`\``)).toEqual(own)
    expect(kinds('So:\n```json\n{"name": "search", "parameters": {"query": "Ün')).toEqual(own)
    expect(kinds('So:\n```json\n{"name": "search", "parameters": {"query": "Ün\n```')).toEqual(own)
    expect(kinds(`So: ${call}\n\`\`\``)).toEqual(own)
    expect(kinds('So:\n```json\n{"name": "Ada", "born": 1815}\n```')).toEqual(own)
  })

  it('reads tags that this family spells', () => {
    const found = read(
      `${PROMPT}${header('agent')}<think>\nhm\n</think>\n<tool_call>\n{"move": "U"}\n</tool_call><|eot_id|>`,
    )
    expect(found.turns[2]?.spans.map(({ part, closed }) => [part, closed])).toEqual([
      ['think', true],
      ['tool_call', true],
    ])
  })

  it('takes text after a closed user turn for an assistant turn without header', () => {
    const found = read(`${PROMPT}Ada.<|eot_id|>${header('user')}Sure?<|eot_id|>`)
    expect(found.turns[2]).toMatchObject({ header: 'missing', role: 'assistant', kind: 'assistant', ordinal: 1 })
  })

  it('reads what a cut left of a header', () => {
    const found = read(`user<|end_header_id|>\n\nWho?<|eot_id|>${header('assistant')}Ada<|eot_id|>`)
    expect(found).toMatchObject({ cutLeft: true })
    expect(found.turns[0]).toMatchObject({ header: 'cut', role: 'user', kind: 'user', headerEnd: 3 })
  })

  it('tells a bare generation prompt from a cut turn', () => {
    expect(read(`${PROMPT}${header('assistant')}`)).toMatchObject({ endsWithGenerationPrompt: true, cutRight: false })
    expect(read(`${PROMPT}${header('assistant')}Ada`)).toMatchObject({
      endsWithGenerationPrompt: false,
      cutRight: true,
    })
    expect(read(`${PROMPT}<|start_header_id|>assistant`)).toMatchObject({
      endsWithGenerationPrompt: false,
      cutRight: true,
    })
  })

  it('gives content newlines that merged into the header to the header, and sampled ones to the content', () => {
    const merged = read(`${header('user')}\nWho?<|eot_id|>`)
    expect(merged.turns[0]).toMatchObject({ headerEnd: 4, contentStart: 4 })
    const head = llama.encode(`${PROMPT}${header('assistant')}`, { specials: true })
    const ids = Int32Array.from([...head, 198, ...llama.encode('Ada'), 128009])
    expect(segment(ids, llama, null).turns[2]?.contentStart).toBe(head.length)
  })

  it('sets padding aside', () => {
    const found = read(`${PROMPT}${header('assistant')}Ada<|eot_id|>${'<|finetune_right_pad_id|>'.repeat(3)}`)
    expect(found.padding).toEqual({ left: 0, right: 3 })
    const byEnd = read(`${PROMPT}${header('assistant')}Ada${'<|eot_id|>'.repeat(4)}`)
    expect(byEnd.padding).toEqual({ left: 0, right: 3 })
    expect(byEnd.turns.at(-1)?.endToken).toBe(byEnd.ids.length - 4)
    const counted = segment(byEnd.ids, llama, { left: 0, right: 0 })
    expect(counted).toMatchObject({ padding: { left: 0, right: 3 }, turns: byEnd.turns })
  })

  it('takes a lone end token for padding where what follows begins the sequence, and for what a cut left of a turn elsewhere', () => {
    const left = (text: string) => read(text).padding.left
    expect(left(`<|eot_id|><|begin_of_text|>${header('user')}Who?<|eot_id|>`)).toBe(1)
    expect(left(`<|eot_id|>${header('system')}Be brief.<|eot_id|>`)).toBe(1)
    expect(left(`<|eot_id|>${header('user')}Who?<|eot_id|>`)).toBe(0)
  })
})
