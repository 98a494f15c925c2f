import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { adviceOf } from '../../shared/hypotheses/advice.ts'
import type { Report } from '../../shared/model/report.ts'
import { FirstFault } from '../../shared/session/concluding/first-fault.ts'
import { Session } from '../../shared/session/session.ts'
import { memorySource } from '../containers/memory-source.ts'
import { testHost } from './test-host.ts'

const SAMPLE = join(import.meta.dirname, '..', '..', 'samples', 'verifiers-2025-08.jsonl.gz')

let report: Report
beforeAll(async () => {
  const session = await Session.open(
    [memorySource(gunzipSync(readFileSync(SAMPLE)), 1 << 16, 'run.jsonl')],
    {},
    testHost(),
  )
  await session.done
  report = session.report()
})

/** The fault of two reports in a row. */
function faultOf(of: Report) {
  const first = new FirstFault({ failOn: 'error', known: new Set() })
  expect(first.foundIn(of)).toBeNull()
  return first.foundIn(of)?.fault
}

it('is of what verdicts say is to be mended first, and not of what follows from it, where several stand at once', () => {
  const failing = report.findings.filter(({ severity }) => severity === 'error')
  const [step] = adviceOf(report).steps
  expect(failing[0]?.code).not.toBe(step?.cause?.lead.code)
  expect(faultOf(report)?.code).toBe(step?.cause?.lead.code)
})

it('is what follows from a cause where nothing else stands', () => {
  const [alone] = report.findings.filter(({ code, severity }) => code === 'L02' && severity === 'error')
  expect(alone).toBeDefined()
  expect(faultOf({ ...report, findings: [alone as (typeof report.findings)[number]] })?.code).toBe('L02')
})
