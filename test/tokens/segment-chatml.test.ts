import { beforeAll, describe, expect, it } from 'vitest'
import type { Segmentation } from '../../shared/model/tokens.ts'
import { segment } from '../../shared/tokens/segment.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { outline, parted } from './outline.ts'

let qwen25: Tokenizer
let qwen3: Tokenizer

beforeAll(async () => {
  qwen25 = await testTokenizer('qwen2.5')
  qwen3 = await testTokenizer('qwen3')
})

function read(tokenizer: Tokenizer, text: string, padding: Segmentation['padding'] | null = null) {
  const ids = Int32Array.from(tokenizer.encode(text, { specials: true }))
  return { ids, ...segment(ids, tokenizer, padding) }
}

const PROMPT = '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nWho?<|im_end|>\n'

describe('ChatML turns', () => {
  it('reads header, content, end and separator of each turn', () => {
    const found = read(qwen25, `${PROMPT}<|im_start|>assistant\nAda.<|im_end|>\n`)
    expect(outline(qwen25, found)).toEqual(['system "Be brief."', 'user "Who?"', 'assistant "Ada."'])
    expect(parted(qwen25, found.ids, found.parts).slice(-4)).toEqual([
      'header "<|im_start|>assistant\\n"',
      'assistant "Ada."',
      'end "<|im_end|>"',
      'separator "\\n"',
    ])
    expect(found.turns.map(({ ordinal }) => ordinal)).toEqual([0, 0, 1])
    expect(found).toMatchObject({
      cutLeft: false,
      cutRight: false,
      endsWithGenerationPrompt: false,
      hasSeparator: true,
    })
  })

  it('counts a turn of the model once of which the header is there twice', () => {
    const header = '<|im_start|>assistant\n'
    const answer = (text: string) => `${header}${text}<|im_end|>\n`
    const ordinals = (text: string) => read(qwen25, PROMPT + text).turns.map(({ ordinal }) => ordinal)
    const reply = '<|im_start|>tool\n42<|im_end|>\n'
    expect(ordinals(header + answer('Ada.') + reply + answer('So it is.'))).toEqual([0, 0, 1, 1, 1, 2])
    expect(ordinals(header + header + answer('Ada.') + answer('So it is.'))).toEqual([0, 0, 1, 1, 1, 2])
    // One that is closed with nothing in it, and one that somebody else's turn follows, are turns.
    expect(ordinals(answer('') + answer('Ada.'))).toEqual([0, 0, 1, 2])
    expect(ordinals(header + reply + answer('Ada.'))).toEqual([0, 0, 1, 1, 2])
  })

  it('gives the newline that content merged into the header to the header', () => {
    const found = read(qwen25, '<|im_start|>user\n\n\nWho?<|im_end|>\n')
    expect([...found.ids.slice(0, 3)]).toEqual([151644, 872, 1406])
    expect(found.turns[0]).toMatchObject({ role: 'user', headerEnd: 3, contentStart: 3 })
  })

  it('maps roles of other projects and keeps how they are spelt', () => {
    const found = read(
      qwen25,
      '<|im_start|>Human\na<|im_end|>\n<|im_start|>gpt\nb<|im_end|>\n<|im_start|>observation\nc<|im_end|>\n<|im_start|>narrator\nd<|im_end|>\n<|im_start|>tool name=f\ne<|im_end|>\n<|im_start|>user says so\nf<|im_end|>\n',
    )
    expect(found.turns.map(({ role, kind }) => `${role}:${kind}`)).toEqual([
      'Human:user',
      'gpt:assistant',
      'observation:tool',
      'narrator:other',
      'tool name=f:tool',
      'user says so:other',
    ])
  })

  it('takes a user turn that opens with tool_response for a tool reply, in both spellings', () => {
    const text = `${PROMPT}<|im_start|>assistant\nx<|im_end|>\n<|im_start|>user\n<tool_response>\n42\n</tool_response><|im_end|>\n`
    for (const tokenizer of [qwen25, qwen3]) {
      const last = read(tokenizer, text).turns.at(-1)
      expect(last).toMatchObject({ role: 'user', kind: 'tool', ordinal: 1, spans: [] })
    }
    const near = read(qwen25, text.replace('<tool_response>\n42', 'I saw <tool_response>\n42')).turns.at(-1)
    expect(near?.kind).toBe('user')
  })

  it('reads a start before an end as an unclosed turn followed by another', () => {
    const found = read(qwen25, '<|im_start|>user\nread <|im_start|>system\nobey<|im_end|>\n')
    expect(found.turns.map(({ kind, endToken }) => [kind, endToken >= 0])).toEqual([
      ['user', false],
      ['system', true],
    ])
    expect(found.turns[0]?.end).toBe(found.turns[1]?.start)
  })

  it('does not take text behind a start token without a header for a role', () => {
    const found = read(qwen25, `<|im_start|>${'word '.repeat(30)}<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n`)
    expect(found.turns[0]).toMatchObject({ role: '', kind: 'other', headerEnd: 1 })
    expect(found.turns[1]?.kind).toBe('user')
  })
})

describe('lost headers and cut turns', () => {
  it('takes text after a closed user, tool or system turn for an assistant turn without header', () => {
    const found = read(qwen25, `${PROMPT}Ada.<|im_end|>\n<|im_start|>user\nSure?<|im_end|>\nYes<|im_end|>\n`)
    expect(outline(qwen25, found)).toEqual([
      'system "Be brief."',
      'user "Who?"',
      'assistant missing "Ada."',
      'user "Sure?"',
      'assistant missing "Yes"',
    ])
    expect(found.turns[2]).toMatchObject({ role: 'assistant', ordinal: 1 })
    expect(found.turns[2]?.start).toBe(found.turns[2]?.contentStart)
  })

  it('keeps the rest of a header whose start token alone is lost', () => {
    const turn = read(qwen25, `${PROMPT}assistant\nAda.<|im_end|>\n`).turns[2]
    expect(turn).toMatchObject({ role: 'assistant', kind: 'assistant', header: 'missing' })
    expect((turn?.headerEnd ?? 0) - (turn?.start ?? 0)).toBe(2)
  })

  it('does not know whose text follows an assistant turn', () => {
    const found = read(qwen25, `${PROMPT}<|im_start|>assistant\nAda.<|im_end|>\nAnd more<|im_end|>\n`)
    expect(found.turns.at(-1)).toMatchObject({ header: 'missing', kind: 'other', role: '' })
  })

  it('makes no turn of white space between turns', () => {
    const assistant = qwen25.encode('<|im_start|>assistant\nAda.<|im_end|>\n', { specials: true })
    const ids = Int32Array.from([...qwen25.encode(PROMPT, { specials: true }), ...qwen25.encode(' '), ...assistant])
    const { turns, parts } = segment(ids, qwen25, null)
    expect(turns.map(({ kind }) => kind)).toEqual(['system', 'user', 'assistant'])
    expect(parted(qwen25, ids, parts)).toContain('other " "')
  })

  it('marks a sequence that begins inside a turn', () => {
    const found = read(qwen25, `is brief.<|im_end|>\n<|im_start|>user\nWho?<|im_end|>\n`)
    expect(found.cutLeft).toBe(true)
    expect(found.turns[0]).toMatchObject({ header: 'cut', role: '', kind: 'other' })
    expect(found.turns[1]).toMatchObject({ header: 'present', kind: 'user' })
  })

  it('keeps the role where the cut is between start token and role', () => {
    const found = read(qwen25, 'user\nWho?<|im_end|>\n<|im_start|>assistant\nAda<|im_end|>')
    expect(found.turns[0]).toMatchObject({ header: 'cut', role: 'user', kind: 'user' })
  })

  it('marks a sequence that ends inside a turn', () => {
    const found = read(qwen25, `${PROMPT}<|im_start|>assistant\nAda Love`)
    expect(found).toMatchObject({ cutRight: true, endsWithGenerationPrompt: false })
    expect(found.turns.at(-1)).toMatchObject({ endToken: -1, end: found.ids.length })
  })

  it('tells a bare generation prompt from a cut turn', () => {
    expect(read(qwen25, `${PROMPT}<|im_start|>assistant\n`)).toMatchObject({
      cutRight: false,
      endsWithGenerationPrompt: true,
    })
    expect(read(qwen25, `${PROMPT}<|im_start|>assistant`)).toMatchObject({
      cutRight: true,
      endsWithGenerationPrompt: false,
    })
    expect(read(qwen25, `${PROMPT}<|im_start|>user\n`)).toMatchObject({
      cutRight: true,
      endsWithGenerationPrompt: false,
    })
    for (const prefill of ['<think>\n\n</think>\n\n', '<think>\n']) {
      expect(read(qwen3, `${PROMPT}<|im_start|>assistant\n${prefill}`)).toMatchObject({
        cutRight: false,
        endsWithGenerationPrompt: true,
      })
    }
    expect(read(qwen25, `${PROMPT}<|im_start|>assistant\n<think>\n`)).toMatchObject({ endsWithGenerationPrompt: true })
    expect(read(qwen3, `${PROMPT}<|im_start|>assistant\n<think>\nSo`)).toMatchObject({ cutRight: true })
  })

  it('finds no turns and no cut in text without any frame', () => {
    const found = read(qwen25, 'Question: who?\nAnswer: Ada<|endoftext|>')
    expect(found).toMatchObject({ turns: [], cutLeft: false, cutRight: false })
  })
})

describe('padding', () => {
  const BODY = `${PROMPT}<|im_start|>assistant\nAda.<|im_end|>\n`

  it('sets runs of the pad id aside on both sides', () => {
    const found = read(qwen25, `${'<|endoftext|>'.repeat(3)}${BODY}${'<|endoftext|>'.repeat(5)}`)
    expect(found.padding).toEqual({ left: 3, right: 5 })
    expect(found.turns).toHaveLength(3)
    expect(found.cutLeft).toBe(false)
  })

  it('believes a declared padding, whatever the ids', () => {
    const found = read(qwen25, `xx${BODY}<|endoftext|>`, { left: 1, right: 1 })
    expect(found.padding).toEqual({ left: 1, right: 1 })
    expect(read(qwen25, `${BODY}<|endoftext|><|endoftext|>`, { left: 0, right: 0 }).padding).toEqual({
      left: 0,
      right: 0,
    })
    expect(read(qwen25, 'a b', { left: 9, right: 9 }).padding).toEqual({ left: 2, right: 0 })
  })

  it('takes three pads or more behind a turn for padding although a declared length counts them into the row', () => {
    const right = (text: string, declared = 0) => read(qwen25, text, { left: 0, right: declared }).padding.right
    const pads = (count: number) => '<|endoftext|>'.repeat(count)
    expect(right(`${BODY}${pads(3)}`)).toBe(3)
    expect(right(`${BODY}${pads(7)}`, 4)).toBe(7)
    expect(right(`${BODY}${'<|im_end|>'.repeat(4)}`)).toBe(4)
    // The turn is closed by the first of them.
    const open = `${PROMPT}<|im_start|>assistant\nAda.`
    expect(right(`${open}${'<|im_end|>'.repeat(3)}`)).toBe(2)
    expect(right(`${open}${pads(3)}`)).toBe(2)
    expect(right(`${open}<|im_end|>${pads(2)}`)).toBe(0)
    // Text without turns may hold as many as it likes.
    expect(right(`Ada.${pads(5)}`)).toBe(0)
    expect(right(pads(5))).toBe(0)
  })

  it('keeps the first of a run of end tokens as the end of an open turn', () => {
    const found = read(qwen25, `${PROMPT}<|im_start|>assistant\nAda.${'<|im_end|>'.repeat(6)}`)
    expect(found.padding).toEqual({ left: 0, right: 5 })
    expect(found.turns.at(-1)?.endToken).toBe(found.ids.length - 6)
  })

  it('takes a whole run of end tokens for padding after a closed turn', () => {
    const found = read(qwen25, `${BODY}${'<|im_end|>'.repeat(4)}`)
    expect(found.padding.right).toBe(4)
    expect(read(qwen25, `${'<|im_end|>'.repeat(4)}${BODY}`).padding.left).toBe(4)
  })

  it('takes a lone end token for padding where what follows begins the sequence, and for what a cut left of a turn elsewhere', () => {
    expect(read(qwen25, `<|im_end|>${BODY}`)).toMatchObject({ padding: { left: 1, right: 0 }, cutLeft: false })
    const question = '<|im_start|>user\nWho?<|im_end|>\n'
    expect(read(qwen25, `<|im_end|>${question}`)).toMatchObject({ padding: { left: 1 }, cutLeft: false })
    expect(read(qwen25, `<|im_end|>\n${question}`)).toMatchObject({ padding: { left: 0 }, cutLeft: true })
  })

  it('takes a whole run of end tokens for padding where the model is said to have been cut', () => {
    const cut = (text: string, isCut = true) => {
      const ids = Int32Array.from(qwen25.encode(text, { specials: true }))
      return segment(ids, qwen25, null, () => isCut)
    }
    const answer = `${PROMPT}<|im_start|>assistant\nAda.`
    expect(cut(answer + '<|im_end|>'.repeat(6))).toMatchObject({ padding: { right: 6 }, cutRight: true })
    expect(cut(answer + '<|im_end|>'.repeat(6), false)).toMatchObject({ padding: { right: 5 }, cutRight: false })
    // A reply, or a question, is not what it wrote.
    expect(cut(`${BODY}<|im_start|>tool\n42${'<|im_end|>'.repeat(6)}`).padding.right).toBe(5)
    expect(cut(`${answer}<|im_end|>`).padding.right).toBe(0)
  })

  it('leaves a repeated end token in its place: two are no padding', () => {
    const found = read(qwen25, `${PROMPT}<|im_start|>assistant\nAda.<|im_end|><|im_end|>`)
    expect(found.padding.right).toBe(0)
    expect(parted(qwen25, found.ids, found.parts).at(-1)).toBe('end "<|im_end|><|im_end|>"')
  })

  it('lets a single text end close the open turn of a base model, and a run of them cut it', () => {
    const closed = read(qwen25, `${PROMPT}<|im_start|>assistant\nAda.<|endoftext|>`)
    expect(closed).toMatchObject({ padding: { left: 0, right: 0 }, cutRight: false })
    expect(closed.turns.at(-1)?.endToken).toBe(closed.ids.length - 1)
    const cut = read(qwen25, `${PROMPT}<|im_start|>assistant\nAda.<|endoftext|><|endoftext|>`)
    expect(cut).toMatchObject({ padding: { left: 0, right: 2 }, cutRight: true })
  })

  it('takes a single pad after a closed turn or a bare prompt for padding', () => {
    expect(read(qwen25, `${BODY}<|endoftext|>`).padding.right).toBe(1)
    expect(read(qwen25, `${PROMPT}<|im_start|>assistant\n<|endoftext|>`)).toMatchObject({
      padding: { right: 1 },
      endsWithGenerationPrompt: true,
    })
  })

  it('reads a sequence of padding alone, and an empty one', () => {
    expect(read(qwen25, '<|endoftext|>'.repeat(4))).toMatchObject({ padding: { left: 4, right: 0 }, turns: [] })
    expect(read(qwen25, '')).toMatchObject({ padding: { left: 0, right: 0 }, turns: [], bos: [], cutLeft: false })
  })
})

describe('parts of an assistant turn', () => {
  const turn = (tokenizer: Tokenizer, content: string, end = '<|im_end|>\n') => {
    const found = read(tokenizer, `${PROMPT}<|im_start|>assistant\n${content}${end}`)
    return { ...found, pieces: parted(tokenizer, found.ids, found.parts.slice(), found.turns.at(-1)?.headerEnd) }
  }

  it('finds thought and tool call, by id and spelt', () => {
    const content = '<think>\nhm\n</think>\n\nOk.\n<tool_call>\n{"name": "f"}\n</tool_call>'
    const byId = turn(qwen3, content)
    expect(byId.pieces.slice(0, 4)).toEqual([
      'think "<think>\\nhm\\n</think>"',
      'assistant "\\n\\nOk.\\n"',
      'tool_call "<tool_call>\\n{\\"name\\": \\"f\\"}\\n</tool_call>"',
      'end "<|im_end|>"',
    ])
    expect(byId.turns.at(-1)?.spans.map(({ part, closed }) => [part, closed])).toEqual([
      ['think', true],
      ['tool_call', true],
    ])
    // The piece that ends the spelt tag holds the newlines as well.
    expect(turn(qwen25, content).pieces.slice(0, 3)).toEqual([
      'think "<think>\\nhm\\n</think>\\n\\n"',
      'assistant "Ok.\\n"',
      'tool_call "<tool_call>\\n{\\"name\\": \\"f\\"}\\n</tool_call>"',
    ])
  })

  it('takes only the empty think block for prefill', () => {
    const empty = turn(qwen3, '<think>\n\n</think>\n\nAda.')
    expect(empty.pieces.slice(0, 2)).toEqual(['prefill "<think>\\n\\n</think>\\n\\n"', 'assistant "Ada."'])
    const last = empty.turns.at(-1)
    expect(last?.contentStart).toBe((last?.headerEnd ?? 0) + 4)
    const open = turn(qwen3, '<think>\nhm</think>\n\nAda.')
    expect(open.pieces[0]).toBe('think "<think>\\nhm</think>"')
    expect(open.turns.at(-1)?.contentStart).toBe(open.turns.at(-1)?.headerEnd)
  })

  it('leaves thought and call open where the turn was cut', () => {
    expect(turn(qwen3, '<think>\nhm', '').turns.at(-1)?.spans).toMatchObject([{ part: 'think', closed: false }])
    const cut = turn(qwen25, 'Ok.\n<tool_call>\n{"name": ', '')
    expect(cut.turns.at(-1)?.spans).toMatchObject([{ part: 'tool_call', closed: false, end: cut.ids.length }])
  })

  it('reads a thought whose opening tag was in the prompt of another row', () => {
    expect(turn(qwen3, 'hm\n</think>\n\nAda.').pieces.slice(0, 2)).toEqual([
      'think "hm\\n</think>"',
      'assistant "\\n\\nAda."',
    ])
  })

  it('does not read tags that are spelt where the vocabulary has them as ids', () => {
    const pieces = ['<', 'think', '>', ' is a tag'].flatMap((text) => qwen3.encode(text))
    const head = qwen3.encode(`${PROMPT}<|im_start|>assistant\n`, { specials: true })
    const ids = Int32Array.from([...head, ...pieces, 151645])
    expect(segment(ids, qwen3, null).turns.at(-1)?.spans).toEqual([])
  })

  it('finds replies that were spliced into the turn', () => {
    const found = turn(
      qwen25,
      '<search>Ada</search>\n<information>\nDoc 1: born 1815\n</information>\nSo <answer>1815</answer>',
    )
    expect(found.pieces.slice(0, 3)).toEqual([
      'assistant "<search>Ada</search>\\n"',
      'tool "<information>\\nDoc 1: born 1815\\n</information>\\n"',
      'assistant "So <answer>1815</answer>"',
    ])
  })

  it('cuts a thought in two where a reply was spliced into it', () => {
    const spans = turn(
      qwen3,
      '<think>\nrun\n```py\n1\n```\n<interpreter>\n1\n</interpreter>\nso 1</think>\nAda',
    ).turns.at(-1)?.spans
    expect(spans?.map(({ part, closed }) => [part, closed])).toEqual([
      ['think', true],
      ['tool', true],
      ['think', true],
    ])
  })

  it('takes result and output for replies only where they answer a call', () => {
    expect(turn(qwen25, '<search>a</search> <result>b</result> c').turns.at(-1)?.spans).toMatchObject([
      { part: 'tool' },
    ])
    expect(turn(qwen25, '```python\n1\n```\n<output>1</output>').turns.at(-1)?.spans).toMatchObject([{ part: 'tool' }])
    expect(turn(qwen25, 'Use HTML: <output>1</output> or <result>2</result>').turns.at(-1)?.spans).toEqual([])
  })

  it('takes an unclosed reply for one only at a cut', () => {
    expect(turn(qwen25, 'The <information> tag is odd').turns.at(-1)?.spans).toEqual([])
    expect(turn(qwen25, '<search>a</search><information>\nDoc 1', '').turns.at(-1)?.spans).toMatchObject([
      { part: 'tool', closed: false },
    ])
  })

  it('reads no tags in what users and tools wrote', () => {
    const found = read(qwen25, '<|im_start|>user\n<think>x</think> <information>y</information><|im_end|>\n')
    expect(found.turns[0]?.spans).toEqual([])
  })

  it('reads nothing inside a call but its end', () => {
    const spans = turn(qwen25, '<tool_call>\n{"q": "<think> <information>a</information>"}\n</tool_call>').turns.at(
      -1,
    )?.spans
    expect(spans?.map(({ part }) => part)).toEqual(['tool_call'])
  })
})
