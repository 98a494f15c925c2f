import { describe, expect, it } from 'vitest'
import { assistant, call, conversation, system, tool, trajectoryOf, user } from '../helpers/conversation.ts'
import { FAMILIES, testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

const qwen = await testTokenizer('qwen2.5')

const CUT = '<tool_call>\n{"name": "search", "arguments": {"query": '

/** Severities of M03 in a rollout whose first call is masked. */
function severities(first: string, more: { last?: boolean; reply?: boolean; tokenizer?: typeof qwen } = {}) {
  const { last = true, reply = true, tokenizer = qwen } = more
  const turns = [
    system('Be brief.'),
    user('Go.'),
    assistant(first, { train: false }),
    ...(reply ? [tool('Error: the call cannot be parsed.')] : []),
    assistant(call(tokenizer, 'search', { query: 'rivers' })),
    tool('Found.'),
    assistant(call(tokenizer, 'search', { query: 'hills' }), last ? {} : { train: false }),
    tool('Found as well.'),
    assistant('It rises here.'),
  ]
  const { byCode } = auditTrajectories([trajectoryOf(conversation(tokenizer, turns))], tokenizer)
  return byCode.get('M03')?.findings.map(({ severity, message }) => [severity, message.includes('cannot be parsed')])
}

describe('M03 of a masked turn whose call cannot be parsed', () => {
  it.each([
    ['is not closed', CUT],
    ['is closed around half an object', `${CUT}\n</tool_call>`],
    ['is written as no JSON is', "<tool_call>\n{'name': 'search', 'arguments': {}}\n</tool_call>"],
    ['is code in the tag of calls that are JSON', '<tool_call>\nsearch(rivers)\n</tool_call>'],
    ['stands behind a sound one', `${call(qwen, 'search', { query: 'x' })}\n${CUT}`],
  ])('is a note where it %s', (_, text) => {
    expect(severities(text)).toEqual([['info', true]])
  })

  it.each([
    ['holds a sound call', call(qwen, 'search', { query: 'x' })],
    ['lost the closing tag alone', '<tool_call>\n{"name": "search", "arguments": {"query": "x"}}\n'],
    ['calls in tags', '<tool_call>\n<function=search>\n<parameter=query>\nx\n</parameter>\n</function>\n</tool_call>'],
    ['calls nothing', 'I shall look.'],
  ])('stays an error where it %s', (_, text) => {
    expect(severities(text)).toEqual([['error', false]])
  })

  it.each(FAMILIES)('stays an error for a sound call (%s)', async (family) => {
    const tokenizer = await testTokenizer(family)
    expect(severities(call(tokenizer, 'search', { query: 'x' }), { tokenizer })).toEqual([['error', false]])
  })

  it('stays an error of code in the tag where no call that is trained is JSON', () => {
    const code = '<tool_call>\nsearch(rivers)\n</tool_call>'
    const turns = (second: string) => [
      user('Go.'),
      assistant(code, { train: false }),
      tool('Found.'),
      assistant(second),
      tool('Found as well.'),
      assistant('It rises here.'),
    ]
    const severity = (second: string) => {
      const { byCode } = auditTrajectories([trajectoryOf(conversation(qwen, turns(second)))], qwen)
      return byCode.get('M03')?.findings.map((finding) => finding.severity)
    }
    expect(severity(code)).toEqual(['error'])
    expect(severity('I know it.')).toEqual(['error'])
    expect(severity(call(qwen, 'search', { query: 'hills' }))).toEqual(['info'])
  })

  it('stays an error where a sound call is masked beside it, and where nothing answers', () => {
    expect(severities(CUT, { last: false })).toEqual([
      ['error', false],
      ['error', false],
    ])
    expect(severities(CUT, { reply: false })).toEqual([['error', false]])
  })
})
