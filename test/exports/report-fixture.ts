import { REPORT_FORMATS } from '../../shared/exports/report-formats.ts'
import { type CheckResult, type Finding, REPORT_SCHEMA, type Report } from '../../shared/model/report.ts'
import { PARTS } from '../../shared/model/tokens.ts'

/** Text that would come alive in a terminal, in HTML, in XML and in Markdown. */
export const HOSTILE =
  '</td><script>alert(1)</script>\u001b[2J ]]> "\' `code` [link](https://example.org) @someone | \u202e'

export function finding(code: string, fields: Partial<Finding> = {}): Finding {
  return {
    code,
    severity: 'error',
    scope: 'turn',
    source: 0,
    record: 12,
    part: 0,
    trajectory: 'q3',
    group: '3',
    members: null,
    turn: 2,
    tokens: [410, 655],
    fingerprint: `${code}-1`,
    message: '245 tokens of a tool reply carry loss',
    evidence: {},
    ...fields,
  }
}

export function check(code: string, fields: Partial<CheckResult> = {}): CheckResult {
  return {
    code,
    name: code.toLowerCase(),
    title: `Title of ${code}`,
    hypotheses: ['H02'],
    severity: 'error',
    status: 'pass',
    needs: ['ids', 'mask'],
    reason: null,
    unit: 'trajectory',
    checked: 256,
    affected: 0,
    rate: 0,
    pattern: null,
    places: { checked: 4096, affected: 0 },
    affected_tokens: 0,
    affected_weight: 0,
    by_turn: {},
    by_turn_checked: {},
    by_boundary: {},
    intended: 0,
    ...fields,
  }
}

/** A dump of 256 rollouts: M01 fails, M15 cannot be checked, T04 has nothing to look at, T05 passes. */
export function report(fields: Partial<Report> = {}): Report {
  return {
    schema: REPORT_SCHEMA,
    tool: { name: 'rollout-inspector', version: '0.1.0' },
    sources: [
      {
        name: 'step 12.jsonl',
        bytes: 1_400_000,
        sha256: 'ab'.repeat(32),
        container: 'jsonl+gzip',
        format: {
          id: 'nemo-rl',
          version: null,
          confidence: 0.98,
          evidence: ['keys token_loss_mask, sample_loss_mask'],
        },
        records: 255,
        trajectories: 255,
        skipped: [{ record: 17, line: 18, byte: 40213, code: 'bad-json', message: 'at byte 3: a comma is missing' }],
        missing: ['logprobs.trainer'],
        drift: ['unknown field `foo` in 256 records'],
      },
    ],
    tokenizer: {
      id: 'qwen2.5',
      origin: 'bundled',
      confidence: 0.99,
      evidence: ['control ids stand where turns begin'],
    },
    policy: {
      id: 'rl',
      origin: 'default',
      evidence: [],
      intended: [],
      suggested: 'last-turn',
      mask_alignment: 'token',
    },
    limits: {
      max_prompt_length: null,
      max_completion_length: null,
      max_seq_len: { value: 4096, origin: 'inferred' },
      max_turns: null,
      max_tool_response_length: null,
    },
    totals: {
      trajectories: 256,
      groups: 32,
      turns: 1880,
      tokens: { total: 910_233, trained: 201_331, masked: 650_000, padding: 58_902, unknown: 0, lost: 7 },
      by_part: Object.fromEntries(PARTS.map((part) => [part, { total: 0, trained: 0 }])) as Report['totals']['by_part'],
      by_turn: { 1: { total: 0, trained: 0 } },
      by_tool: [],
    },
    checks: [
      check('M01', {
        status: 'fail',
        affected: 12,
        rate: 12 / 256,
        pattern: 'sporadic',
        places: { checked: 4096, affected: 40 },
        affected_tokens: 3121,
        affected_weight: 0.015,
        by_turn: { '0': 0, '1': 0, '2': 12 },
      }),
      check('M15', { status: 'not-checkable', reason: 'the dump does not carry attention masks' }),
      check('T04', { status: 'not-applicable', reason: 'nothing to look at' }),
      check('T05'),
    ],
    defects: [
      {
        id: 'V2',
        title: 'Assistant header missing',
        checks: ['T05'],
        places: { checked: 4096, affected: 4096 },
        why: 'Later turns lack it.',
        fix: 'Add it.',
        cite: 'verifiers#476',
        symptoms: [],
      },
    ],
    hypotheses: [
      {
        id: 'H02',
        title: 'Token masking errors',
        verdict: 'supported',
        confidence: 'high',
        because: [
          {
            measure: 'trained share of tool tokens',
            value: 0.3141592,
            threshold: 0,
            comparison: '>',
            checks: ['M01'],
            speaks: 'for',
          },
        ],
        missing: [],
        would_change: ['contradicted if 0 % (now 31.4 %): trained share of tool tokens'],
      },
      {
        id: 'H01',
        title: 'Reward scaling',
        verdict: 'not-checkable',
        confidence: 'low',
        because: [],
        missing: ['rewards'],
        would_change: ['judged once there is: rewards'],
        recorded_by: ['rewards: verl trainer.rollout_data_dir=DIR'],
      },
    ],
    findings: [finding('M01'), finding('M01', { record: 13, fingerprint: 'M01-2', intended: true })],
    findings_omitted: 0,
    aggregates: {},
    ...fields,
  }
}

export const judgement = { failOn: 'error', known: new Set<string>() } as const

export function written(
  id: string,
  of: Report = report(),
  judged: Parameters<(typeof REPORT_FORMATS)[number]['write']>[1] = judgement,
) {
  return REPORT_FORMATS.find((format) => format.id === id)!.write(of, judged)
}

/** A run of many files: alike but for their names, or each with a record of its own that was skipped. */
export function ofFiles(count: number, apart = false): Report {
  const [first] = report().sources
  const sources = Array.from({ length: count }, (_, at) => ({
    ...first!,
    name: `step_${at + 1}.jsonl`,
    ...(apart ? {} : { drift: [], skipped: [] }),
  }))
  return report({ sources })
}
