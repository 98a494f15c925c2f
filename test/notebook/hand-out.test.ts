import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newHypothesis } from '../../shared/notebook/edit.ts'
import { type HandOut, handOutHtml, handOutMarkdown } from '../../shared/notebook/hand-out/hand-out.ts'
import { evidence } from './edits.ts'

function handOut(text: string): HandOut {
  const pinned = evidence('e1', text)
  const hypothesis = {
    ...newHypothesis('H02', text),
    statusNote: text,
    validation: [{ id: 'm1', title: text, how: text, success: text }],
    evidence: [
      {
        ...pinned,
        numbers: [{ name: text, value: text, unit: text }],
        note: text,
        from: { ...pinned.from, names: [text], settings: { tokenizer: text } },
      },
    ],
  }
  return { hypothesis, sections: [{ title: 'Results', text }] }
}

describe('a hypothesis is handed out', () => {
  test('with the numbers of a check in plain words', () => {
    const numbers = [{ name: 'hidden_tokens', value: 583, unit: null }]
    const hypothesis = { ...newHypothesis('H02', 'Masks'), evidence: [{ ...evidence('e1'), numbers }] }
    expect(handOutMarkdown({ hypothesis, sections: [] })).toContain('- `hidden tokens: 583`')
  })

  test('with its status, what was written, its numbers and where they are from', () => {
    const pinned = { ...evidence('e1', 'Replies are trained: 31 %'), note: 'seen at step 12' }
    const hypothesis = { ...newHypothesis('H02', 'Masks'), status: 'validated' as const, evidence: [pinned] }
    const sections = [
      { title: 'Results', text: 'It **holds**.' },
      { title: 'Notes', text: ' ' },
    ]
    expect(handOutMarkdown({ hypothesis, sections })).toBe(
      [
        '# H02 Masks',
        '',
        'Status: validated · Priority: medium',
        '',
        '## Results',
        '',
        'It **holds**.',
        '',
        '## Evidence',
        '',
        '- `Replies are trained: 31 %`',
        '  - `share: 0.31`',
        '  - seen at step 12',
        '  - `from step_12.jsonl (dump aa11bb22), read by 0.1.0 under policy rl, pinned 2026-01-05T00:00:00.000Z, at #dump=aa11bb22`',
        '',
      ].join('\n'),
    )
  })

  test('as a page in which no text becomes an element', () => {
    const plain = handOutHtml(handOut('x')).match(/<[a-z!/][^>]*>/gi)?.length
    const hostile = handOutHtml(handOut('<script>alert(1)</script>"\'><img src=x onerror=alert(1)>'))
    expect(hostile.match(/<[a-z!/][^>]*>/gi)?.length).toBe(plain)
    expect(hostile).not.toContain('<script')
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('<', '>', '"', '/', 'a', '!', '-', '&', ' ') }), (text) => {
        const page = handOutHtml(handOut(`x${text}x`))
        expect(page.match(/<[a-z!/][^>]*>/gi)?.length).toBe(plain)
      }),
    )
  })

  test('as Markdown in which what came from a dump stands as code', () => {
    const title = 'a `tick` <img src=x> @someone\n# no heading'
    const hypothesis = { ...newHypothesis('H02', 'Masks'), evidence: [evidence('e1', title)] }
    const lines = handOutMarkdown({ hypothesis, sections: [] }).split('\n')
    expect(lines.filter((line) => line.startsWith('#'))).toEqual(['# H02 Masks', '## Evidence'])
    expect(lines.find((line) => line.includes('@someone'))).toMatch(/^- `` a `tick` <img src=x> @someone.*``$/)
  })
})
