import { afterEach, describe, expect, it } from 'vitest'
import { orderedFindings } from '../../renderer/data/ordered-findings.ts'
import { openNothing, useFiles } from '../../renderer/state/files.ts'
import { NO_SECOND, useSecond } from '../../renderer/state/second.ts'
import type { Finding, Report } from '../../shared/model/report.ts'
import type { ComparedRun } from '../../shared/session/protocol.ts'

describe('findings of a rollout', () => {
  afterEach(() => {
    openNothing()
    useSecond.setState({ ...NO_SECOND, wanted: null })
  })

  it('stand in the order of the causes of their own run', () => {
    const findings = ['M01', 'T05'].map((code) => ({ code }) as Finding)
    const causes = { ids: ['T05', 'M01'], known: {} }
    useFiles.setState({ report: { checks: [], defects: [], findings: [] } as unknown as Report })
    useSecond.setState({ run: { causes } as unknown as ComparedRun })
    const codes = (run: 'open' | 'second') => orderedFindings({ findings, run }).map(({ code }) => code)
    // The open run has no cause, and leaves them as they are.
    expect(codes('open')).toEqual(['M01', 'T05'])
    expect(codes('second')).toEqual(['T05', 'M01'])
    useSecond.setState({ run: null })
    expect(codes('second')).toEqual(['M01', 'T05'])
  })
})
