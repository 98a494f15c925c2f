import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { laterCompiling } from '../../cli/compile-later.ts'

it('asks V8 for what its version knows: of anything else it complains on standard error', () => {
  const flag = laterCompiling(process.versions.v8)
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
  const name = flag?.replace(/=.*/, '')
  if (name !== undefined) expect(known).toMatch(new RegExp(`^ *${name} `, 'm'))
  expect(laterCompiling('11.3.244.8-node.30')).toBe('--interrupt-budget=1000000')
  expect(laterCompiling('12.4.254.21-node.33')).toBe('--invocation-count-for-turbofan=12000')
})

it('leaves versions alone that were not measured', () => {
  expect(['1.1.2', '10.2.154.26-node.36', '13.6.233.10-node.28', '14.1'].map(laterCompiling)).toEqual([
    null,
    null,
    null,
    null,
  ])
})
