import { expect, it } from 'vitest'
import { areSameTools, pairingFacts } from '../../shared/checks/texts/pairing.ts'
import type { Trajectory } from '../../shared/model/trajectory.ts'

interface Tool {
  name: string
  description?: string
  parameters?: { type: string; properties: Record<string, object>; required?: string[] }
}

const parameters = {
  type: 'object',
  properties: { query: { type: 'string', description: 'what to look for' }, limit: { type: 'integer' } },
  required: ['query', 'limit'],
}
const SEARCH: Tool = { name: 'search', description: 'Finds documents.', parameters }
const OTHER: Tool = { name: 'open', description: 'Opens one.' }

const digest = (tools: readonly unknown[]) =>
  pairingFacts({ messages: null, ids: null, tools } as unknown as Trajectory, null, null).tools as string
const same = (a: readonly unknown[], b: readonly unknown[]) => areSameTools(digest(a), digest(b))
const properties = (query: object) => ({ ...parameters, properties: { ...parameters.properties, query } })

it.each<[string, Tool]>([
  ['another description', { ...SEARCH, description: 'Finds pages.' }],
  [
    'another description of a parameter',
    { ...SEARCH, parameters: properties({ type: 'string', description: 'words' }) },
  ],
  [
    'another type of a parameter',
    { ...SEARCH, parameters: properties({ type: 'array', description: 'what to look for' }) },
  ],
  ['fewer parameters that are required', { ...SEARCH, parameters: { ...parameters, required: ['query'] } }],
  ['another name', { ...SEARCH, name: 'find' }],
  [
    'a parameter less',
    { ...SEARCH, parameters: { ...parameters, properties: { query: parameters.properties.query } } },
  ],
])('tools with %s are not the same', (_, tool) => {
  expect(same([SEARCH, OTHER], [tool, OTHER])).toBe(false)
})

it.each<[string, readonly unknown[]]>([
  ['listed in another order and shape', [OTHER, { type: 'function', function: SEARCH }]],
  [
    'whose required parameters stand in another order',
    [{ ...SEARCH, parameters: { ...parameters, required: ['limit', 'query'] } }, OTHER],
  ],
  [
    'with an id in a description that was made up',
    [{ ...SEARCH, description: 'Finds documents.0f8fad5b-d9cb-469f-a165-70867728950e' }, OTHER],
  ],
  ['with other white space in a description', [{ ...SEARCH, description: ' Finds\n documents.' }, OTHER]],
  [
    'of which a dump keeps names and parameters alone',
    [{ name: 'search', parameters: { properties: { query: {}, limit: {} } } }, { name: 'open' }],
  ],
])('tools %s are the same', (_, tools) => {
  expect(same([SEARCH, OTHER], tools)).toBe(true)
})

it('no tools are others than some', () => {
  expect([same([], []), same([], [SEARCH])]).toEqual([true, false])
})

it('tools that a text lists are not told where they are nested too deeply to be written again', () => {
  const toolsIn = (type: string) => {
    const content = `{"name": "search", "parameters": {"properties": {"query": {"type": ${type}}}}}`
    const messages = [{ role: 'system', content }]
    return pairingFacts({ messages, ids: null, tools: null } as unknown as Trajectory, null, null).tools
  }
  expect(toolsIn('"string"')).not.toBeNull()
  const nested = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  // V8 of Node 26 writes whatever it has read; that of Node 20 and 24 runs out of stack.
  expect(toolsIn(nested) !== null).toBe(isWrittenAgain(nested))
})

function isWrittenAgain(json: string): boolean {
  const value: unknown = JSON.parse(json)
  try {
    return JSON.stringify(value) === json
  } catch {
    return false
  }
}

it('answers that are handed in by a call are told by what it holds, however it is spaced', () => {
  const answer = (content: string | null, ...calls: readonly string[]) => {
    const toolCalls = calls.map((given) => ({ id: null, name: 'submit', arguments: given }))
    const messages = [{ role: 'assistant', content, ...(calls.length > 0 ? { toolCalls } : {}) }]
    return pairingFacts({ messages, ids: null, tools: null } as unknown as Trajectory, null, null).answer
  }
  expect(answer('Done.', '{"answer": "Quill"}')).not.toBe(answer('Done.', '{"answer": "Ester"}'))
  expect(answer(null, '{"answer": "Quill"}')).not.toBe(answer(null, '{"answer": "Ester"}'))
  expect(answer('Done.', '{"answer": "Quill"}')).toBe(answer('Done.', '{"answer":"Quill"}'))
  expect(answer('Done.', '{"answer": "Quill"}')).not.toBe(answer('Done.'))
  expect([answer(null), answer('')]).toEqual([null, null])
})
