import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import {
  budgetFlag,
  collectSooner,
  engineFlags,
  growLess,
  judgingFlag,
  setYoungFlag,
  youngFlag,
} from '../../cli/engine-flags.ts'

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

test('the young generation is held small only where V8 is known to have the flag', () => {
  const flag = '--semi-space-growth-factor=1'
  expect(['10.2.154.26-node.36', '11.3.244.8-node.33', '14.6.202.34', '15.1.146'].map(youngFlag)).toEqual([
    null,
    flag,
    flag,
    null,
  ])
})

test('what is large leaves the young generation of a thread as small as it began, which V8 forgets as it makes one', async () => {
  const less = await youngOfThread(1 << 30)
  const usual = await youngOfThread((1 << 30) - 1)
  // On a busy machine a thread may grow once, to 4 MiB, before it is told.
  expect(less).toBeLessThan(6 << 20)
  expect(usual).toBeGreaterThan(8 << 20)
})

test('the V8 that runs this takes the flags, and would tell of one that it does not know', () => {
  const set = (flag: string) =>
    spawnSync(process.execPath, ['-e', `require('node:v8').setFlagsFromString('${flag}')`], { encoding: 'utf8' }).stderr
  expect(
    [
      ...engineFlags(process.versions.v8),
      ...[budgetFlag, judgingFlag, youngFlag].map((of) => of(process.versions.v8) ?? ''),
    ]
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

/** Makes what survives for as long as the young generation is held, and returns how large that has become, in bytes. */
const SURVIVES = `
  const { parentPort } = require('node:worker_threads')
  const kept = new Array(20_000)
  parentPort.once('message', () => {
    for (let i = 0; i < 2_000_000; i++) kept[i % kept.length] = { i, of: [i] }
    const young = require('node:v8').getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    parentPort.postMessage(young.space_size)
  })`

async function youngOfThread(bytes: number): Promise<number> {
  growLess(bytes)
  const worker = new Worker(SURVIVES, { eval: true })
  await once(worker, 'online')
  setYoungFlag()
  worker.postMessage(null)
  const [size] = await once(worker, 'message')
  await worker.terminate()
  return size as number
}

async function garbage(): Promise<WeakRef<Float64Array>> {
  const left = new WeakRef(new Float64Array(1000))
  // Who made a reference holds what it refers to until it has ended.
  await new Promise((resolve) => setTimeout(resolve))
  return left
}
