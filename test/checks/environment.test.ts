import { describe, expect, it } from 'vitest'
import { environmentFact } from '../../shared/checks/grouping/environment.ts'
import type { JsonObject, JsonValue } from '../../shared/containers/container.ts'
import { verifiersV1 } from '../../shared/formats/verifiers-v1.ts'
import { emptyTrajectory } from '../../shared/model/trajectory.ts'

const place = { source: 0, record: 0, part: 0, line: 1, byte: 0, length: 1 }
const named = (meta: JsonObject) =>
  environmentFact({ ...emptyTrajectory(place, '0123456789abcdef'), meta })?.environment ?? null

/** What an episode of one trace is told to be of. */
function ofEpisode(env: JsonValue): string | null {
  const nodes: JsonObject[] = [
    { message: { role: 'user', content: '' }, sampled: false, token_ids: [1], mask: [false] },
    { parent: 0, message: { role: 'assistant', content: '' }, sampled: true, token_ids: [2], mask: [true] },
  ]
  const task = { type: 'question', data: { prompt: 'Who?' }, key: '1' }
  const value: JsonObject = { id: 'e', env, task, ok: true, errors: [], traces: [{ version: 1, id: 't', task, nodes }] }
  const { trajectories } = verifiersV1.read(
    [{ record: 0, line: 1, byte: 0, length: 1, hash: '0123456789abcdef', value }],
    { source: 0, recognition: { confidence: 1, evidence: [], version: null } },
  )
  expect(trajectories).toHaveLength(1)
  return environmentFact(trajectories[0]!)?.environment ?? null
}

describe('the environment of an episode of verifiers 1', () => {
  it('is called as its run calls it, else by its id', () => {
    expect(ofEpisode({ id: 'owner/musique', name: 'musique-hard' })).toBe('musique-hard')
    expect(ofEpisode({ id: 'owner/musique' })).toBe('owner/musique')
    expect(ofEpisode({ id: 'owner/musique', name: '' })).toBe('owner/musique')
  })

  it('is unknown where nothing names it', () => {
    expect(ofEpisode({})).toBeNull()
    expect(ofEpisode({ id: 7, settings: { name: 'x' } })).toBeNull()
  })
})

it('the field before it in the list of names goes first, and a list of several names none', () => {
  expect(named({ env: { id: 'a', name: 'b' }, env_name: 'c' })).toBe('c')
  expect(named({ dataset: ['a'] })).toBe('a')
  expect(named({ dataset: ['a', 'b'] })).toBeNull()
  expect(named({ dataset: [null], env: null })).toBeNull()
})
