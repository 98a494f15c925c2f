import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll } from 'vitest'
import type { Report } from '../../shared/model/report.ts'
import { commandLine } from './command-line.ts'
import { searchRollouts } from './dumps.ts'

const AUDITS = new Set(['inspect', 'show', 'export'])

/** Named, because choosing the tokenizer loads all families, which every run would pay for. */
export function withTokenizer(argv: readonly string[]): readonly string[] {
  return AUDITS.has(argv[0] ?? '') && !argv.includes('--tokenizer') ? [...argv, '--tokenizer', 'qwen2.5'] : argv
}

/** A folder of small dumps, sound ones, ones with faults and what is none, for the tests of one file; and the command line in it. */
export class DumpFolder {
  path = ''
  /** The lines of `faulty.jsonl`: six rollouts, of which q1 and q4 train on a tool's reply. */
  faulty: readonly string[] = []

  constructor() {
    beforeAll(() => this.make())
    afterAll(() => rm(this.path, { recursive: true }))
  }

  /** Runs a command there, with a tokenizer named. */
  readonly cli = (...argv: string[]) => commandLine(withTokenizer(argv), { directory: this.path })

  readonly reportOf = async (...argv: string[]): Promise<Report> =>
    JSON.parse((await this.cli('inspect', ...argv, '--json', '-')).out)

  private async make(): Promise<void> {
    this.path = await mkdtemp(join(tmpdir(), 'inspector-cli-'))
    this.faulty = await searchRollouts(6, [1, 4])
    const clean = await searchRollouts(6, [])
    const write = (name: string, content: string | Uint8Array) => writeFile(join(this.path, name), content)
    await write('faulty.jsonl', `${this.faulty.join('\n')}\n`)
    await write('faulty.jsonl.gz', gzipSync(`${this.faulty.join('\n')}\n`))
    await write('faulty.json', `[${this.faulty.join(',\n')}]`)
    await write('clean.jsonl', `${clean.join('\n')}\n`)
    await write('partly-bad.jsonl', `${clean[0]}\n{"input_ids": [1, 2\n${clean.slice(1).join('\n')}\n`)
    await write('notes.txt', 'no rollouts in here\n')
    await write('metadata.json', JSON.stringify({ model: 'Qwen/Qwen2.5-7B-Instruct', rollouts_per_example: 8 }))
    const ids = [151644, 872, 198, 9707, 151645, 198, 151644, 77091, 198, 13048, 151645]
    await write('unknown.jsonl', JSON.stringify({ sample: { toks: ids, flags: ids.map((_, i) => Number(i > 8)) } }))
    await write('empty.jsonl', '')
    await write(
      'binary.bin',
      Uint8Array.from({ length: 600 }, (_, i) => (i * 37) % 256),
    )
    await mkdir(join(this.path, 'nothing'))
  }
}
