import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testTokenizerPath } from '../helpers/tokenizers.ts'
import { commandLine } from './command-line.ts'
import { DumpFolder } from './dump-folder.ts'

const dumps = new DumpFolder()
const { cli, reportOf } = dumps

describe('--tokenizer', () => {
  test('a folder, and a model in the Hub cache', async () => {
    const model = join(dumps.path, 'my-tokenizer')
    await mkdir(model)
    for (const file of ['tokenizer.json', 'tokenizer_config.json'] as const) {
      await writeFile(join(model, file), await readFile(testTokenizerPath('qwen2.5', file)))
    }
    const given = await reportOf('faulty.jsonl', '--tokenizer', 'my-tokenizer')
    expect(given.tokenizer).toMatchObject({ id: 'my-tokenizer', origin: 'file' })
    expect(given.findings.map(({ code }) => code)).toEqual(['M01', 'M01'])

    const snapshots = join(dumps.path, 'hf', 'hub', 'models--Acme--Qwen-Tuned', 'snapshots')
    await mkdir(snapshots, { recursive: true })
    await symlink(model, join(snapshots, '0123abcd'))
    const cached = await commandLine(['inspect', 'faulty.jsonl', '--json', '-', '--tokenizer', 'Acme/Qwen-Tuned'], {
      directory: dumps.path,
      env: { HF_HOME: join(dumps.path, 'hf') },
    })
    expect(JSON.parse(cached.out).tokenizer).toMatchObject({ id: 'Acme/Qwen-Tuned', origin: 'cache' })
  })

  test('a tokenizer that is none is one clear sentence', async () => {
    const ran = await cli('inspect', 'faulty.jsonl', '--tokenizer', 'notes.txt')
    expect(ran.code).toBe(2)
    expect(ran.err).toMatch(/^--tokenizer notes\.txt: /)
    expect((await cli('inspect', 'faulty.jsonl', '--tokenizer', 'nothing')).err).toContain(
      'tokenizer.json does not exist',
    )
  })
})
