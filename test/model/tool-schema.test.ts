import { expect, test } from 'vitest'
import { toolName, toolSchema } from '../../shared/model/tool-schema.ts'

const PROPERTIES = { query: { type: 'string', description: 'What to look for.' }, top: true }
const INNER = { name: 'search', description: 'Looks.', parameters: { properties: PROPERTIES, required: ['query'] } }

test.each([
  ['as chat APIs take it', { type: 'function', function: INNER }],
  ['alone', INNER],
  ['beside a field called so that is no object', { ...INNER, function: 'search' }],
])('a tool is read %s', (_, tool) => {
  expect(toolSchema(tool)).toEqual({
    name: 'search',
    description: 'Looks.',
    parameters: new Map<string, unknown>([
      ['query', PROPERTIES.query],
      ['top', {}],
    ]),
    required: ['query'],
  })
  expect(toolName(tool)).toBe('search')
})

test.each([
  [null],
  ['search'],
  [[INNER]],
  [{ name: '' }],
  [{ name: 7, description: null, parameters: { properties: [] } }],
])('what %j does not say is null', (tool) => {
  expect(toolSchema(tool)).toEqual({ name: null, description: null, parameters: null, required: null })
  expect(toolName(tool)).toBeNull()
})

test('parameters may be called as anything', () => {
  const tool = JSON.parse('{"name": "x", "parameters": {"properties": {"__proto__": {"type": "string"}}}}')
  expect([...(toolSchema(tool).parameters ?? [])]).toEqual([['__proto__', { type: 'string' }]])
})
