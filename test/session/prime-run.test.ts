import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { ByteSource } from '../../shared/model/source.ts'
import { memorySource } from '../containers/memory-source.ts'
import { audited } from './dumps.ts'

const FOLDER = new URL('../fixtures/joined/prime-rl-traces/', import.meta.url)

/** The folder of traces that a run leaves: a sealed chunk, a live one, what was learned later, and the indices of all. */
function run(): ByteSource[] {
  return readdirSync(FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(FOLDER.pathname.length))
    .map((name) => name.replace(/^\//, ''))
    .sort()
    .map((name) => memorySource(new Uint8Array(readFileSync(new URL(name, FOLDER))), 1 << 14, name))
}

test('a run of prime-rl is its stream, sealed and live; what is beside it counts no rollout', async () => {
  const session = await audited(run(), { tokenizer: 'qwen2.5' })
  expect(session.unreadable).toEqual([])
  expect(
    session
      .report()
      .sources.map(({ name, container, format, trajectories }) => [name, container, format?.version, trajectories]),
  ).toEqual([
    ['annotations/orchestrator.index.jsonl', 'jsonl', 'Index', 0],
    ['annotations/orchestrator/00000.jsonl', 'jsonl', 'Annotations', 0],
    ['annotations/trainer.index.jsonl', 'jsonl', 'Index', 0],
    ['annotations/trainer/00000.jsonl', 'jsonl', 'Annotations', 0],
    ['stream.index.jsonl', 'jsonl', 'Index', 0],
    ['stream/00000.jsonl.zst', 'jsonl+zstd', 'Episode', 4],
    ['stream/00001.jsonl', 'jsonl', 'Episode', 2],
  ])
  expect(session.facts.map(({ id }) => id)).toEqual(['t0', 't1', 't2', 't2.1', 't3', 't4'])
  expect(session.report().findings.filter(({ severity }) => severity !== 'info')).toEqual([])
})
