import { describe, expect, it } from 'vitest'
import { CHECKS } from '../../shared/checks/registry.ts'
import type { Report } from '../../shared/model/report.ts'
import { Session } from '../../shared/session/session.ts'
import { memorySource } from '../containers/memory-source.ts'
import { sampleBytes } from '../samples/read-sample.ts'
import { testHost } from './test-host.ts'

async function reportOf(...names: readonly string[]): Promise<Report> {
  const sources = names.map((name) => memorySource(sampleBytes(name), 1 << 14, `${name}.jsonl.gz`))
  const session = await Session.open(sources, {}, testHost())
  await session.done
  return session.report()
}

/** What a report says is wrong, and what follows from it: each failing code with how badly, how regularly and how often. */
function digest(report: Report) {
  const failing = report.checks.filter(({ status }) => status === 'fail')
  return {
    failing: Object.fromEntries(
      failing.map(({ code, severity, pattern, affected, checked }) => [
        code,
        `${severity}, ${pattern}, ${affected} of ${checked}`,
      ]),
    ),
    defects: Object.fromEntries(
      report.defects.map(({ id, checks, places }) => [
        id,
        `${checks.join(' ')}: ${places.affected} of ${places.checked}`,
      ]),
    ),
    verdicts: Object.fromEntries(
      report.hypotheses.map(({ id, verdict, confidence }) => [
        id,
        verdict === 'not-checkable' ? verdict : `${verdict}, ${confidence}`,
      ]),
    ),
  }
}

/** No reference logprobs, a single run, and too few steps for a trend. */
const ONE_RUN = {
  H03: 'not-checkable',
  'H06-library': 'not-checkable',
  'H06-lora': 'not-checkable',
  H08: 'not-checkable',
}
const SOUND = { ...ONE_RUN, H01: 'contradicted, high', H02: 'contradicted, high', H04: 'contradicted, high' }

describe('verifiers-2025-08', () => {
  it('names every fault of that code, and nothing else', async () => {
    const report = await reportOf('verifiers-2025-08')
    expect(digest(report)).toEqual({
      failing: {
        M15: 'error, systematic, 96 of 96',
        L02: 'error, systematic, 73 of 73',
        T05: 'error, systematic, 96 of 96',
        T04: 'warning, systematic, 96 of 96',
        T07: 'error, systematic, 96 of 96',
        C03: 'warning, sporadic, 7 of 79',
        C04: 'warning, systematic, 23 of 96',
        C05: 'error, sporadic, 7 of 96',
        M04: 'info, sporadic, 23 of 96',
      },
      defects: {
        V1: 'M15: 543 of 543',
        V2: 'T05: 186 of 186',
        V3: 'T04: 203 of 203',
        V4: 'T07: 96 of 96',
        V10: 'C03: 7 of 7',
        V11: 'C04: 23 of 23',
      },
      verdicts: {
        ...ONE_RUN,
        H01: 'contradicted, high',
        H02: 'supported, high',
        H04: 'supported, high',
        H05: 'contradicted, high',
        H07: 'supported, high',
      },
    })
  })

  it('leaves no fault beside the defects: each finding has the one that explains it', async () => {
    const report = await reportOf('verifiers-2025-08')
    const symptoms = report.defects.map(({ id, symptoms }) => [
      id,
      symptoms.map(({ code, affected }) => `${code} ${affected}`).join(', '),
    ])
    expect(Object.fromEntries(symptoms)).toEqual({
      V1: 'M15 96, L02 73',
      V2: 'T05 96',
      V3: 'T04 96',
      V4: 'T07 96',
      V10: 'C03 7, C05 7',
      V11: 'C04 23, M04 23',
    })
    expect(report.defects.map(({ part_of }) => part_of ?? null)).toEqual([null, null, 'V2', null, null, null])
    expect(report.findings.filter(({ defect }) => defect === undefined)).toEqual([])
  })

  it('tells the dump as it is', async () => {
    const report = await reportOf('verifiers-2025-08')
    expect(report.tokenizer).toMatchObject({ id: 'qwen2.5', origin: 'bundled' })
    expect(report.policy).toEqual({
      id: 'rl',
      origin: 'default',
      evidence: [],
      intended: [],
      suggested: null,
      mask_alignment: 'token',
    })
    expect(report.limits).toEqual({
      max_prompt_length: { value: 768, origin: 'metadata' },
      max_completion_length: { value: 128, origin: 'inferred', per: 'turn' },
      max_seq_len: { value: 1024, origin: 'metadata' },
      max_turns: null,
      max_tool_response_length: null,
    })
    expect(report.totals).toMatchObject({ trajectories: 96, groups: 12 })
    // Overlong rows are cut and masked whole; the messages still hold what they lost.
    expect(report.totals.tokens.lost).toBe(1933)
    expect(report.sources).toMatchObject([
      { container: 'jsonl+gzip', format: { id: 'native' }, records: 96, skipped: [], drift: [] },
    ])
  })
})

describe('verifiers-2025-07', () => {
  it('names the trained headers and newlines, and nothing else', async () => {
    expect(digest(await reportOf('verifiers-2025-07'))).toEqual({
      failing: { M08: 'warning, systematic, 64 of 64', M11: 'warning, systematic, 64 of 64' },
      defects: { V5: 'M08 M11: 141 of 141' },
      verdicts: { ...SOUND, H02: 'supported, high', H05: 'contradicted, high', H07: 'inconclusive, medium' },
    })
  })

  it('names the doubled begin of text in the Llama run as well', async () => {
    const report = await reportOf('verifiers-2025-07-llama')
    expect(report.tokenizer.id).toBe('llama3')
    expect(digest(report)).toEqual({
      failing: { M08: 'warning, systematic, 32 of 32', T01: 'warning, systematic, 32 of 32' },
      defects: { V5: 'M08: 74 of 74', V6: 'T01: 32 of 32' },
      verdicts: {
        ...ONE_RUN,
        H01: 'contradicted, medium',
        H02: 'supported, medium',
        H04: 'contradicted, medium',
        H05: 'contradicted, medium',
        H07: 'inconclusive, medium',
      },
    })
  })
})

describe.each([
  { name: 'clean-qwen2.5', tokenizer: 'qwen2.5', later: 'contradicted, high' },
  { name: 'clean-qwen3-thinking', tokenizer: 'qwen3', later: 'contradicted, high' },
  { name: 'clean-gsm8k', tokenizer: 'qwen2.5', later: 'not-checkable' },
])('$name', ({ name, tokenizer, later }) => {
  it('is silent', async () => {
    const report = await reportOf(name)
    expect(digest(report)).toEqual({
      failing: {},
      defects: {},
      verdicts: { ...SOUND, H05: 'contradicted, high', H07: later },
    })
    expect(report.findings).toEqual([])
    expect(report.findings_omitted).toBe(0)
    expect(report.tokenizer.id).toBe(tokenizer)
    expect(report.policy.suggested).toBeNull()
    expect(report.totals.tokens).toMatchObject({ unknown: 0, lost: 0 })
  })

  it('was looked at by every check that has something to look at, and none lacks a stream', async () => {
    const { checks, sources } = await reportOf(name)
    expect(checks.map(({ code }) => code)).toEqual(CHECKS.map(({ code }) => code))
    const blind = checks.filter(({ status }) => status === 'not-checkable')
    // Each lacks what the report says is missing, but for A07, which wants the loss type declared, C11, which wants the dataset, L08, which wants more steps, and those that take one of several
    // streams: S01 position ids or sequence ids, T02 sampled flags or sampled ids.
    const missing: readonly string[] = sources[0]!.missing
    const unexplained = blind.filter(({ needs }) => !needs.some((stream) => missing.includes(stream)))
    expect(
      unexplained.map(({ code }) => code).filter((code) => !['A07', 'C11', 'L08', 'S01', 'T02'].includes(code)),
    ).toEqual([])
    const idle = checks.filter(({ status }) => status === 'not-applicable').map(({ code }) => code)
    // Unscaled advantages, no reported lengths, no trained row that a limit cut, no completion limit, no stored means, no mixture of experts, no BOS, no block of the template, no parallel calls, no Llama, no pad that ends
    // turns, no row that ends in a reply, no branches, no date, no control tokens in messages, no images;
    // no padding, tool or second turn where there is none.
    const always = [
      'A02',
      'A03',
      'A08',
      'C06',
      'C13',
      'L11',
      'L12',
      'M09',
      'M13',
      'M17',
      'S06',
      'T01',
      'T11',
      'T13',
      'T14',
      'T15',
      'T19',
    ]
    const more = {
      'clean-qwen2.5': ['M07'],
      'clean-qwen3-thinking': ['M12'],
      'clean-gsm8k': ['A11', 'C07', 'C08', 'M03', 'M05', 'M07', 'M11', 'M12', 'M18', 'T07', 'T12'],
    }
    expect(idle).toEqual([...always, ...more[name as keyof typeof more]].sort())
  })
})

it('the defects of a run are named beside a sound one as they are alone', async () => {
  const defectsOf = (report: Report) => report.defects.map(({ id, checks }) => [id, checks])
  const beside = await reportOf('clean-qwen2.5', 'verifiers-2025-08')
  expect(defectsOf(beside)).toEqual(defectsOf(await reportOf('verifiers-2025-08')))
})
