import { describe, expect, it } from 'vitest'
import type { Trajectory } from '../../shared/model/trajectory.ts'
import { findingsOf, search } from './findings-of.ts'

type Told = Partial<Pick<Trajectory, 'versions' | 'meta'>>

/** Severities of M03 in a rollout that searches once and of which this turn is masked, and whether versions are named. */
async function told(masked: 'call' | 'answer', of: (trajectory: Trajectory) => Told) {
  const rows = search({ [masked]: { train: false } })
  const findings = await findingsOf('M03', 'qwen2.5', rows, of)
  return findings.map(({ severity, message }) => `${severity}${/versions ([\d, ]*\d)/.exec(message)?.[1] ?? ''}`)
}

const listed = (weight_versions: readonly string[]) => () => ({ meta: { weight_versions } })

/** Versions of the tokens before and from the first trained one on. */
const byToken =
  (before: number, from: number) =>
  ({ mask }: Trajectory) => ({
    versions: Int32Array.from(mask as Uint8Array, (_, at) => (at < (mask as Uint8Array).indexOf(1) ? before : from)),
  })

describe('M03 of turns that an earlier version of the policy wrote', () => {
  it('is a note that names the versions, where all that is masked comes before what is trained', async () => {
    expect(await told('call', listed(['2', '3']))).toEqual(['info2, 3'])
    expect(await told('call', byToken(4, 5))).toEqual(['info4, 5'])
  })

  it('stays an error where one version sampled all, or a masked turn is not older than what is trained', async () => {
    expect(await told('call', () => ({}))).toEqual(['error'])
    expect(await told('call', listed(['3', '3']))).toEqual(['error'])
    expect(await told('call', byToken(5, 5))).toEqual(['error'])
    expect(await told('call', byToken(5, 4))).toEqual(['error'])
    expect(await told('answer', listed(['2', '3']))).toEqual(['error'])
  })

  it('names a few, whatever a record lists', async () => {
    const many = Array.from({ length: 200_000 }, (_, at) => `${at}`)
    const [{ message } = { message: '' }] = await findingsOf(
      'M03',
      'qwen2.5',
      search({ call: { train: false } }),
      listed(many),
    )
    expect(message).toContain('Policy versions 0, 1, 2, 3 and 199,996 more sampled')
    const [{ message: long } = { message: '' }] = await findingsOf(
      'M03',
      'qwen2.5',
      search({ call: { train: false } }),
      listed(['x'.repeat(100_000), '2']),
    )
    expect(long.length).toBeLessThan(400)
    expect(await told('call', () => ({ meta: { weight_versions: [Object.create(null), '2', '3'] } }))).toEqual([
      'info2, 3',
    ])
  })
})
