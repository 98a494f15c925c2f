import { describe, expect, it } from 'vitest'
import type { Report } from '../../shared/model/report.ts'
import { Session } from '../../shared/session/session.ts'
import { memorySource } from '../containers/memory-source.ts'
import type { FixtureDump } from '../fixtures/checks/fixture.ts'
import type { DefectFixture } from '../fixtures/defects/fixture.ts'
import { jsonl } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { testHost } from '../session/test-host.ts'

const modules = import.meta.glob<DefectFixture>('../fixtures/defects/[A-Z][0-9]*.ts', {
  eager: true,
  import: 'default',
})
const fixtures = Object.entries(modules).map(([path, fixture]) => ({
  name: (path.split('/').at(-1) as string).replace('.ts', ''),
  fixture,
}))

async function open(dump: FixtureDump): Promise<Session> {
  const text = jsonl(dump.rows(await testTokenizer(dump.family)))
  const options = { tokenizer: dump.family, ...(dump.policy ? { policy: dump.policy } : {}), ...dump.options }
  const session = await Session.open(
    [memorySource(new TextEncoder().encode(text), 1 << 20, 'dump.jsonl')],
    options,
    testHost(),
  )
  await session.done
  return session
}

function failing(report: Report): string[] {
  return report.checks.filter(({ status }) => status === 'fail').map(({ code }) => code)
}

describe.each(fixtures)('$name', ({ fixture: { id, shows, nearMiss } }) => {
  it(`is named: ${shows.story}`, async () => {
    const session = await open(shows)
    const report = session.report()
    expect(report.defects.map((defect) => defect.id).sort()).toEqual([id, ...(shows.beside ?? [])].sort())
    const defect = report.defects.find((each) => each.id === id)!
    expect(defect.symptoms.map(({ code }) => code)).toEqual(shows.symptoms)
    expect(defect.checks.every((code) => shows.symptoms.includes(code))).toBe(true)
    expect(`${defect.title}${defect.why}${defect.fix}${defect.cite}`).not.toMatch(/undefined|null/)
    for (const { code, affected } of defect.symptoms) {
      expect(affected).toBe(shows.partly?.[code] ?? report.checks.find((check) => check.code === code)!.affected)
    }
    const explained = report.defects.flatMap(({ symptoms }) => symptoms.map(({ code }) => code))
    expect(failing(report).filter((code) => !explained.includes(code))).toEqual(shows.unexplained ?? [])
    for (const finding of report.findings.filter(({ code }) => shows.partly?.[code] === undefined)) {
      expect(finding.defect !== undefined, finding.code).toBe(explained.includes(finding.code))
    }
    // A rollout that is looked at has the same, where the finding is one of a rollout.
    const first = report.findings.find(({ defect: owner, record }) => owner === id && record !== null)
    if (first === undefined) return
    const { findings } = await session.load(session.locate({ source: 0, record: first.record as number, part: 0 }))
    expect(findings.find(({ fingerprint }) => fingerprint === first.fingerprint)).toMatchObject({ defect: id })
  })

  it(`is not named: ${nearMiss.story}`, async () => {
    const report = (await open(nearMiss)).report()
    expect(report.defects.map((defect) => defect.id)).toEqual(nearMiss.beside ?? [])
  })
})
