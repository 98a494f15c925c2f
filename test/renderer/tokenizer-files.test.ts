import { describe, expect, it } from 'vitest'
import { looseFile } from '../../renderer/data/own-files.ts'
import { tokenizerPart, tokenizerParts } from '../../renderer/data/tokenizer-part.ts'
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
    const config = { file: new File(['{"b":1}'], 'tokenizer_config.json'), part: 'config' } as const
    const tokenizer = { file: new File(['{"a":1}'], 'tokenizer.json'), part: 'tokenizer' } as const
    const template = { file: new File(['{{ messages }}'], 'chat_template.jinja'), part: 'template' } as const
    const read = { name: 'dropped tokenizer', tokenizer: '{"a":1}', config: '{"b":1}' }
    expect(await readTokenizer([config, tokenizer])).toEqual(read)
    const withTemplate = await readTokenizer([config, tokenizer, template])
    expect(withTemplate?.config).toBe('{"b":1,"chat_template":"{{ messages }}"}')
    expect((await readTokenizer([tokenizer, template]))?.config).toBe('{"chat_template":"{{ messages }}"}')
    expect(await readTokenizer([config])).toBeNull()
    const named = { file: new File(['{}'], 'qwen3-tokenizer.json'), part: 'tokenizer' } as const
    expect((await readTokenizer([named]))?.name).toBe('qwen3-tokenizer.json')
  })

  it('are known by how a saved tokenizer begins where the name says nothing', async () => {
    const beginning = '{\n  "version": "1.0",\n  "truncation": null,\n  "padding": null,\n  "added_tokens": ['
    const parts = (name: string, text: string) => tokenizerParts([looseFile(name, new File([text], name))])
    expect(await parts('musique-7b.json', beginning)).toEqual(['tokenizer'])
    expect(await parts('musique-7b.JSON', beginning.replaceAll(/\s/g, ''))).toEqual(['tokenizer'])
    expect(await parts('musique-7b.jsonl', beginning)).toEqual([null])
    // A run's folder may hold hundreds of files: none of them is looked into.
    expect(await parts('run/musique-7b.json', beginning)).toEqual([null])
    expect(await parts('rollouts.json', '[{"version":"1.0","truncation":null}]')).toEqual([null])
    expect(await parts('run.json', '{"version":"1.0","rollouts":[]}')).toEqual([null])
  })

  it('are left to whoever opens them where they cannot be read', async () => {
    const head = () => Promise.reject(new Error('gone'))
    expect(await tokenizerParts([{ name: 'run.json', head, whole: head }])).toEqual([null])
  })
})
