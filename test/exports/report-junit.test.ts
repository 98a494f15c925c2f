import { describe, expect, test } from 'vitest'
import { finding, ofFiles, report, written } from './report-fixture.ts'

describe('JUnit', () => {
  test('has every attribute that readers of it count with: a time that is missing is shown as NaN', () => {
    const elements = written('junit').match(/<(testsuites|testsuite|testcase)\b[^>]*>/g) ?? []
    expect(elements).toHaveLength(1 + 2 + 7)
    for (const element of elements) expect(element).toContain(' time="0"')
  })

  test('the suite of a run of many files is called by the first of them', () => {
    expect(written('junit', ofFiles(2))).toContain('<testsuite name="step_1.jsonl, step_2.jsonl" ')
    expect(written('junit', ofFiles(300))).toContain(
      '<testsuite name="step_1.jsonl, step_2.jsonl, step_3.jsonl and 297 more files" ',
    )
  })

  test('one case per check: failed, skipped, skipped, passed; and one for the record that was skipped', () => {
    const xml = written('junit')
    expect(xml).toContain('tests="5" failures="1" skipped="3"')
    expect(xml).toContain('<testcase classname="rollout-inspector" name="T05 Title of T05" time="0"/>')
    expect(xml).toContain('<skipped message="the dump does not carry attention masks"/>')
    expect(xml).toMatch(
      /name="M01 Title of M01" time="0"><failure message="12 of 256 rollouts \(4\.7 %\)[^"]*" type="error">/,
    )
  })

  test('what could not be read beside what was is a case that is skipped, with its places', () => {
    const [first] = report().sources
    const whole = { ...first!, skipped: [] }
    const damaged = {
      ...whole,
      name: 'broken.jsonl',
      unreadable: { code: 'no-record', message: 'no record <could> be read' },
    }
    expect(written('junit', report({ sources: [whole] }))).not.toContain('can be read')
    const [, body = ''] =
      /name="Every record can be read" time="0">(.*?)<\/testcase>/s.exec(
        written('junit', report({ sources: [first!, damaged] })),
      ) ?? []
    expect(body).toBe(
      '<skipped message="1 file and 1 record could not be read"/><system-out>broken.jsonl: no record &lt;could&gt; be read\n' +
        'step 12.jsonl: record 17 (line 18): at byte 3: a comma is missing</system-out>',
    )
  })

  test('verdicts are a suite of their own that fails nothing', () => {
    const xml = written('junit')
    expect(xml).toContain('<testsuites name="rollout-inspector" tests="7" failures="1" time="0">')
    expect(xml).toContain('<testsuite name="verdicts" tests="2" failures="0" skipped="1" time="0">')
    const [, supported = ''] = /name="H02 Token masking errors" time="0">(.*?)<\/testcase>/s.exec(xml) ?? []
    for (const part of ['supported, high confidence', 'trained share of tool tokens: 31.4 %', 'contradicted if 0 %']) {
      expect(supported).toContain(part)
    }
    expect(xml).toMatch(/name="H01 Reward scaling" time="0"><skipped message="lacks rewards"\/><system-out>/)
  })

  test('what does not fail inspect fails no case', () => {
    expect(written('junit', report(), { failOn: 'none', known: new Set() })).not.toContain('<failure')
    const known = written('junit', report(), { failOn: 'error', known: new Set(['M01-1']) })
    expect(known).toContain('<testsuites name="rollout-inspector" tests="7" failures="0" time="0">')
    expect(known).not.toContain('<failure')
  })

  test('a failing check whose findings were cut from the list still fails, and says where they are', () => {
    const xml = written('junit', report({ findings: [], findings_omitted: 13 }))
    expect(xml).toContain('failures="1"')
    const [, failure = ''] = /<failure[^>]*>(.*?)<\/failure>/s.exec(xml) ?? []
    expect(failure).toBe(
      'None of its findings is in the list. The report lists 0 findings and leaves 13 out; the counts include them.',
    )
  })

  test('findings that were cut from the list are a property of the suite, and none where all are listed', () => {
    expect(written('junit', report({ findings_omitted: 1845 }))).toContain(
      '<property name="findings_omitted" value="The report lists 2 findings and leaves 1,845 out; the counts include them."/>',
    )
    expect(written('junit')).not.toContain('findings_omitted')
  })

  test('a failure lists its first findings by where they are, and says how many more there are', () => {
    const findings = Array.from({ length: 23 }, (_, at) =>
      finding('M01', { record: at, line: at + 1, message: `fault ${at}`, fingerprint: `M01-${at}` }),
    )
    const [, failure = ''] = /<failure[^>]*>(.*?)<\/failure>/s.exec(written('junit', report({ findings }))) ?? []
    const lines = failure.split('\n')
    expect(lines[0]).toBe('record 0, rollout q3, turn 2, tokens 410–654, line 1: fault 0')
    expect(lines).toHaveLength(21)
    expect(lines.at(-1)).toBe('and 3 more')
  })

  test('what the program says itself is text as well: titles name tokens, which look like tags', () => {
    const title = 'The end <|im_end|> & its "header"'
    const own = report({
      checks: report().checks.map((check) => ({ ...check, title, reason: check.reason === null ? null : title })),
      hypotheses: report().hypotheses.map((verdict) => ({ ...verdict, title, missing: [title] })),
      thresholds: { [title]: { value: 1, default: 2 } },
    })
    const xml = written('junit', own)
    expect(xml).not.toMatch(/<\||& /)
    expect(xml.match(/The end &lt;\|im_end\|&gt; &amp; its &quot;header&quot;/g)?.length).toBeGreaterThan(8)
  })
})
