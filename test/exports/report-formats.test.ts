import { describe, expect, test } from 'vitest'
import { defectPlacesText, groupsText, placesText } from '../../shared/exports/phrases.ts'
import { REPORT_FORMATS } from '../../shared/exports/report-formats.ts'
import type { Report } from '../../shared/model/report.ts'
import { finding, HOSTILE, judgement, ofFiles, report, written } from './report-fixture.ts'

/** A report in which everything is hostile that comes from a dump, or from a report that was merged. */
function hostile(): Report {
  const plain = report()
  return {
    ...plain,
    sources: plain.sources.map((source) => ({
      ...source,
      name: HOSTILE,
      container: HOSTILE,
      drift: [HOSTILE],
      skipped: [{ record: 1, line: null, byte: 0, code: 'bad-json', message: HOSTILE }],
      format: { id: HOSTILE, version: HOSTILE, confidence: 1, evidence: [HOSTILE] },
    })),
    logs: [
      {
        ...{ name: HOSTILE, bytes: 1, kind: HOSTILE, title: HOSTILE, evidence: HOSTILE, notes: [HOSTILE] },
        series: [{ name: HOSTILE, metric: 'reward', steps: [1], values: [0.5] }],
        others: [HOSTILE],
      },
    ],
    tokenizer: { id: HOSTILE, origin: 'file', confidence: 1, evidence: [HOSTILE] },
    findings: [finding('M01', { message: HOSTILE, trajectory: HOSTILE, group: HOSTILE })],
  }
}

describe('groups', () => {
  const given = report()
  const of = (complete: number) => ({ ...given, aggregates: { groups: { complete } } })

  test('that are left out are told', () => {
    expect(groupsText(of(3))).toBe('32 groups, 3 of them complete')
    for (const all of [0, 32]) expect(groupsText(of(all))).toBe('32 groups')
    // A report that was made elsewhere need not have the sums.
    expect(groupsText({ ...given, aggregates: {} })).toBe('32 groups')
  })
})

describe('SARIF', () => {
  test('names rules, places and fingerprints', () => {
    const log = JSON.parse(written('sarif'))
    expect(log.version).toBe('2.1.0')
    const [run] = log.runs
    expect(run.tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(['M01', 'M15', 'T04', 'T05'])
    const [m01] = run.tool.driver.rules
    expect(m01.help.markdown).toMatch(/^# M01 [\s\S]*## Usual fix/)
    expect(m01.help.text).toContain('What trips it:')
    expect(run.artifacts[0]).toMatchObject({
      location: { uri: 'step%2012.jsonl' },
      hashes: { 'sha-256': 'ab'.repeat(32) },
    })
    expect(run.results[0]).toMatchObject({
      ruleId: 'M01',
      ruleIndex: 0,
      level: 'error',
      message: { text: '245 tokens of a tool reply carry loss' },
      partialFingerprints: { 'rolloutInspector/v1': 'M01-1' },
      properties: { record: 12, turn: 2, tokens: [410, 655] },
    })
    expect(run.results[0].suppressions).toBeUndefined()
    expect(run.results[0].baselineState).toBeUndefined()
    expect(run.results[1].suppressions).toHaveLength(1)
  })

  test('points at the line of the record, and of every member of a group', () => {
    const members = [
      { source: 0, record: 4, part: 0, trajectory: 'q4', line: 5 },
      { source: 0, record: 5, part: 0, trajectory: 'q5', line: 7 },
    ]
    const group = finding('A01', { record: null, part: null, trajectory: null, turn: null, tokens: null, members })
    const lineless = finding('M01', { fingerprint: 'M01-3' })
    const findings = [finding('M01', { line: 18 }), group, lineless]
    const [row, whole, none] = JSON.parse(written('sarif', report({ findings }))).runs[0].results
    expect(row.locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: 'step%2012.jsonl', index: 0 },
      region: { startLine: 18 },
    })
    expect(whole.locations[0].physicalLocation.region).toEqual({ startLine: 5 })
    expect(
      whole.relatedLocations.map(({ id, physicalLocation }: { id: number; physicalLocation: { region: unknown } }) => [
        id,
        physicalLocation.region,
      ]),
    ).toEqual([
      [0, { startLine: 5 }],
      [1, { startLine: 7 }],
    ])
    expect(none.locations[0].physicalLocation.region).toBeUndefined()
  })

  test('shortens ids and quotations that fill a file, and keeps what others have and every fingerprint', () => {
    const [id, group] = ['i'.repeat(20_000), 'g'.repeat(20_000)]
    const members = Array.from({ length: 8 }, (_, record) => ({ source: 0, record, part: 0, trajectory: id }))
    const long = { trajectory: id, group, message: `${group} has no contrast` }
    const findings = [
      finding('M01', long),
      finding('A01', { ...long, record: null, part: null, members, fingerprint: 'A01-1' }),
      finding('M01', { trajectory: 'i'.repeat(200), group: null, message: 'm'.repeat(2000), fingerprint: 'M01-2' }),
    ]
    const text = written('sarif', report({ findings }))
    expect(text.length).toBeLessThan(written('sarif').length + 20_000)
    const { results } = JSON.parse(text).runs[0]
    expect(results[0].properties.trajectory).toBe(`${'i'.repeat(200)}… (20,000 characters)`)
    expect(results[0].properties.group).toMatch(/^g{200}… /)
    expect(results[0].message.text).toBe(`${'g'.repeat(1999)}…`)
    expect(results[1].relatedLocations[7].message.text).toMatch(/^rollout i{200}… \(20,000 characters\), record 7$/)
    expect(results[2].properties).toMatchObject({ trajectory: 'i'.repeat(200), group: null })
    expect(results[2].message.text).toBe('m'.repeat(2000))
    expect(results.map(({ partialFingerprints }: { partialFingerprints: object }) => partialFingerprints)).toEqual(
      findings.map(({ fingerprint }) => ({ 'rolloutInspector/v1': fingerprint })),
    )
  })

  test('holds the verdicts, what was skipped, and what could not look', () => {
    const [run] = JSON.parse(written('sarif')).runs
    expect(run.properties.verdicts).toEqual(report().hypotheses)
    const [invocation] = run.invocations
    expect(invocation.executionSuccessful).toBe(true)
    expect(invocation.toolExecutionNotifications).toEqual([
      expect.objectContaining({ level: 'warning', message: { text: expect.stringContaining('a comma is missing') } }),
    ])
    expect(invocation.toolExecutionNotifications[0].locations[0].physicalLocation.region).toEqual({ startLine: 18 })
    expect(invocation.toolConfigurationNotifications).toEqual([
      {
        level: 'note',
        message: { text: 'the dump does not carry attention masks' },
        associatedRule: { id: 'M15', index: 1 },
      },
    ])
  })

  test.each(['\ud800.jsonl', 'a:b/c d.jsonl', ''])('a file named %j is a URI reference', (name) => {
    const plain = report()
    const sources = plain.sources.map((source) => ({ ...source, name }))
    const { uri } = JSON.parse(written('sarif', { ...plain, sources })).runs[0].artifacts[0].location
    expect(uri).toMatch(/^([\w.~!*'()/-]|%[0-9A-F]{2})*$/)
  })

  test('tells what the baseline has', () => {
    const log = JSON.parse(written('sarif', report(), { failOn: 'error', known: new Set(['M01-2']) }))
    expect(log.runs[0].results.map(({ baselineState }: { baselineState: string }) => baselineState)).toEqual([
      'new',
      'unchanged',
    ])
  })
})

describe('where nothing could be read', () => {
  const unread = ['Nothing could be read.', 'a <b>.jsonl is empty (0 bytes).', `${HOSTILE} holds no rollouts.`]
  const checks = report().checks.filter(({ status }) => status !== 'fail')
  const formOf = (id: string) =>
    REPORT_FORMATS.find((format) => format.id === id)!.write(report({ checks, findings: [] }), judgement, null, unread)

  test('SARIF has an invocation without success, and says why', () => {
    const [invocation] = JSON.parse(formOf('sarif')).runs[0].invocations
    expect(invocation.executionSuccessful).toBe(false)
    const [first] = invocation.toolExecutionNotifications
    expect(first.level).toBe('error')
    // The log of a run alone is judged, and has no source.
    expect(JSON.parse(written('sarif', report({ sources: [] }))).runs[0].invocations[0].executionSuccessful).toBe(true)
    expect(first.message.text).toMatch(/^Nothing could be read\. a <b>\.jsonl is empty \(0 bytes\)\. /)
  })

  test('JUnit has an error, counted in its suite and in all', () => {
    const xml = formOf('junit')
    expect(xml).toContain('<testsuites name="rollout-inspector" tests="6" failures="0" errors="1" time="0">')
    expect(xml).toContain('tests="4" failures="0" errors="1" skipped="2"')
    expect(xml).toContain(
      '<error message="Nothing could be read." type="error">a &lt;b&gt;.jsonl is empty (0 bytes).\n',
    )
    expect(written('junit')).not.toContain('errors=')
  })

  test.each(['markdown', 'html'])('%s says so, with what was read, and judges nothing', (id) => {
    const text = formOf(id)
    for (const part of ['Nothing could be read.', 'is empty (0 bytes).', 'holds no rollouts', 'a comma is missing']) {
      expect(text).toContain(part)
    }
    for (const part of ['What to do first', 'Token masking errors', 'No check fails']) expect(text).not.toContain(part)
    expect(text).not.toContain(id === 'html' ? '<script' : '\u001b')
  })
})

describe('what was declared', () => {
  const intended = report({
    policy: { ...report().policy, intended: ['M01', 'M15'] },
    checks: report().checks.map((check) => (check.code === 'M01' ? { ...check, intended: 64 } : check)),
  })

  test('faults that the policy means are told with how many there are', () => {
    expect(written('markdown', intended)).toContain('- Meant by the policy: M01 (64 rollouts), M15\n')
    expect(written('html', intended)).toContain('Intended: M01 (64 rollouts), M15.')
    expect(written('junit', intended)).toContain('<property name="intended" value="M01 (64 rollouts), M15"/>')
    for (const format of ['markdown', 'html', 'junit'])
      expect(written(format)).not.toMatch(/meant by|intended:|"intended"/i)
  })

  test('how findings stand to a baseline is told where one is given', () => {
    const compared = { ...judgement, baseline: { fresh: 1, known: 1234, gone: 0 } }
    const said = 'Against the baseline: 1 new finding, 1,234 known, 0 gone.'
    for (const format of ['markdown', 'html', 'junit']) {
      expect(written(format, report(), compared)).toContain(said)
      expect(written(format)).not.toContain('Against the baseline')
    }
  })
})

describe('Markdown and HTML', () => {
  test.each([
    'markdown',
    'html',
  ])('%s tells what was read, the verdict, the fault with its extent, and what is missing', (id) => {
    const text = written(id).replaceAll('\u00a0', ' ')
    for (const part of [
      'step 12.jsonl',
      'keys token_loss_mask, sample_loss_mask',
      'a comma is missing',
      'supported, high confidence',
      'trained share of tool tokens',
      '31.4 %',
      'contradicted if 0 % (now 31.4 %): trained share of tool tokens',
      'judged once there is: rewards',
      'verl trainer.rollout_data_dir=DIR',
      'Assistant header missing',
      '12 of 256 rollouts (4.7 %), sporadic, 40 of 4,096 places, 3,121 tokens with 1.5 % of the loss weight',
      'turn 2: 12',
      '245 tokens of a tool reply carry loss',
      'the dump does not carry attention masks',
    ]) {
      expect(text).toContain(part)
    }
  })

  test('Markdown tells what does not fit a format, and how a file was read', () => {
    const [first] = report().sources
    const text = written('markdown', report({ sources: [{ ...first!, notes: ['Two formats are as sure of it.'] }] }))
    expect(text).toContain(
      '  - `Two formats are as sure of it.`\n  - ``` unknown field `foo` in 256 records ```'.replaceAll('```', '``'),
    )
  })

  test('Markdown tells how many findings the list lacks, and does not call the rest the first of each', () => {
    const all = written('markdown')
    expect(all).toContain('The first finding of each:\n')
    expect(all).not.toContain('leaves')
    const [m01, ...others] = report().checks
    const checks = [m01!, { ...m01!, code: 'M02' }, ...others]
    const cut = written('markdown', report({ checks, findings_omitted: 845 }))
    expect(cut).toContain('The first finding of each that has one in the list:\n\n- M01: ')
    expect(cut).toContain('\nThe report lists 2 findings and leaves 845 out; the counts include them.\n')
    const none = written('markdown', report({ findings: [], findings_omitted: 847 }))
    expect(none).not.toContain('The first finding')
    expect(none).toContain('lists 0 findings and leaves 847 out')
  })

  test('Markdown tells files that are alike together, and of others the first: a comment on GitHub has 65,536 characters', () => {
    const alike = written('markdown', ofFiles(300))
    expect(alike).toContain(
      '- `step_1.jsonl` and 299 more files like it, the last `step_300.jsonl` (420 MB, jsonl+gzip, `nemo-rl`): 76,500 rollouts in 76,500 records\n',
    )
    expect(alike).not.toContain('step_2.jsonl')
    const apart = written('markdown', ofFiles(300, true))
    expect(apart).toContain('`step_20.jsonl`')
    expect(apart).not.toContain('`step_21.jsonl`')
    expect(apart).toContain('- and 280 more files\n')
    expect(apart.length).toBeLessThan(written('markdown').length + 20 * 600)
  })

  test('two counts of one check say of what each is', () => {
    const places = { checked: 282, affected: 186 }
    expect(placesText({ code: 'T05', places })).toBe('186 of 282 assistant turns')
    expect(placesText({ code: 'T04', places })).toBe('186 of 282 edges between turns')
    expect(defectPlacesText({ id: 'V2', places: { checked: 186, affected: 186 } })).toBe(
      '186 of 186 assistant turns after the first',
    )
    expect(placesText({ code: 'M01', places: { checked: 1, affected: 1 } })).toBe('1 of 1 place')
    expect(defectPlacesText({ id: 'V1', places })).toBe('186 of 282 places')
  })

  test('HTML loads nothing and runs nothing', () => {
    const html = written('html', hostile())
    expect(html).toContain("default-src 'none'")
    expect(html).not.toMatch(/<script|<td><\/td><script|\son\w+=|\sstyle=|href=(?!"?#)|src=/i)
  })

  test('Markdown keeps hostile text inside code spans', () => {
    const outside = written('markdown', hostile()).replace(/(`+) ?[^\n]*? ?\1(?!`)/g, '')
    expect(outside).not.toMatch(/<script|\]\(|@someone/)
  })

  test.each(REPORT_FORMATS.map(({ id }) => id))('%s lets no character through that a terminal obeys', (id) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through
    expect(written(id, hostile())).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  })
})

test('XML is well formed whatever the dump holds', () => {
  const xml = written('junit', hostile())
  // Every bracket left belongs to an element of ours.
  expect(
    xml.match(/<(?!\/?(testsuites|testsuite|testcase|failure|skipped|system-out|properties|property)\b|\?xml)/g),
  ).toBeNull()
  expect(xml.match(/&(?!(amp|lt|gt|quot|#39);)/g)).toBeNull()
})
