import { describe, expect, it } from 'vitest'
import { searchRows } from '../fixtures/checks/fixture.ts'
import { withToolSchema } from '../helpers/conversation.ts'
import { findingsOf } from './findings-of.ts'

describe('T07', () => {
  const finder = (description: string, properties: Record<string, unknown> = { query: { type: 'string' } }) => ({
    type: 'function',
    function: { name: 'search', description, parameters: { type: 'object', properties } },
  })
  const promptWith = (tool: unknown) => ({ system: { text: withToolSchema('Answer.', [tool as never]) } })

  it.each([
    [
      'another description',
      'warning',
      finder('Finds documents'),
      finder('Finds pictures'),
      ['search: another description'],
    ],
    [
      'other parameters',
      'error',
      finder('Finds', { query: { type: 'string' } }),
      finder('Finds', { text: { type: 'string' } }),
      ['search: no parameter query', "search: a parameter text that the record's has not"],
    ],
    [
      'other parameters, which the model gives it,',
      'warning',
      finder('Finds', { text: { type: 'string' } }),
      finder('Finds'),
      ['search: no parameter text', "search: a parameter query that the record's has not"],
    ],
    [
      'a parameter of another type and meaning',
      'error',
      finder('Finds', { limit: { type: 'integer', description: 'most documents' } }),
      finder('Finds', { limit: { type: 'string', description: 'the last page' } }),
      ['search: parameter limit is string, not integer', 'search: another description of parameter limit'],
    ],
  ] as const)('names %s of a tool of the same name: %s', async (_, severity, own, shown, altered) => {
    const [finding, ...more] = await findingsOf('T07', 'qwen2.5', searchRows(promptWith(shown), { tools: [own] }, 1))
    expect(more).toEqual([])
    expect(finding).toMatchObject({ severity, evidence: { altered } })
    expect(finding?.message).toContain('otherwise than the record does: search: ')
  })

  it.each([
    ['white space and punctuation', finder('Finds  documents.'), finder('Finds documents')],
    ['what the record does not say', { name: 'search' }, finder('Finds documents')],
    [
      'what the prompt does not say',
      finder('Finds documents'),
      { name: 'search', parameters: { properties: { query: {} } } },
    ],
    ['the order of keys', finder('F', { a: { type: 'string' }, b: {} }), finder('F', { b: {}, a: { type: 'string' } })],
  ] as const)('takes %s for no difference', async (_, own, shown) => {
    expect(await findingsOf('T07', 'qwen2.5', searchRows(promptWith(shown), { tools: [own] }, 1))).toEqual([])
  })
})
