import { CHECKS } from '../../shared/checks/registry.ts'

/** They encode or render texts again, which has its own measure. */
const REENCODING: ReadonlySet<string> = new Set(['T02', 'T10', 'T11', 'T12', 'T13'])
export const CODES_WITHOUT_ENCODING = CHECKS.map(({ code }) => code).filter((code) => !REENCODING.has(code))
