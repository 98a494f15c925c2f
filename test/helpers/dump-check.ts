import type { DumpView } from '../../shared/checks/check.ts'
import { checkByCode } from '../../shared/checks/registry.ts'
import { runDumpCheck } from './at-once.ts'

/** What the part of a check that looks at the whole dump says. */
export function runOver(code: string, dump: DumpView) {
  const check = checkByCode(code)
  if (check === null) throw new Error(`no check ${code}`)
  return runDumpCheck(check, dump)
}
