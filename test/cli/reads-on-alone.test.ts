import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { writeBenchDump } from '../bench/dump.ts'

const DIST = resolve('dist')

describe.skipIf(!existsSync(join(DIST, 'cli', 'main.js')))(
  'the built command, whose thread that reads ahead breaks',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'inspector-alone-'))
    afterAll(() => rmSync(folder, { recursive: true }))

    test('says so, once, and gives the same report', () => {
      writeFileSync(join(folder, 'package.json'), '{ "name": "rollout-inspector", "type": "module" }')
      cpSync(join(DIST, 'cli'), join(folder, 'dist', 'cli'), { recursive: true })
      symlinkSync(join(DIST, 'tokenizers'), join(folder, 'dist', 'tokenizers'))
      writeFileSync(join(folder, 'dist', 'cli', 'scan-worker.js'), 'throw new Error("spoiled")')
      const dump = join(folder, 'dump.jsonl')
      // Threads are started for more than 8 MiB.
      writeBenchDump(dump, 9 << 20)
      const inspect = (jobs: string) => {
        const report = join(folder, `${jobs}.json`)
        const parameters = ['inspect', dump, '--checks', 'M01', '--jobs', jobs, '--json', report]
        const { stderr } = spawnSync(process.execPath, [join(folder, 'dist', 'cli', 'main.js'), ...parameters])
        return { stderr: stderr.toString(), report: readFileSync(report, 'utf8') }
      }
      const [alone, broken] = [inspect('1'), inspect('2')]
      expect(broken.report).toBe(alone.report)
      expect(alone.stderr).toBe('')
      expect(broken.stderr.split('The thread that reads ahead stopped')).toHaveLength(2)
      expect(broken.stderr).toContain('spoiled')
    })
  },
)
