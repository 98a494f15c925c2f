import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { manifestText } from '../../shared/exports/manifest.ts'
import { openFile } from '../../shared/session/opening/open-file.ts'
import { openRunMetadata } from '../../shared/session/opening/run-context.ts'
import { memorySource } from '../containers/memory-source.ts'
import { testTokenizerPath } from '../helpers/tokenizers.ts'

it('a tokenizer of any size is called one', async () => {
  const bytes = readFileSync(testTokenizerPath('qwen2.5', 'tokenizer.json'))
  expect(bytes.length).toBeGreaterThan(4 << 20)
  const found = await openRunMetadata(memorySource(bytes, 1 << 16, 'model.json'))
  expect(found?.report.title).toMatch(/^tokenizer /)
})

it('another large file is not', async () => {
  const record = `{"version": "1.0", "input_ids": [${Array(100).fill(7)}], "text": "added_tokens"}\n`
  expect(await openRunMetadata(memorySource(record.repeat(20_000), 1 << 16, 'dump.jsonl'))).toBeNull()
})

it('a manifest of an export is called one, whatever its size', async () => {
  const row = { source: 0, record: 1, part: 0, trajectory: 'a', group: null, findings: ['M01'] }
  for (const rows of [1, 60_000]) {
    const text = [
      ...manifestText({
        schema: 'rollout-inspector.export/1',
        tool: { name: 'rollout-inspector', version: '0' },
        as: 'native',
        why: 'all',
        policy: 'rl',
        tokenizer: null,
        sources: [],
        files: [],
        trajectories: Array(rows).fill(row),
        notes: [],
      }),
    ].join('')
    expect(text.length > 4 << 20).toBe(rows > 1)
    const found = await openRunMetadata(memorySource(text, 1 << 16, 'manifest.json'))
    expect(found?.report.title).toBe('manifest of an export of this program')
    expect(found?.description).toBeNull()
  }
})

it('a file that says nothing of the run does not stand against one that does', async () => {
  const described = await openRunMetadata(
    memorySource('seq_len = 4096\n[model]\nname = "Qwen/Qwen3-8B"\n', 64, 'run/a.toml'),
  )
  const silent = await openRunMetadata(memorySource('{"_data_files": [], "_fingerprint": "1"}', 64, 'run/state.json'))
  expect(described?.description?.facts.limits).toEqual({ max_seq_len: 4096 })
  expect(silent?.report.kind).toBe('metadata')
  expect(silent?.description).toBeNull()
})

it('settings that are too long or too deep to be read are told as what they are', async () => {
  const settings = 'model:\n  name: Qwen/Qwen3-8B\nnum_generations: 8\n# of the run\nseq_len: 512\nenvironments:\n'
  const told = async (text: string, name = 'config.yaml') => {
    const { unreadable, descriptions } = await openFile(memorySource(text, 1 << 16, name), 0, {})
    return {
      unreadable: unreadable.map(({ code, message }) => [code, message.split(':')[0]]),
      read: descriptions.length,
    }
  }
  const long = settings + '  - {name: two-hop, seed: 1}\n'.repeat(6000)
  const sentence = ['settings-unread', 'config.yaml looks like settings in YAML and was not read']
  expect(long.length).toBeGreaterThan(128 << 10)
  expect(await told(long)).toEqual({ unreadable: [sentence], read: 0 })
  expect(await told(`---\n${settings}  deep: ${'['.repeat(101)}${']'.repeat(101)}\n`)).toEqual({
    unreadable: [sentence],
    read: 0,
  })
  expect(await told(long.repeat(30))).toEqual({ unreadable: [sentence], read: 0 })
  // What is read, and what is no settings at all.
  expect(await told(settings)).toEqual({ unreadable: [], read: 1 })
  for (const text of ['note: this is it\nIt was a dark and stormy night.\n', 'id,reward\n1,0.5\n', 'INFO: step 1\n']) {
    const { unreadable } = await told(text.repeat(11_000), 'notes.txt')
    expect(unreadable).toEqual([['not-json', 'notes.txt is text, but no JSON']])
  }
})
