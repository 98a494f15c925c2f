import { describe, expect, test } from 'vitest'
import type { QueryNode } from '../../shared/query/language/ast.ts'
import { QUERY_FIELDS } from '../../shared/query/language/fields.ts'
import { formatQuery } from '../../shared/query/language/format.ts'
import { MOST_CHARACTERS, parseQuery } from '../../shared/query/language/parse.ts'

function tree(text: string): QueryNode {
  const { root, problems } = parseQuery(text)
  expect(problems).toEqual([])
  return root as QueryNode
}

describe('what is read', () => {
  test.each([
    ['finding:m01', 'finding:M01'],
    ['finding:M01, m10', 'finding:M01,M10'],
    ['FINDING:any severity:Error', 'finding:any severity:error'],
    ['trained_share < 10%', 'trained_share<0.1'],
    ['reward>=0.5', 'reward>=0.5'],
    ['reward ≥ .5', 'reward>=0.5'],
    ['reward:-1..1', 'reward:-1..1'],
    ['step:10..', 'step:10..'],
    ['step=..10', 'step:..10'],
    ['reward!=0', 'reward!=0'],
    ['reward>-inf', 'reward>-inf'],
    ['reward.format<1', 'reward.format<1'],
    ['turn>=2 part:tool logprob_gap>1', 'turn>=2 part:tool logprob_gap>1'],
    ['-flag', '-flag'],
    ['not flag', '-flag'],
    ['flag:no', '-flag'],
    ['flag!=no', 'flag'],
    ['a b or c', '"a" "b" or "c"'],
    ['a and (b | c)', '"a" ("b" or "c")'],
    ['(a b) c', '("a" "b") "c"'],
    ['((a))', '"a"'],
    ['--a', '-(-"a")'],
    ['-(a or b)', '-("a" or "b")'],
    ['"Treaty of"', '"Treaty of"'],
    ['“Treaty of”', '"Treaty of"'],
    ['"say \\"no\\"\\n"', '"say \\"no\\"\\n"'],
    ['/a[/]b/mi', '/a[/]b/im'],
    ['/a\\/b/', '/a\\/b/'],
    ['group:q1', 'group:q1'],
    ['group:a/b:c', 'group:a/b:c'],
    ['id:q1*', 'id:q1*'],
    ['id:"q1*"', 'id:"q1*"'],
    ['id:/^q\\d/', 'id:/^q\\d/'],
    ['note:"reward hack"', 'note:"reward hack"'],
    ['end:length,cut', 'end:length,cut'],
    ['lost:documents', 'lost:documents'],
    ['lost>100', 'lost>100'],
    ['lost:5..10,start', 'lost:5..10,start'],
    ['label:"or" or', null],
    ['1919', '"1919"'],
    ['length>5 flagged', 'tokens>5 flag'],
  ])('%s', (text, written) => {
    if (written === null) expect(parseQuery(text).problems).toHaveLength(1)
    else {
      expect(formatQuery(tree(text))).toBe(written)
      expect(formatQuery(tree(written))).toBe(written)
    }
  })

  test('an empty query keeps everything', () => {
    for (const text of ['', '  ', '\n']) expect(parseQuery(text)).toEqual({ text, root: null, problems: [] })
  })

  test('every field reads its own example', () => {
    for (const { example } of QUERY_FIELDS) tree(example)
  })

  test('the columns of a node are those of its text', () => {
    const text = ' reward > 1 (flag or "x y")'
    const root = tree(text)
    expect(text.slice(root.columns.from, root.columns.to)).toBe('reward > 1 (flag or "x y")')
    if (root.kind !== 'all') throw new Error('two terms')
    expect(root.nodes.map(({ columns }) => text.slice(columns.from, columns.to))).toEqual([
      'reward > 1',
      '(flag or "x y")',
    ])
  })
})

describe('what is wrong is told under its columns', () => {
  test.each([
    ['rewrd>1', 'rewrd', 'There is no field `rewrd`. Did you mean `reward`?'],
    ['flag rewrd>1', 'rewrd', 'no field'],
    ['http://x', 'http', 'put it into quotes'],
    ['reward>', '>', 'A value has to follow'],
    ['reward>hi', 'hi', 'A number has to follow `>`'],
    ['reward>10%', '10%', 'A number has to follow'],
    ['trained_share:lots', 'lots', 'a share such as'],
    ['step:9..2', '9..2', 'write `2..9`'],
    ['step:..', '..', 'is no number'],
    ['end>stop', '>', 'words, which have no order'],
    ['severity:eror', 'eror', 'Did you mean `error`?'],
    ['finding:M1', 'M1', 'No check has the code'],
    ['finding:M01,', ',', 'A value has to follow'],
    ['flag:maybe', 'maybe', 'stands alone'],
    ['flag>1', '1', 'stands alone'],
    ['reward', 'reward', 'needs a value, as in `reward>=0.5`'],
    ['end.x:stop', '.x', 'has no parts'],
    ['"open', '"open', 'This quote is never closed.'],
    ['""', '""', 'no text between these quotes'],
    ['/open', '/open', 'never closed'],
    ['/a/g', '/a/g', '`g` is no flag'],
    ['/(?=a)b/', '/(?=a)b/', 'Look-around'],
    ['/(a/', '/(a/', 'missing closing'],
    ['/a*/', '/a*/', 'fits an empty text'],
    ['/a{999}b{999}/', '/a{999}b{999}/', 'too large'],
    ['end:/a/', '/a/', 'takes no regular expression'],
    ['(flag', '(', 'never closed'],
    ['flag)', ')', 'Nothing was opened'],
    ['()', '()', 'Nothing stands between'],
    ['or flag', 'or', 'before `or`'],
    ['flag or', 'or', 'after `or`'],
    ['and flag', 'and', 'before `and`'],
    ['not', 'not', 'after a negation'],
    ['> 5', '>', 'needs a field before it'],
    ['<|im_end|>', '<', 'put it into quotes'],
  ])('%s', (text, marked, message) => {
    const { root, problems } = parseQuery(text)
    expect(root).toBeNull()
    expect(problems[0]?.message).toContain(message)
    expect(text.slice(problems[0]?.from, problems[0]?.to)).toBe(marked)
  })

  test('each of several mistakes is told', () => {
    expect(parseQuery('rewrd>1 step:x flag').problems.map(({ from }) => from)).toEqual([0, 13])
  })

  test('a code that no check has, where the codes are known', () => {
    const codes = ['M01', 'M10', 'T05']
    expect(parseQuery('finding:M01', { codes }).problems).toEqual([])
    expect(parseQuery('finding:M02', { codes }).problems[0]).toMatchObject({ from: 8, expected: ['M01'] })
  })

  test('an expression that would take long to read is refused for its length', () => {
    expect(parseQuery(`/${'\\pL{999}'.repeat(100)}/`).problems[0]?.message).toContain('at most 500 characters')
  })

  test('too long or too deep is refused, not read', () => {
    expect(parseQuery('a '.repeat(MOST_CHARACTERS)).problems).toHaveLength(1)
    for (const text of ['('.repeat(3000), `${'-'.repeat(3000)}a`, `${'('.repeat(100)}a${')'.repeat(100)}`]) {
      expect(parseQuery(text).problems.some(({ message }) => message.includes('deep'))).toBe(true)
    }
  })
})
