import { describe, expect, it } from 'vitest'
import { createTokenizer } from '../../shared/tokens/create.ts'
import { TokenizerError } from '../../shared/tokens/tokenizer-error.ts'
import { FAMILIES, testTokenizer } from '../helpers/tokenizers.ts'

const NAME = { id: 'x', title: 'X', origin: 'file' } as const
const create = (tokenizer: unknown, config: unknown = null) => createTokenizer({ tokenizer, config }, NAME)

describe('createTokenizer', () => {
  it.each([
    ['nothing', null, 'it is not a JSON object'],
    ['a list', [], 'it is not a JSON object'],
    ['another JSON file', { hidden_size: 896 }, 'it has no "model"'],
    ['a model without vocabulary', { model: { type: 'BPE' } }, 'it has no "model.vocab"'],
    ['an empty vocabulary', { model: { vocab: {} } }, 'its vocabulary is empty'],
    ['an id that is text', { model: { vocab: { a: '1' } } }, 'the id of "a" is 1'],
    ['a huge id', { model: { vocab: { a: 4e9 } } }, 'the id 4000000000 of "a" is larger than any vocabulary'],
    ['a broken piece', { model: { type: 'Unigram', vocab: [['a', 0], 7] } }, 'entry 1 of "model.vocab"'],
    [
      'a broken added token',
      { model: { vocab: { a: 0 } }, added_tokens: [{ id: 1 }] },
      'an entry of "added_tokens" has no "content"',
    ],
    [
      'added tokens that are no list',
      { model: { vocab: { a: 0 } }, added_tokens: {} },
      'its "added_tokens" is not a list',
    ],
  ])('refuses %s in one sentence', (_, tokenizer, why) => {
    const attempt = () => create(tokenizer)
    expect(attempt).toThrow(TokenizerError)
    expect(attempt).toThrow(`not a tokenizer.json: ${why}`)
  })

  it('shows ids of a model that it cannot encode with, and says so when asked to', () => {
    const tokenizer = create({ model: { type: 'BPE', vocab: { a: 0 } } })
    expect(tokenizer.table.size).toBe(1)
    expect(() => tokenizer.encode('a')).toThrow('this tokenizer can show ids but cannot encode text')
  })

  it('leaves out what the vocabulary cannot spell', () => {
    const tokenizer = create({ model: { type: 'BPE', vocab: { a: 0, b: 1 }, merges: [] } })
    expect(tokenizer.encode('abca')).toEqual([0, 1, 0])
  })

  it('has no frame where the vocabulary has no control tokens', () => {
    expect(create({ model: { type: 'BPE', vocab: { a: 0 }, merges: [] } }).frame).toBeNull()
  })

  it('does not take a frame token for a BOS, whatever the configuration calls it', () => {
    const added = ['<|im_start|>', '<|im_end|>', '<s>'].map((content, i) => ({ id: i + 1, content, special: true }))
    const json = { model: { type: 'BPE', vocab: { a: 0 }, merges: [] }, added_tokens: added }
    expect(create(json, { bos_token: '<|im_start|>', pad_token: '<|im_end|>' }).frame).toMatchObject({
      bos: [],
      turnStart: 1,
      turnEnds: [2],
      pad: [2],
    })
    expect(create(json, { bos_token: { content: '<s>' } }).frame?.bos).toEqual([3])
  })

  it('gives the chat template, the default one of several', () => {
    const json = { model: { type: 'BPE', vocab: { a: 0 }, merges: [] } }
    expect(create(json, { chat_template: '{{ a }}' }).template).toBe('{{ a }}')
    const several = [
      { name: 'tool_use', template: 't' },
      { name: 'default', template: 'd' },
    ]
    expect(create(json, { chat_template: several }).template).toBe('d')
    expect(create(json).template).toBeNull()
  })
})

describe('the bundled families', () => {
  it('frame turns by their documented ids', async () => {
    const [qwen25, qwen3, llama] = await Promise.all(FAMILIES.map((id) => testTokenizer(id)))
    expect(qwen25?.frame).toMatchObject({
      style: 'chatml',
      bos: [],
      turnStart: 151644,
      headerEnd: -1,
      turnEnds: [151645],
      textEnds: [151643],
      think: { open: [13708, 766, 29] },
      toolCall: { open: [151657], close: [151658] },
      toolResponse: { open: [27, 14172, 9655, 29] },
      pythonTag: -1,
    })
    expect(qwen25?.frame?.pad).toContain(151643)
    expect(qwen3?.frame).toMatchObject({
      think: { open: [151667], close: [151668] },
      toolResponse: { open: [151665], close: [151666] },
    })
    expect(llama?.frame).toMatchObject({
      style: 'llama',
      bos: [128000],
      turnStart: 128006,
      headerEnd: 128007,
      turnEnds: [128009, 128008],
      pythonTag: 128010,
    })
    expect(qwen3?.frame?.newlines.get(271)).toBe(2)
    expect(qwen3?.template).toContain('<|im_start|>')
  })

  it('spell special tokens by pieces unless asked for their ids, and add nothing', async () => {
    for (const id of FAMILIES) {
      const tokenizer = await testTokenizer(id)
      const name = id === 'llama3' ? '<|eot_id|>' : '<|im_end|>'
      const end = tokenizer.frame?.turnEnds[0] as number
      expect(tokenizer.encode(`a${name}b`)).not.toContain(end)
      expect(tokenizer.encode(`a${name}b`, { specials: true })[1]).toBe(end)
      expect(tokenizer.encode('')).toEqual([])
      expect(tokenizer.encode('a', { specials: true })).toHaveLength(1)
    }
  })

  it('know the raw entry of an id', async () => {
    const qwen = await testTokenizer('qwen2.5')
    expect(qwen.raw(198)).toBe('Ċ')
    expect(qwen.raw(151645)).toBe('<|im_end|>')
    expect(qwen.raw(151665)).toBeNull()
    expect(qwen.raw(-1)).toBeNull()
  })
})
