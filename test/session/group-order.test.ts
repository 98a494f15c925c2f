import { expect, test } from 'vitest'
import { MemorySource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import { Session } from '../../shared/session/session.ts'
import { testTokenizerFiles } from '../helpers/tokenizers.ts'

const host = { ...nodeHost(1), bundledTokenizers: testTokenizerFiles }

/** Groups of two rollouts of one reward, of which A01 tells. */
function dump(groups: readonly string[]): Buffer {
  const rows = groups.flatMap((group_id, at) =>
    [0, 1].map((member) => ({ input_ids: [at, member, 7], loss_mask: [0, 1, 1], group_id, group_size: 2, reward: 1 })),
  )
  return Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
}

async function groupsTold(...files: readonly (readonly [string, Buffer])[]) {
  const sources = files.map(([name, bytes]) => new MemorySource(name, bytes))
  const session = await Session.open(sources, { checks: ['A01'] }, host)
  await session.done
  return session.report().findings.map(({ group }) => group)
}

test('findings of groups come as their groups do in the file', async () => {
  const groups = ['q', 'b', '10', '9', 'z', 'a', '0', 'm']
  expect(await groupsTold(['dump.jsonl', dump(groups)])).toEqual(groups)
})

test('findings of groups have one fingerprint in whatever order the rollouts of a group are written', async () => {
  const lines = dump(['q', 'b', 'm']).toString().trimEnd().split('\n')
  const fingerprints = async (rows: readonly string[]) => {
    const source = new MemorySource('dump.jsonl', Buffer.from(`${rows.join('\n')}\n`))
    const session = await Session.open([source], { checks: ['A01'] }, host)
    await session.done
    return session
      .report()
      .findings.map(({ fingerprint }) => fingerprint)
      .sort()
  }
  const known = await fingerprints(lines)
  expect(new Set(known).size).toBe(3)
  expect(await fingerprints(lines.toReversed())).toEqual(known)
  // Another rollout in a group is another group.
  const other = lines.with(0, lines[0]?.replace('[0,0,7]', '[0,9,7]') as string)
  expect((await fingerprints(other)).filter((each) => known.includes(each))).toHaveLength(2)
})

test('groups of one key in several files are told apart by the names of these', async () => {
  const [one, other] = [dump(['0', 'own']), dump(['0'])]
  expect(await groupsTold(['a.jsonl', one], ['b.jsonl', other])).toEqual(['0 (a.jsonl)', 'own', '0 (b.jsonl)'])
  // Of two folders.
  expect(await groupsTold(['a.jsonl', one], ['a.jsonl', other])).toEqual([
    '0 (a.jsonl, file 1)',
    'own',
    '0 (a.jsonl, file 2)',
  ])
})
