import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeFrom, storedCode, THIS_NODE } from '../../cli/compiled/stored-code.ts'

const DIST = resolve('dist')

describe('compiled code that is kept', () => {
  const [code, source] = [Buffer.from('what V8 compiled'), Buffer.from('one + two')]
  const stored = storedCode(code, source)

  test('is the code again for the source that it was compiled of', () => {
    expect(codeFrom(stored, source)?.toString()).toBe('what V8 compiled')
  })

  test('is none for a source of the same length, nor for another Node', () => {
    expect(codeFrom(stored, Buffer.from('one - two'))).toBeNull()
    const patched = THIS_NODE.replace(/\d+/, (major) => String(Number(major) + 1))
    expect(codeFrom(storedCode(code, source, patched), source)).toBeNull()
    expect(codeFrom(storedCode(code, source, patched), source, patched)).not.toBeNull()
  })

  test('is none where a byte of it is another one, or is missing', () => {
    for (let at = 0; at < stored.length; at++) {
      const damaged = Buffer.from(stored)
      damaged[at] = (damaged[at] as number) ^ 0x40
      expect([at, codeFrom(damaged, source)]).toEqual([at, null])
      expect([at, codeFrom(stored.subarray(0, at), source)]).toEqual([at, null])
    }
  })
})

/** Runs in the process before the command: tells on standard error of each script whether it had compiled code, and whether V8 took it. */
const TELLING = `const vm = require('node:vm'), { Script } = vm, told = []
vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options)
    told.push(options.cachedData === undefined ? 'source' : this.cachedDataRejected ? 'rejected' : 'compiled')
  }
}
process.on('exit', () => console.error(JSON.stringify(told)))`

describe.skipIf(!existsSync(join(DIST, 'compiled')))('the built command line', () => {
  let folder: string
  let telling: string

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'inspector-compiled-'))
    telling = join(folder, 'telling.cjs')
    writeFileSync(telling, TELLING)
    writeFileSync(join(folder, 'package.json'), '{ "name": "rollout-inspector", "type": "module" }')
    for (const each of ['cli', 'compiled']) cpSync(join(DIST, each), join(folder, 'dist', each), { recursive: true })
  })

  afterAll(() => rmSync(folder, { recursive: true }))

  function checks(...flags: readonly string[]): { out: string; scripts: string[] } {
    const parameters = [...flags, '--require', telling, join(folder, 'dist', 'cli', 'main.js'), 'checks', '--json']
    const { status, stdout, stderr } = spawnSync(process.execPath, parameters, { encoding: 'utf8' })
    expect([status, JSON.parse(stdout).length > 50]).toEqual([0, true])
    return { out: stdout, scripts: [...new Set<string>(JSON.parse(stderr))] }
  }

  test('runs from what was compiled when it was built', () => {
    expect(checks().scripts).toEqual(['compiled'])
  })

  test('answers the same where V8 has other flags, which rejects it', () => {
    const { out, scripts } = checks('--no-opt')
    expect(scripts).toEqual(['rejected'])
    expect(out).toBe(checks().out)
  })

  test('answers the same where it is damaged, which would end the process, and where it is not there', () => {
    const { out } = checks()
    const kept = join(folder, 'dist', 'compiled')
    for (const path of readdirSync(kept, { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.code')) continue
      const bytes = readFileSync(join(kept, path))
      for (let at = 60; at < bytes.length; at += 50) bytes[at] = (bytes[at] as number) ^ 0x40
      writeFileSync(join(kept, path), bytes)
    }
    expect(checks()).toEqual({ out, scripts: ['source'] })
    rmSync(kept, { recursive: true })
    expect(checks()).toEqual({ out, scripts: ['source'] })
  })
})
