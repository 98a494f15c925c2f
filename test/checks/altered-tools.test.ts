import { describe, expect, it } from 'vitest'
import { searchRows } from '../fixtures/checks/fixture.ts'
import { withToolSchema } from '../helpers/conversation.ts'
import { findingsOf } from './findings-of.ts'

describe('T07 of a tool that the prompt has under another name', () => {
  const tool = (name: string, title: string) => ({
    type: 'function',
    function: { name, description: 'Finds', parameters: { type: 'object', properties: {}, title } },
  })
  const named = (shown: unknown) =>
    findingsOf(
      'T07',
      'qwen2.5',
      searchRows(
        { system: { text: withToolSchema('Answer.', [shown as never]) } },
        { tools: [tool('search', 'search_args')] },
        1,
      ),
    )

  it('names it, though the title of its parameters is made of the name', async () => {
    const [finding, ...more] = await named(tool('find', 'search_args'))
    expect(more).toEqual([])
    expect(finding?.message).toContain('names none of search')
  })

  it.each([
    ['search', 'search_args'],
    ['wiki_search', 'wiki_search_args'],
    ['find', 'search'],
  ])('is silent where the name stands for itself: %s, %s', async (name, title) => {
    expect(await named(tool(name, title))).toEqual([])
  })
})

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
