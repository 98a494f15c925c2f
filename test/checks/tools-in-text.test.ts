import { describe, expect, it } from 'vitest'
import { withToolsAlike } from '../../shared/checks/texts/tools-in-text.ts'

const search = {
  name: 'search',
  description: 'Looks for pages.',
  parameters: { properties: { id: { type: 'string' } } },
}
const reversed = {
  parameters: { properties: { id: { type: 'string' } } },
  description: 'Looks for pages.',
  name: 'search',
}
const read = { name: 'read', description: 'Reads a page.' }

/** As Qwen writes its tools. */
const onLines = (...tools: readonly unknown[]) =>
  `You are careful.\n\n<tools>\n${tools.map((tool) => JSON.stringify(tool)).join('\n')}\n</tools>\n\nCall them.`
/** As Llama does. */
const indented = (...tools: readonly unknown[]) =>
  `You have functions.\n\n${tools.map((tool) => JSON.stringify(tool, null, 4)).join('\n\n')}\n\nYou are careful.`
const inAList = (...tools: readonly unknown[]) => `Tools:\n${JSON.stringify(tools)}\nYou are careful.`

describe('a system text with tools', () => {
  it.each([
    ['on lines', onLines],
    ['indented', indented],
    ['in a list', inAList],
  ])('is the same %s, however keys and tools are ordered and whatever ids were made up', (_, written) => {
    const one = withToolsAlike(written(search, read))
    expect(withToolsAlike(written(read, reversed))).toBe(one)
    expect(withToolsAlike(written({ ...search, id: 'fn_1' }, { ...read, $id: 'fn_2' }))).toBe(one)
    const uuid = (digit: string) => ({
      ...read,
      description: `Reads a page of ${digit.repeat(8)}-1111-4111-8111-${digit.repeat(12)}.`,
    })
    expect(withToolsAlike(written(search, uuid('a')))).toBe(withToolsAlike(written(search, uuid('7'))))
  })

  it.each([
    ['on lines', onLines],
    ['indented', indented],
    ['in a list', inAList],
  ])('is another %s where a tool, its description or a parameter is, or the words around', (_, written) => {
    const one = withToolsAlike(written(search, read))
    const others = [
      written(search),
      written(search, { ...read, description: 'Reads two pages.' }),
      written({ ...search, parameters: { properties: { ids: { type: 'string' } } } }, read),
      written({ ...search, parameters: { properties: {} } }, read),
      written(search, read).replace('careful', 'quick'),
    ].map(withToolsAlike)
    expect(new Set([one, ...others]).size).toBe(others.length + 1)
  })

  it('stays as it is without tools, where they do not parse and where braces alone stand', () => {
    for (const text of [
      'You are careful.',
      'if (a)\n{\n  b\n}\n',
      '{"name": "cut off}\nand on',
      '{\n{\n{\n',
      '[1]\n\n[2]',
    ])
      expect(withToolsAlike(text)).toBe(text)
    const deep = '{"a":'.repeat(20_000)
    expect(withToolsAlike(`${deep}1${'}'.repeat(20_000)}`)).toContain(deep)
  })

  it('takes no longer than its length asks for', () => {
    const start = performance.now()
    withToolsAlike('{\n'.repeat(200_000).concat('}\n'.repeat(200_000)))
    expect(performance.now() - start).toBeLessThan(2000)
  })
})
