import { describe, expect, it } from 'vitest'
import { findingsOf, search } from './findings-of.ts'

/** What T07 says of a rollout that calls `search` behind this system text; the record may have the schema. */
const told = async (text: string, more: { tools?: undefined } = { tools: undefined }) =>
  (await findingsOf('T07', 'qwen2.5', search({ system: { text } }, more))).map(({ message }) => message)

const UNDECLARED = ['The model calls a tool, the prompt describes none']

describe('a record without a schema, whose model calls `search`', () => {
  it.each([
    'You can use the search engine when you are in doubt.',
    'Think step by step, then search and answer.',
    'Use your tools to answer. You may search the web.',
    'Answer the question. Do no research.',
    'Give the type search results have, and the name: search and see.',
    '# search and answer\nThink first, then search.',
    'You may make at most 3 tool_calls.',
    'Думай, а потом re-search как хочешь: web search помогает.',
    'Google search の結果を使って答えてください。',
    'Solve it in Python.',
  ])('has a prompt that declares no tool: %s', async (text) => {
    expect(await told(text)).toEqual(UNDECLARED)
  })

  it.each([
    'You can search(query: str) for documents.',
    'If you lack knowledge, you can call a search engine by <search> query </search>, and it returns results.',
    'You have the `search` tool.',
    'You have access to a search tool, which takes a query.',
    'You have a tool called search.',
    'Available functions: read, search and count.',
    'You may act:\n- search: looks for documents\n- read: opens one',
    'You may act:\n1. **search** for documents\n2. answer',
    'You can use these:\n\n- name: search\n  description: Looks something up.\n  parameters:\n    query: string',
    '# Functions\n\n## search\nLooks something up.\n\n**Args:** `query` (string)',
    'namespace functions {\n// Looks something up.\ntype search = (_: {\nquery: string,\n}) => any;\n}',
    '| name | arguments | does |\n|---|---|---|\n| search | query | looks something up |',
    '必要に応じて search 関数（引数 query）を呼び出してください。',
    '必要に応じてsearchを呼び出してください。',
    'يمكنك استخدام أداة search مع الوسيط query.',
    'Write a query as JSON between tool_call tags.',
  ])('has a prompt that declares it in prose: %s', async (text) => {
    expect(await told(text)).toEqual([])
  })
})

describe('a record without a schema, whose model calls with a program', () => {
  const PROGRAM = '<tool_call>\nimport math\nprint(math.comb(14, 3))\n</tool_call>'
  const said = async (system: string, written = PROGRAM) =>
    (
      await findingsOf(
        'T07',
        'qwen2.5',
        search({ system: { text: system }, call: { text: written } }, { tools: undefined }),
      )
    ).length

  it.each([
    'Run Python between the tags.',
    'Solve it with code execution.',
    'Put programs between tool_call tags.',
  ])('has a prompt that speaks of one: %s', async (system) => {
    expect(await said(system)).toBe(0)
    expect(await said(system, '<tool_call>\nprint(14)\n</tool_call>')).toBe(0)
  })

  it('has one that speaks of none, or calls a function by its name', async () => {
    expect(await said('Answer the question.')).toBe(1)
    expect(await said('Answer in the dress code of a lawyer.')).toBe(1)
    expect(await said('Run Python between the tags.', '<tool_call>\n[search(query="a = b")]\n</tool_call>')).toBe(1)
  })
})

it('a schema in YAML or TypeScript describes the tool of a record with a schema, a heading does not', async () => {
  expect(await told('Tools:\n- name: search\n  description: Looks something up.', {})).toEqual([])
  expect(await told('type search = (_: { query: string }) => any;', {})).toEqual([])
  expect(await told('# Rules\n\n## search\nBe thorough.', {})).toEqual([
    'The model calls a tool, the prompt describes none',
  ])
})

it('a tag in which a query is to stand declares the tool of a record with a schema', async () => {
  expect(await told('You can call a search engine by <search> query </search>.', {})).toEqual([])
  expect(await told('You can use the search engine.', {})).toEqual([
    'The model calls a tool, the prompt describes none',
  ])
})

describe("Llama 3.1's own tools, which the template names without a schema", () => {
  const said = async (system: string, written: string, tools?: readonly unknown[]) =>
    (await findingsOf('T07', 'llama3', search({ system: { text: system }, call: { text: written } }, { tools }))).length
  const CODE = '<|python_tag|>import math\nprint(math.comb(14, 3))'
  const QUERY = '<|python_tag|>brave_search.call(query="who directed it")'
  const OWN = [{ type: 'function', function: { name: 'brave_search' } }]

  it('an environment with an interpreter describes code', async () => {
    expect(await said('Environment: ipython\n\nBe brief.', CODE)).toBe(0)
    expect(await said('Be brief.', CODE)).toBe(1)
  })

  it('a line of tools describes those in it', async () => {
    expect(await said('Environment: ipython\nTools: brave_search, wolfram_alpha\n\nBe brief.', QUERY)).toBe(0)
    expect(await said('Environment: ipython\nTools: brave_search, wolfram_alpha\n\nBe brief.', QUERY, OWN)).toBe(0)
    expect(await said('Environment: ipython\nTools: wolfram_alpha\n\nBe brief.', QUERY)).toBe(1)
    expect(await said('Environment: ipython\n\nBe brief.', QUERY, OWN)).toBe(1)
  })
})
