import { describe, expect, it } from 'vitest'
import { CHECKS, checkByCode } from '../../shared/checks/registry.ts'
import type { CheckFixture } from '../fixtures/checks/fixture.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { type Audit, auditDump } from './audit.ts'

const modules = import.meta.glob<CheckFixture>('../fixtures/checks/[A-Z][0-9][0-9].ts', {
  eager: true,
  import: 'default',
})
const fixtures = Object.entries(modules).map(([path, fixture]) => ({ code: path.slice(-6, -3), fixture }))

/** What a code says of a dump beyond what the policy intends. */
function faultsOf(audit: Audit, code: string) {
  return (audit.byCode.get(code)?.findings ?? []).filter(({ intended }) => !intended)
}

it('every fault of masks, templates and shapes has a fixture', () => {
  const codes = CHECKS.map(({ code }) => code).filter((code) => /^[MT]|^S03/.test(code))
  expect(codes.filter((code) => !fixtures.some((each) => each.code === code))).toEqual([])
})

describe.each(fixtures)('$code', ({ code, fixture }) => {
  const { trips, nearMiss, alsoTrips } = fixture

  it(`is tripped: ${trips.story}`, async () => {
    const audit = await auditDump(trips)
    const faults = faultsOf(audit, code)
    expect(faults.length).toBeGreaterThan(0)
    const severity = trips.severity ?? checkByCode(code)?.severity
    for (const fault of faults) {
      expect(fault.severity).toBe(severity)
      // A reward of NaN is called what it is.
      expect(fault.message).not.toMatch(code === 'A10' ? /undefined|null/ : /undefined|NaN|null/)
      expect(fault.fingerprint).toMatch(/^[0-9a-f]{16}$/)
    }
    if (trips.tokens) {
      const row = trips.rows(await testTokenizer(trips.family))[0]!
      expect(faults[0]!.tokens).toEqual(trips.tokens(row))
    }
  })

  it('trips nothing else', async () => {
    const audit = await auditDump(trips)
    expect(audit.failing.filter((each) => each !== code && !(each in (alsoTrips ?? {})))).toEqual([])
  })

  it('is one finding per trajectory and turn', async () => {
    const places = faultsOf(await auditDump(trips), code).map(({ record, part, turn }) => `${record} ${part} ${turn}`)
    expect(new Set(places).size).toBe(places.length)
  })

  it(`stays silent: ${nearMiss.story}`, async () => {
    expect(faultsOf(await auditDump(nearMiss), code)).toEqual([])
  })
})
