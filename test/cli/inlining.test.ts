import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { inliningFlag } from '../../cli/inlining.ts'

test('V8 is asked to inline less only in versions that are known to have the flag', () => {
  expect(
    ['10.2.154.26-node.36', '11.3.244.8-node.33', '12.4.254.21', '13.6.233.10', '14.1.146'].map(inliningFlag),
  ).toEqual([
    null,
    '--max-inlined-bytecode-size-cumulative=200',
    '--max-inlined-bytecode-size-cumulative=200',
    '--max-inlined-bytecode-size-cumulative=200',
    null,
  ])
})

test('the V8 that runs this takes the flag, and would tell of one that it does not know', () => {
  const set = (flag: string) =>
    spawnSync(process.execPath, ['-e', `require('node:v8').setFlagsFromString('${flag}')`], { encoding: 'utf8' }).stderr
  const flag = inliningFlag(process.versions.v8)
  expect(flag === null ? '' : set(flag)).toBe('')
  expect(set('--max-inlined-bytecode-size-of-nothing=200')).toContain('unrecognized flag')
})
