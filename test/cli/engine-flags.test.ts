import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { budgetFlag, collectSooner, engineFlags, judgingFlag } from '../../cli/engine-flags.ts'

test('flags are set only in versions of V8 that are known to have them', () => {
  const flags = ['--max-inlined-bytecode-size-cumulative=200', '--heap-growing-percent=100']
  expect(
    ['10.2.154.26-node.36', '11.3.244.8-node.33', '12.4.254.21', '13.6.233.10', '14.6.202.34', '15.1.146', ''].map(
      engineFlags,
    ),
  ).toEqual([[], flags, flags, flags, flags, [], []])
})

test('a thread more makes V8 compile less only where it is known to have the flag', () => {
  const versions = ['10.2.154.26-node.36', '11.3.244.8-node.33', '12.4.254.21', '13.6.233.10', '']
  expect(versions.map(budgetFlag)).toEqual([null, '--interrupt-budget=135168', null, null, null])
})

test('judging makes V8 collect sooner only where it is known to have the flag', () => {
  const sooner = '--heap-growing-percent=20'
  expect(['10.2.154.26-node.36', '11.3.244.8-node.33', '13.6.233.10', '15.1.146'].map(judgingFlag)).toEqual([
    null,
    sooner,
    sooner,
    null,
  ])
})

test('the V8 that runs this takes the flags, and would tell of one that it does not know', () => {
  const set = (flag: string) =>
    spawnSync(process.execPath, ['-e', `require('node:v8').setFlagsFromString('${flag}')`], { encoding: 'utf8' }).stderr
  expect(
    [...engineFlags(process.versions.v8), budgetFlag(process.versions.v8) ?? '', judgingFlag(process.versions.v8) ?? '']
      .map(set)
      .join(''),
  ).toBe('')
  expect(set('--max-inlined-bytecode-size-of-nothing=200')).toContain('unrecognized flag')
})

test('what reading left of many rollouts is collected before they are judged, and what judging leaves with each fifth of it', async () => {
  const ofReading = await garbage()
  const tell = collectSooner(50_000)
  expect(ofReading.deref()).toBeUndefined()
  const ofJudging = await garbage()
  tell?.(0.1)
  expect(ofJudging.deref()).toBeDefined()
  // Whoever looked at it holds it until this task has ended.
  await new Promise((resolve) => setTimeout(resolve))
  tell?.(0.25)
  expect(ofJudging.deref()).toBeUndefined()
  const later = await garbage()
  tell?.(0.3)
  expect(later.deref()).toBeDefined()
})

test('few rollouts leave nothing that is worth a collection', () => {
  expect(collectSooner(49_999)).toBe(null)
})

async function garbage(): Promise<WeakRef<Float64Array>> {
  const left = new WeakRef(new Float64Array(1000))
  // Who made a reference holds what it refers to until it has ended.
  await new Promise((resolve) => setTimeout(resolve))
  return left
}
