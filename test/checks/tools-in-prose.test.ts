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
  ])('has a prompt that declares it in prose: %s', async (text) => {
    expect(await told(text)).toEqual([])
  })
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
