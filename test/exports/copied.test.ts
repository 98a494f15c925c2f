import { describe, expect, test } from 'vitest'
import { findingMarkdown, tokensJson, tokensMarkdown } from '../../shared/exports/copied.ts'
import { check, finding, HOSTILE, report } from './report-fixture.ts'

const detail = {
  facts: { id: HOSTILE },
  reconstructed: false,
  states: Uint8Array.from([0, 1, 1, 2]),
  weights: Float32Array.from([0, 1, 0.5, 0]),
  text: 'ab`c\n@d',
  textOffsets: Uint32Array.from([0, 1, 3, 5, 7]),
}
const ids = Int32Array.from([11, 12, 13, 14])

describe('tokens that are copied', () => {
  test('as JSON: ids, states and text as they are, and where they stand', () => {
    expect(JSON.parse(tokensJson({ detail, ids, start: 1, end: 3 }))).toEqual({
      rollout: HOSTILE,
      tokens: [1, 3],
      ids: [12, 13],
      states: ['trained', 'trained'],
      weights: [1, 0.5],
      text: 'b`c\n',
    })
  })

  test('ids that nobody recorded say so, and weights that are absent are absent', () => {
    const bare = { ...detail, reconstructed: true, weights: null }
    const read = JSON.parse(tokensJson({ detail: bare, ids, start: 0, end: 4 })) as Record<string, unknown>
    expect(read.reconstructed).toBe(true)
    expect(read).not.toHaveProperty('weights')
    expect(tokensMarkdown({ detail: bare, ids, start: 0, end: 4 })).toContain('(reconstructed)')
  })

  test('as Markdown: counts of states, and what comes from the dump in code spans', () => {
    const markdown = tokensMarkdown({ detail, ids, start: 0, end: 4 })
    expect(markdown).toContain('tokens 0–3: 1 masked, 2 trained, 1 padding')
    expect(markdown).toContain('- Text: `` ab`c␊@d ``')
    expect(markdown).toContain('- Token ids: `[11, 12, 13, 14]`')
    expect(outsideCode(markdown)).not.toMatch(/<script|@someone|\]\(/)
  })
})

describe('a finding that is copied or dragged out', () => {
  const plain = finding('M01', { evidence: { tokens: 245, first: 'x' }, line: 13 })

  test('says what, where, by which numbers', () => {
    const markdown = findingMarkdown(report({ checks: [check('M01')] }), plain)
    expect(markdown.split('\n')).toEqual([
      '**M01 Title of M01** (error): `245 tokens of a tool reply carry loss`',
      '',
      '- Where: `step 12.jsonl, record 12, rollout q3, turn 2, tokens 410–654, line 13`',
      '- `tokens`: `245`',
      '- `first`: `"x"`',
      '- Fingerprint: `M01-1`',
      '- Found by rollout-inspector 0.1.0',
      '',
    ])
  })

  test('nothing of a dump comes alive', () => {
    const hostile = finding('M01', {
      trajectory: HOSTILE,
      message: HOSTILE,
      fingerprint: HOSTILE,
      evidence: { [HOSTILE]: HOSTILE, nested: { deep: [HOSTILE] } },
    })
    const whole = report()
    const sources = whole.sources.map((source) => ({ ...source, name: HOSTILE }))
    const markdown = findingMarkdown({ ...whole, sources }, hostile)
    expect(outsideCode(markdown)).not.toMatch(/<|@|\]\(|https/)
    for (const active of ['\u001b', '\u202e']) expect(markdown).not.toContain(active)
    expect(markdown.split('\n').every((line) => line === '' || /^(\*\*M01|- )/.test(line))).toBe(true)
  })

  test('what the policy intends says so', () => {
    const intended = findingMarkdown(report(), { ...plain, intended: true })
    expect(intended).toContain('- Intended by the policy rl')
  })
})

/** Markdown without its code spans, read as CommonMark reads them: a run of backticks ends at the next run of its length. */
function outsideCode(markdown: string): string {
  return markdown.replace(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, '')
}
