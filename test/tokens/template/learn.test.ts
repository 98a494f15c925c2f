import { describe, expect, it } from 'vitest'
import { segment } from '../../../shared/tokens/segment.ts'
import { learnTemplate } from '../../../shared/tokens/template/learn.ts'
import { chatTemplate } from '../../../shared/tokens/template/render.ts'
import type { BundledTokenizerId, Tokenizer } from '../../../shared/tokens/tokenizer.ts'
import { testTokenizer } from '../../helpers/tokenizers.ts'
import { byteTokenizer, KIMI, OTHER_FAMILIES, realFamilies, realTokenizer } from './other-families.ts'

const learned = (tokenizer: Tokenizer) => learnTemplate(tokenizer.template as string, tokenizer.frame?.names)
const family = async (id: BundledTokenizerId) => {
  const tokenizer = await testTokenizer(id)
  const ids = (text: string) => tokenizer.encode(text, { specials: true })
  return { learned: learned(tokenizer), ids }
}

describe('what is learned from a bundled template has the documented ids', () => {
  it('Qwen2.5', async () => {
    const { learned: one, ids } = await family('qwen2.5')
    expect(ids(one.user.header)).toEqual([151644, 872, 198])
    expect(ids(one.assistant.header)).toEqual([151644, 77091, 198])
    expect(ids(one.system!.header)).toEqual([151644, 8948, 198])
    expect(ids(one.assistant.end + one.separator)).toEqual([151645, 198])
    expect(ids(one.tool!.header)).toEqual([151644, 872, 198, 27, 14172, 9655, 397])
    expect(ids(one.generationPrompt)).toEqual([151644, 77091, 198])
    expect(one.callOpening).toBe('<tool_call>\n{"name": "')
    expect(one).toMatchObject({ before: '', prefill: '', lastTurnPrefill: '', date: null })
    expect(one).toMatchObject({ stripsThinking: false, mergesReplies: true, parallelCalls: true })
    expect(one.defaultSystem).toMatch(/^You are Qwen/)
  })

  it('Qwen3', async () => {
    const { learned: one, ids } = await family('qwen3')
    expect(ids(one.assistant.header)).toEqual([151644, 77091, 198])
    expect(ids(one.prefillWithoutThinking)).toEqual([151667, 271, 151668, 271])
    expect(ids(one.lastTurnPrefill)).toEqual([151667, 271, 151668, 271])
    expect(ids(one.tool!.header)).toEqual([151644, 872, 198, 151665, 198])
    expect(ids(one.tool!.end)).toEqual([198, 151666, 151645])
    expect(one).toMatchObject({ defaultSystem: null, stripsThinking: true, mergesReplies: true, prefill: '' })
  })

  it('Llama 3.1 and later', async () => {
    const { learned: one, ids } = await family('llama3')
    expect(ids(one.before)).toEqual([128000])
    expect(ids(one.user.header)).toEqual([128006, 882, 128007, 271])
    expect(ids(one.assistant.header)).toEqual([128006, 78191, 128007, 271])
    expect(ids(one.system!.header)).toEqual([128006, 9125, 128007, 271])
    expect(ids(one.assistant.end)).toEqual([128009])
    expect(ids(one.tool!.header).slice(0, 4)).toEqual([128006, 23799, 4690, 128007])
    expect(one).toMatchObject({ separator: '', date: 'today', parallelCalls: false, stripsThinking: false })
    expect(one.defaultSystem).toContain('Cutting Knowledge Date')
  })
})

describe('a template', () => {
  it('is learned once for its source', async () => {
    const { template, frame } = await testTokenizer('qwen3')
    expect(learnTemplate(template as string, frame?.names)).toBe(learnTemplate(template as string, frame?.names))
  })

  it('that opens the thought itself has a prefill', () => {
    const source = `{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n<think>\\n' }}{% endif %}`
    expect(learnTemplate(source).prefill).toBe('<think>\n')
  })

  it('that has a date of its own says which', () => {
    const source = `{{ 'Today is 5 May 2023. ' }}{% for m in messages %}{{ '<|' + m.role + '|>' + m.content }}{% endfor %}`
    expect(learnTemplate(source).date).toBe('5 May 2023')
  })

  it.each([
    ['cannot be parsed', '{% if %}', 'The chat template cannot be read'],
    ['refuses everything', "{{ raise_exception('Conversation roles must alternate!') }}", 'roles must alternate.'],
    ['writes nothing', 'hello', 'does not write the messages that it is given'],
  ])('that %s is an error in one sentence', (_, source, why) => {
    expect(() => learnTemplate(source)).toThrow(why)
  })

  it('is rendered with the filters that Jinja has and the library lacks', () => {
    const source = `{{ '%s of %d' | format('one', 2) }} {{ ['a', 'b', 'c'] | reject('equalto', 'b') | join(',') }} {{ range(3) | join('') }}`
    expect(chatTemplate(source).render([])).toBe('one of 2 a,c 012')
  })

  it('is rendered the same on every day', async () => {
    const { template, frame } = await testTokenizer('llama3')
    const llama = chatTemplate(template as string, frame?.names)
    expect(llama.render([{ role: 'user', content: 'x' }])).toContain('Today Date: 26 Jul 2024')
    expect(llama.render([{ role: 'user', content: 'x' }], { date: '02 Feb 2025' })).toContain('Today Date: 02 Feb 2025')
  })
})

/** Turns of a conversation as role and text. */
function turnsOf(tokenizer: Tokenizer, text: string) {
  const ids = Int32Array.from(tokenizer.encode(text, { specials: true }))
  const { turns, cutLeft, cutRight, bos } = segment(ids, tokenizer, null)
  const decoded = (start: number, end: number) => {
    const bytes: number[] = []
    for (const id of ids.subarray(start, end)) {
      bytes.push(...tokenizer.table.bytes.subarray(tokenizer.table.offsets[id], tokenizer.table.offsets[id + 1]))
    }
    return new TextDecoder().decode(Uint8Array.from(bytes)).trim()
  }
  return {
    turns: turns.map((turn) => `${turn.kind}: ${decoded(turn.contentStart, turn.contentEnd)}`),
    headers: turns.map(({ header }) => header),
    ends: turns.filter(({ kind }) => kind === 'assistant').map(({ endToken }) => endToken >= 0),
    cut: cutLeft || cutRight,
    bos: bos.length,
  }
}

const DIALOGUE = ['user: Who is it?', 'assistant: It is Ines.', 'user: And who was it?', 'assistant: Maud, I think.']
const [QUESTION, ANSWER, SECOND, LAST] = DIALOGUE.map((turn) => turn.slice(turn.indexOf(' ') + 1)) as [
  string,
  string,
  string,
  string,
]
const MESSAGES = [
  { role: 'user', content: QUESTION },
  { role: 'assistant', content: ANSWER },
  { role: 'user', content: SECOND },
  { role: 'assistant', content: LAST },
]

describe.each(OTHER_FAMILIES)('the frame of $name', (other) => {
  const tokenizer = byteTokenizer(other)

  it('is learned from its template', () => {
    expect(tokenizer.frame?.style).toBe('learned')
    let next = 0
    const words = [QUESTION, ANSWER, SECOND, LAST]
    const text = other.dialogue.replace(/\{[ua]\}/g, () => words[next++] as string)
    expect(chatTemplate(other.template, other.names).render(MESSAGES)).toBe(text)
    const found = turnsOf(tokenizer, text)
    expect(found.turns).toEqual(DIALOGUE)
    expect(found.headers).toEqual(['present', 'present', 'present', 'present'])
    expect(found.ends).toEqual([true, true])
    expect(found).toMatchObject({
      cut: false,
      bos: other.dialogue.startsWith('<s>') || /^<bos>/i.test(other.dialogue) ? 1 : 0,
    })
  })

  it('shows a cut', () => {
    const text = other.dialogue.split('{u}', 1)[0]
    const { turns, ends } = turnsOf(tokenizer, `${text}${QUESTION}${learned(tokenizer).user.end}`)
    expect(turns).toEqual([`user: ${QUESTION}`])
    expect(ends).toEqual([])
  })
})

it('headers that end with their line are ChatML, as they are without a template', () => {
  const controls = ['<|im_start|>', '<|im_end|>', '<|im_sep|>']
  const template = `{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{% endfor %}`
  expect(byteTokenizer({ name: 'chatml', controls, names: {}, template }).frame?.style).toBe('chatml')
  expect(byteTokenizer({ name: 'broken', controls, names: {}, template: '{% for' }).frame?.style).toBe('chatml')
})

it('text that opens turns is no frame', () => {
  const loop = `{% for m in messages %}{{ m.role + ': ' + m.content + '</s>' }}{% endfor %}`
  expect(byteTokenizer({ name: 'plain', controls: ['</s>'], names: {}, template: loop }).frame).toBeNull()
})

it('a turn of the model that no token closes is no frame', () => {
  const loop = `{% for m in messages %}{{ '<|' + m.role + '|>' + m.content }}{% endfor %}`
  const controls = ['<|user|>', '<|assistant|>']
  expect(byteTokenizer({ name: 'open', controls, names: {}, template: loop }).frame).toBeNull()
})

it('the answer after a reply that Mistral writes without a header is a turn of the model', () => {
  const other = OTHER_FAMILIES.find(({ name }) => name === 'mistral')!
  const text = `<s>[INST]Who?[/INST][TOOL_CALLS][{"name": "search"}]</s>[TOOL_RESULTS]{"content": "Ines"}[/TOOL_RESULTS]Ines.</s>`
  const { turns } = turnsOf(byteTokenizer(other), text)
  expect(turns.map((turn) => turn.split(':', 1)[0])).toEqual(['user', 'assistant', 'tool', 'assistant'])
  expect(turns.at(-1)).toBe('assistant: Ines.')
})

it('of Kimi, which spells a role twice, writes no calls and declares tools in a turn of its own, begins with a turn', () => {
  const opened = (token: string, role: string) => `<|im_${token}|>${role}<|im_middle|>`
  const tokenizer = byteTokenizer(KIMI)
  const turns = [
    [opened('system', 'tool_declare'), '[{"name": "search"}]'],
    [opened('system', 'system'), 'Be brief.'],
    [opened('user', 'user'), 'Who?'],
    [opened('assistant', 'assistant'), 'search(who)'],
    [opened('system', 'tool'), '## Return of functions.search:0\nInes'],
    [opened('assistant', 'assistant'), 'Ines.'],
  ]
  const found = turnsOf(tokenizer, turns.map(([header, text]) => `${header}${text}<|im_end|>`).join(''))
  expect(found.cut).toBe(false)
  expect(found.turns.slice(1)).toEqual([
    'system: Be brief.',
    'user: Who?',
    'assistant: search(who)',
    'tool: ## Return of functions.search:0\nInes',
    'assistant: Ines.',
  ])
  expect(learned(tokenizer).defaultSystem).toBe('You are a helpful assistant')
})

describe('a user turn of a template that ends none', () => {
  const tokenizer = byteTokenizer(OTHER_FAMILIES.find(({ name }) => name === 'deepseek')!)
  const kinds = (text: string) => turnsOf(tokenizer, text).turns.map((turn) => turn.split(':', 1)[0])

  it('is nobody’s where an end token closes it: words of the model are in it', () => {
    expect(kinds('<｜User｜>x<｜Assistant｜>y<EOS><｜User｜>zAnd so.<EOS>')).toEqual(['user', 'assistant', 'other'])
  })

  it('is the user’s where an answer follows, whoever wrote an end token behind it', () => {
    const [said, asked] = ['<｜User｜>x<EOS><｜Assistant｜>y<EOS>', '<｜User｜>z<EOS><｜Assistant｜>v<EOS>']
    expect(kinds(said + asked)).toEqual(['user', 'assistant', 'user', 'assistant'])
  })

  it('is the user’s before the first answer, where the end of the prompt was cut away', () => {
    expect(kinds('<｜User｜>xAnd so.<EOS><｜User｜>z<｜Assistant｜>y<EOS>')).toEqual(['user', 'user', 'assistant'])
  })
})

describe('tokens that take the white space behind them', () => {
  const phi = OTHER_FAMILIES.find(({ name }) => name === 'phi')!
  const text = phi.dialogue.replace(/\{[ua]\}/g, 'x')

  it('leave no newline to headers and between turns', () => {
    const tokenizer = byteTokenizer({ ...phi, takesSpace: true })
    expect(tokenizer.frame?.openers?.map(({ rest }) => rest.length)).toEqual([0, 0, 0])
    expect(tokenizer.frame?.separator).toBe(false)
    const found = turnsOf(tokenizer, text)
    expect(found.turns).toEqual(['user: x', 'assistant: x', 'user: x', 'assistant: x'])
    expect(found.ends).toEqual([true, true])
  })

  it('are not those that leave it', () => {
    const { frame } = byteTokenizer(phi)
    expect(frame?.openers?.map(({ rest }) => rest.length)).toEqual([1, 1, 1])
    expect(frame?.separator).toBe(true)
  })
})

describe('replies of a role that a template names otherwise', () => {
  const opened = (role: string) => `<|start_of_role|>${role}<|end_of_role|>`
  const granite = (roles: string) =>
    byteTokenizer({
      name: `granite ${roles}`,
      controls: ['<|end_of_text|>', '<|start_of_role|>', '<|end_of_role|>'],
      names: { eos_token: '<|end_of_text|>' },
      template: `{% for m in messages %}{% if m.role in [${roles}] %}{{ '<|start_of_role|>' + m.role + '<|end_of_role|>' + m.content + '<|end_of_text|>\\n' }}{% endif %}{% endfor %}`,
    })
  const text = (role: string) =>
    ['user', 'assistant', role, 'assistant'].map((each) => `${opened(each)}x<|end_of_text|>\n`).join('')

  it('are turns of a tool', () => {
    const tokenizer = granite("'user', 'assistant', 'tool_response'")
    expect(learned(tokenizer).tool).toEqual({ header: opened('tool_response'), end: '<|end_of_text|>' })
    expect(turnsOf(tokenizer, text('tool_response')).turns[2]).toBe('tool: x')
  })

  it('are not what the template writes for nobody, nor those where it knows the usual name', () => {
    expect(learned(granite("'user', 'assistant', 'critic'")).tool).toBeNull()
    const usual = granite("'user', 'assistant', 'tool', 'tool_response'")
    expect(learned(usual).tool?.header).toBe(opened('tool'))
    expect(turnsOf(usual, text('critic')).turns[2]).toMatch('other')
  })
})

describe('calls of DeepSeek', () => {
  const deepseek = (argumentsOf: string, ended = '<EOS>') =>
    byteTokenizer({
      name: 'deepseek with tools',
      controls: ['<EOS>', '<U>', '<A>', '<call>', '</call>', '<out>', '</out>'],
      names: { eos_token: '<EOS>' },
      template: `{% for m in messages %}{% if m.role == 'user' %}<U>{{ m.content }}{% elif m.tool_calls is defined %}<A>{{ m.content or '' }}{% for t in m.tool_calls %}{{ '<call>' + t.function.name + '\\n' + ${argumentsOf} + '</call>' }}{% endfor %}${ended}{% elif m.role == 'tool' %}<out>{{ m.content }}</out>{% else %}{% if loop.index > 1 and messages[loop.index0 - 1].role != 'tool' %}<A>{% endif %}{{ m.content }}<EOS>{% endif %}{% endfor %}`,
    })
  const text = '<U>Who?<A>I ask.<call>search\n{"query": "Q"}</call><EOS><out>Ines</out>Ines.<EOS>'

  it.each([
    ['as text, which a template joins to its own', 't.function.arguments'],
    ['as an object, which it writes out', '(t.function.arguments | tojson)'],
  ])('take arguments %s', (_, argumentsOf) => {
    const tokenizer = deepseek(argumentsOf)
    expect(learned(tokenizer).tool).toEqual({ header: '<out>', end: '</out>' })
    expect(learned(tokenizer).answersToolDirectly).toBe(true)
    const { turns } = turnsOf(tokenizer, text)
    expect(turns.map((turn) => turn.split(':', 1)[0])).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(turns.at(-1)).toBe('assistant: Ines.')
  })

  it('end a turn where the template ends it behind several alone (DeepSeek V3), and where they were cut', () => {
    const tokenizer = deepseek('t.function.arguments', "{{ '<EOS>' if m.tool_calls | length > 1 else '' }}")
    expect(learned(tokenizer).tool).toEqual({ header: '<out>', end: '</out>' })
    const cut = text.replace('"Q"}</call><EOS>', '"Q')
    for (const written of [text, text.replace('</call><EOS>', '</call>'), cut]) {
      const { turns } = turnsOf(tokenizer, written)
      expect(turns.map((turn) => turn.split(':', 1)[0])).toEqual(['user', 'assistant', 'tool', 'assistant'])
      expect(turns.at(-1)).toBe('assistant: Ines.')
    }
  })
})

describe('a template that closes a thought there is none of at the beginning of an answer', () => {
  const family = (behind: string) =>
    byteTokenizer({
      name: `hybrid ${behind}`,
      controls: ['<EOS>', '<U>', '<A>', '<think>', '</think>'],
      names: { eos_token: '<EOS>' },
      template: `{% for m in messages %}{% if m.role == 'user' %}<U>{{ m.content }}{% elif m.role == 'assistant' %}<A>${behind}{{ m.content }}<EOS>{% endif %}{% endfor %}{% if add_generation_prompt %}<A>${behind}{% endif %}`,
    })
  const kinds = (tokenizer: ReturnType<typeof family>, text: string) =>
    turnsOf(tokenizer, text).turns.map((turn) => turn.split(':', 1)[0])

  it('has turns of the model that think, too (DeepSeek V3.1)', () => {
    const text = '<U>Who?<A></think>Ines.<EOS><U>Who else?<A><think>Nobody.</think>Nobody.<EOS>'
    const { turns } = turnsOf(family('</think>'), text)
    expect(turns.map((turn) => turn.split(':', 1)[0])).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect(turns[1]).toBe('assistant: Ines.')
  })

  it('is told by the tag: behind another beginning the token alone opens nothing', () => {
    expect(kinds(family('says '), '<U>Who?<A>says Ines.<EOS>')).toEqual(['user', 'assistant'])
    expect(kinds(family('says '), '<U>Who?<A>Ines.<EOS>')).not.toContain('assistant')
  })
})

const REAL = realFamilies()

describe('tokenizers in the folder that TOKENIZER_FAMILIES names', () => {
  it.skipIf(REAL.length === 0)(
    'show the turns that their template writes',
    () => {
      for (const name of REAL) {
        const tokenizer = realTokenizer(name)
        if (tokenizer.template === null || tokenizer.frame === null) continue
        const text = chatTemplate(tokenizer.template, tokenizer.frame.names).render(MESSAGES)
        const { turns } = turnsOf(tokenizer, text)
        // The first template of Llama 3 asks for an answer whether it is told to or not.
        if (turns.at(-1) === 'assistant: ') turns.pop()
        expect([name, ...turns.filter((turn) => !turn.startsWith('system'))]).toEqual([name, ...DIALOGUE])
      }
    },
    120_000,
  )
})
