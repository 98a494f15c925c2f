import { describe, expect, it } from 'vitest'
import type { TrajectoryView } from '../../shared/checks/check.ts'
import { addSymptoms } from '../../shared/checks/view.ts'
import { rerender } from '../../shared/tokens/template/rerender.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { auditDump } from '../checks/audit.ts'
import { assistant, conversation, system, user } from '../helpers/conversation.ts'
import { findings } from './findings.ts'

const SYSTEM =
  'You answer questions about films from the documents that your tools return, and say in which one the answer stands.'
const QUESTION = 'Which of the two films was shown first, the one by Ines Valdoro or the one by Marek Toth?'
const ANSWER = 'The one by Ines Valdoro.'
const toolOf = (name: string, description: string) => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: { type: 'object', properties: { query: { type: 'string', description: 'What to look for' } } },
  },
})
const SEARCH = toolOf('search', 'Finds documents about films by a question')
const READ = toolOf('read', 'Gives a whole document by its number')
const MESSAGES = [
  { role: 'system', content: SYSTEM },
  { role: 'user', content: QUESTION },
  { role: 'assistant', content: ANSWER },
]

/** A row that names both tools, or neither messages nor tools, whose system turn is what `edit` makes of the rendered one. */
function row(
  tokenizer: Tokenizer,
  edit: (system: string) => string,
  asks = true,
  tools: readonly unknown[] | null = [SEARCH, READ],
) {
  const messages = MESSAGES.slice(0, 2)
  const rendered = rerender(tokenizer, messages, [SEARCH, READ]) as string
  const header = '<|im_start|>system\n'
  const system = rendered.slice(rendered.indexOf(header) + header.length, rendered.indexOf('<|im_end|>'))
  return conversation(
    tokenizer,
    [{ role: 'system', text: edit(system) }, ...(asks ? [user(QUESTION)] : []), assistant(ANSWER)],
    tools === null ? {} : { more: { messages: MESSAGES, tools } },
  )
}

const found = async (edit: (system: string) => string, asks = true) =>
  (await findings('C02', {}, {}, { rows: (tokenizer) => [row(tokenizer, edit, asks)] })).findings

/** Without what lies between the ends of two words of it. */
const without = (from: string, to: string) => (text: string) =>
  text.slice(0, text.indexOf(from) + from.length) + text.slice(text.indexOf(to, text.indexOf(from)) + to.length)

describe('C02 in a system turn with the schemas of tools', () => {
  it.each([
    ['inside a schema', without('"description": "Finds', 'What to look')],
    ['inside a text of a schema, which is JSON all the same', without('"Finds', 'by a question')],
    ['from a text of a schema into another, which is JSON all the same', without('"Finds', 'What to')],
    ['from one schema into the next', without('Finds documents', '"description": "Gives')],
    ['from its message into a schema', without('answer questions', 'Finds documents')],
    ['from the words before the schemas into the last of them', without('You may call one or more', '"Gives a whole')],
    ['from the last schema into the words behind them', without('XML tags:\n<tools>', 'For each function call')],
    ['from the words before the schemas to behind them', without('within <tools></tools>', '\n</tools>')],
    ['inside its message', without('You answer questions', 'documents that your')],
  ])('names a cut %s', async (_, edit) => {
    const [first] = await found(edit)
    expect(first).toMatchObject({ turn: 0, evidence: { cut: 'middle', role: 'system' } })
    expect(first?.evidence.lost_tokens).toBeGreaterThan(4)
  })

  it('names a cut from a schema to the end of the question, which has no turn of its own', async () => {
    const cut = (text: string) =>
      `${without('Finds documents', '</tools>')(text).split('Finds documents')[0]}Finds documents`
    const [first] = await found((text) => `${cut(text)} by Ines Valdoro or the one by Marek Toth?`, false)
    expect(first).toMatchObject({ turn: 0, evidence: { cut: 'middle' } })
    expect(first?.evidence.lost_tokens).toBeGreaterThan(60)
  })

  it('is said of each rollout beside its own tools, where others have the same system turn', async () => {
    const own = [SEARCH, toolOf('read', 'Gives')]
    const cut = without('"Gives', ' a whole document by its number')
    const rows = (tokenizer: Tokenizer) => [
      row(tokenizer, cut, true, own),
      row(tokenizer, cut),
      row(tokenizer, cut, true, own),
    ]
    const { findings: all } = await findings('C02', {}, {}, { rows })
    expect(all.map(({ record }) => record)).toEqual([1])
  })

  it.each([
    ['nothing is gone', (text: string) => text],
    [
      'a whole tool was not rendered',
      (text: string) => text.replace(`\n${text.split('\n').find((line) => line.includes('"read"'))}`, ''),
    ],
    [
      'a schema was written in other words',
      (text: string) => text.replace('Finds documents about films', 'Looks {for} films'),
    ],
    ['a schema is no JSON and nothing of it is gone', (text: string) => text.replaceAll('"search"', "'search'")],
    ['the list of tools is empty', (text: string) => text.replace(/^<tools>$[\s\S]*^<\/tools>$/m, '<tools>\n</tools>')],
    [
      'the tools are one list',
      (text: string) => text.replace(/^<tools>$[\s\S]*^<\/tools>$/m, `<tools>\n${JSON.stringify([SEARCH])}\n</tools>`),
    ],
    ['no schema was rendered', (text: string) => text.slice(0, text.indexOf('# Tools'))],
    ['fields of a schema were left out', (text: string) => text.replace(', "description": "What to look for"', '')],
  ])('is silent where %s', async (_, edit) => {
    expect(await found(edit)).toEqual([])
  })
})

/** Tools as verifiers has them, and what it leaves empty with them. */
const INNER = [SEARCH, READ].map((tool) => ({ ...tool.function, strict: null }))

describe.each([
  ['messages of the prompt alone', MESSAGES.slice(0, 2), [SEARCH, READ]],
  ['tools as inner objects', MESSAGES, INNER],
  ['tools as inner objects without what is empty', MESSAGES, INNER.map(({ strict, ...inner }) => inner)],
] as const)('C02 where the record has %s', (_, messages, tools) => {
  const foundIn = async (edit: (text: string) => string) => {
    const of = (family: 'qwen2.5' | 'llama3') =>
      findings(
        'C02',
        {},
        {},
        {
          family,
          rows: (tokenizer) => {
            const whole = family === 'llama3' ? llamaRow(tokenizer, edit) : row(tokenizer, edit)
            return [{ ...whole, record: { ...whole.record, messages: [...messages], tools } }]
          },
        },
      )
    return [(await of('qwen2.5')).findings, (await of('llama3')).findings]
  }

  it.each([
    ['inside a schema', without('"description": "Finds', 'What to look')],
    ['from one schema into the next', without('Finds documents', '"description": "Gives')],
  ])('names a cut %s', async (_, edit) => {
    for (const found of await foundIn(edit)) expect(found).toMatchObject([{ evidence: { cut: 'middle' } }])
  })

  it.each([
    ['nothing is gone', (text: string) => text],
    [
      'a schema was written in other words',
      (text: string) => text.replace('Finds documents about films', 'Looks {for} films'),
    ],
    ['a schema is no JSON and nothing of it is gone', (text: string) => text.replaceAll('"search"', "'search'")],
  ])('is silent where %s', async (_, edit) => {
    expect(await foundIn(edit)).toEqual([[], []])
  })
})

/** The same of Llama, which renders the schemas before the question, in its turn. */
function llamaRow(tokenizer: Tokenizer, edit: (user: string) => string, tools: readonly unknown[] = [SEARCH, READ]) {
  const rendered = rerender(tokenizer, MESSAGES.slice(0, 2), [SEARCH, READ]) as string
  const [, before = ''] = rendered.split('<|start_header_id|>user<|end_header_id|>\n\n')
  const [asked = ''] = before.split('<|eot_id|>')
  return conversation(tokenizer, [system(SYSTEM), user(edit(asked)), assistant(ANSWER)], {
    more: { messages: MESSAGES, tools },
  })
}

const ofLlama = async (edit: (user: string) => string) =>
  (await findings('C02', {}, {}, { family: 'llama3', rows: (tokenizer) => [llamaRow(tokenizer, edit)] })).findings

describe('C02 in a question with the schemas of tools before it', () => {
  it.each([
    ['inside a schema', without('"description": "Finds', 'What to look')],
    ['inside a text of a schema, which is JSON all the same', without('"Finds', 'by a question')],
    ['from one schema into the next', without('Finds documents', '"description": "Gives')],
    ['from the words before the schemas into one', without('Respond in the format', '"description": "Gives')],
    ['from a schema into the question', without('Finds documents', 'films was shown first')],
  ])('names a cut %s', async (_, edit) => {
    const [first] = await ofLlama(edit)
    expect(first).toMatchObject({ turn: 1, evidence: { cut: 'middle', role: 'user' } })
    expect(first?.evidence.lost_tokens).toBeGreaterThan(4)
  })

  it.each([
    ['nothing is gone', (text: string) => text],
    ['no schema was rendered', () => QUESTION],
    [
      'a schema was written in other words',
      (text: string) => text.replace('Finds documents about films', 'Looks {for} films'),
    ],
    ['a schema is no JSON and nothing of it is gone', (text: string) => text.replaceAll('"search"', "'search'")],
    [
      'a whole tool was not rendered',
      (text: string) => text.slice(0, text.lastIndexOf('\n{\n')) + text.slice(text.lastIndexOf('\n}\n') + 2),
    ],
  ])('is silent where %s', async (_, edit) => {
    expect(await ofLlama(edit)).toEqual([])
  })
})

describe('C02 in a dump that has neither messages nor tools', () => {
  const bare = async (edit: (system: string) => string, asks = true) => {
    const rows = (tokenizer: Tokenizer) => [row(tokenizer, edit, asks, null)]
    return (await findings('C02', {}, {}, { rows })).findings
  }

  it.each([
    ['inside a schema', without('"description": "Finds', 'What to look')],
    ['from one schema into the next', without('"Finds documents', '"description"')],
    ['from the last schema into the words behind them', without('Gives a whole', 'For each function call')],
    ['from a schema to the end', (text: string) => text.slice(0, text.indexOf('by its number'))],
    ['from the words before the schemas into one', without(' tags:', '"What to look')],
  ])('names a cut %s', async (_, edit) => {
    expect(await bare(edit)).toMatchObject([
      { turn: 0, severity: 'error', evidence: { cut: 'middle', role: 'system', lost_tokens: null } },
    ])
  })

  it('shows it at the schema that is torn', async () => {
    const [first] = await bare(without('"description": "Gives', '"What to look for'))
    expect(first?.evidence.before).toMatch(/"Gives"\}\}\}\}\}\s*$/)
  })

  it.each([
    ['all schemas are whole', (text: string) => text],
    [
      'they were left out, and the tags left',
      (text: string) => text.replace(/(?<=<tools>\n)[\s\S]*\n(?=<\/tools>)/, ''),
    ],
    ['schemas are spread over several lines', (text: string) => text.replace(/^\{"type".*$/gm, spread)],
    ['schemas are listed with commas between them', (text: string) => text.replaceAll('}}}}}\n{', '}}}}},\n{')],
    ['the tag before them stands with the first one', (text: string) => text.replace('<tools>\n{', '<tools>{')],
    ['prose stands before a tag that closes nothing', () => 'Tools stand in <tools></tools> tags.\n</tools>'],
    ['a torn one stands among words', (text: string) => text.replace('<tools>\n', '<tools> ')],
  ])('is silent where %s', async (_, edit) => {
    expect(await bare(edit)).toEqual([])
  })

  const spread = (schema: string) => schema.replace('"function": {', '"function": {\n    ')

  const ofLlamaAlone = async (code: string, edit: (user: string) => string) => {
    const rows = (tokenizer: Tokenizer) => {
      const row = llamaRow(tokenizer, edit)
      const { messages, tools, ...alone } = row.record
      return [{ ...row, record: alone }]
    }
    return (await findings(code, {}, {}, { family: 'llama3', rows })).findings
  }

  it.each([
    ['inside a schema', without('"description": "Finds', 'What to look')],
    ['from one schema into the next', without('"Finds documents', '"name": "read"')],
    ['from the words before the schemas into one', without('Respond in the format', '"description": "Gives')],
    ['from a schema into the question', without('"Gives a whole', 'films was shown first')],
    ['from the words before the schemas into the brackets of one', without('"parameters": dictionary', '        }')],
    [
      'from these words to the last bracket but one',
      (text: string) => text.replace(/(?<="parameters": dictionary)[\s\S]*?(?= {4}\}\n\}\n)/, ''),
    ],
  ])('names a cut %s before the question', async (_, edit) => {
    expect(await ofLlamaAlone('C02', edit)).toMatchObject([{ turn: 1, evidence: { cut: 'middle', role: 'user' } }])
    expect(await ofLlamaAlone('T07', edit)).toEqual([])
  })

  it.each([
    ['lacks the middle', without('"description": "Finds', 'What to look'), true],
    ['asks something else', (text: string) => text.replace(QUESTION, 'Who made either of them?'), undefined],
  ])('A05 sets a prompt aside that %s: %j', async (_, edit, promptOpen) => {
    const rows = (tokenizer: Tokenizer) => [llamaRow(tokenizer, edit)]
    const [view] = (await auditDump({ story: '', family: 'llama3', rows })).views
    addSymptoms(view as TrajectoryView)
    expect(view?.facts.promptOpen).toBe(promptOpen)
  })

  const code = 'What does this do?\n\n{\n    int type;\n}\n'
  it.each([
    ['schemas are whole', (text: string) => text],
    ['the question holds code', (text: string) => text.replace(QUESTION, code)],
    ['the question holds code and no schema was rendered', () => `Given the following functions, answer. ${code}`],
    ['a brace in the question closes what stands before it', () => 'Given the following functions:\nf() {\n  x;\n}\n'],
    ['two braces in the question do', () => 'Given the following functions:\nf() {\n  if (x) {\n  }\n}\n'],
    [
      'no schema was rendered, and the question closes two',
      (text: string) => `${text.split('\n{\n')[0]}f() {\n  if (x) {\n  }\n}\n`,
    ],
  ])('is silent where %s', async (_, edit) => {
    expect(await ofLlamaAlone('C02', edit)).toEqual([])
  })

  it('names a header that other words go on from, and no missing tools', async () => {
    const cut = (closed: boolean) => (tokenizer: Tokenizer) => {
      const turn = user(`"Finds"\n}\n\n${QUESTION}`)
      const row = conversation(tokenizer, [system(SYSTEM), turn, assistant(ANSWER)], { more: { tools: [SEARCH] } })
      const end = tokenizer.frame?.headerEnd as number
      const { input_ids, loss_mask, ...more } = row.record
      const at = input_ids.indexOf(end, input_ids.indexOf(end) + 1)
      const kept = (_: unknown, i: number) => closed || (i !== at && i !== at + 1)
      return [
        { ...row, record: { ...more, input_ids: input_ids.filter(kept), loss_mask: loss_mask?.filter(kept) ?? [] } },
      ]
    }
    const found = async (code: string, closed: boolean) =>
      (await findings(code, {}, {}, { family: 'llama3', rows: cut(closed) })).findings
    expect(await found('C02', false)).toMatchObject([
      { turn: 1, severity: 'error', evidence: { cut: 'middle', role: 'user' } },
    ])
    expect(await found('C02', true)).toEqual([])
    expect(await found('T07', false)).toEqual([])
    expect(await found('T07', true)).toHaveLength(1)
  })
})
