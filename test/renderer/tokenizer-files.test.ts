import { describe, expect, it } from 'vitest'
import { tokenizerPart } from '../../renderer/data/tokenizer-part.ts'
import { readTokenizer } from '../../renderer/data/tokenizers.ts'

describe('dropped files that make a tokenizer', () => {
  it.each([
    ['tokenizer.json', 'tokenizer'],
    ['qwen2.5-tokenizer.json', 'tokenizer'],
    ['tokenizer (1).json', 'tokenizer'],
    ['tokenizer_config.json', 'config'],
    ['tokenizer_config(2).json', 'config'],
    ['chat_template.jinja', 'template'],
    ['tokenizer.model', 'related'],
    ['merges.txt', 'related'],
  ] as const)('%s is known by its name', (name, part) => {
    expect(tokenizerPart(name)).toBe(part)
  })

  it.each([
    'rollouts.jsonl',
    'config.json',
    'rollout.jinja',
    'retokenizer.json',
    'tokenizer.jsonl',
    'tokenizer.json.gz',
  ])('%s may be a dump', (name) => {
    expect(tokenizerPart(name)).toBeNull()
  })

  it('are read together, and the plain name does not become that of a bundled family', async () => {
    const files = [new File(['{"b":1}'], 'tokenizer_config.json'), new File(['{"a":1}'], 'tokenizer.json')]
    expect(await readTokenizer(files)).toEqual({ name: 'dropped tokenizer', tokenizer: '{"a":1}', config: '{"b":1}' })
    const template = new File(['{{ messages }}'], 'chat_template.jinja')
    expect((await readTokenizer([...files, template]))?.config).toBe('{"b":1,"chat_template":"{{ messages }}"}')
    expect((await readTokenizer([...files.slice(1), template]))?.config).toBe('{"chat_template":"{{ messages }}"}')
    expect(await readTokenizer(files.slice(0, 1))).toBeNull()
    expect((await readTokenizer([new File(['{}'], 'qwen3-tokenizer.json')]))?.name).toBe('qwen3-tokenizer.json')
  })
})
