import { FIRST_BRANCH, type Trajectory } from '../model/trajectory.ts'
import { earlierBranch } from './prime-streams.ts'

/**
 * A record that names its rollout and which branch of it it is, and has no flags of what was sampled. Replies that a later branch masks before the first that
 * it trains, and that have logprobs, are those of an earlier branch, as they are in the rows of prime-rl: in this record they are context. Null for any other.
 */
export function nativeBranch({
  rolloutId,
  branch,
  ids,
  mask,
  sampled,
  logprobs: { sampler },
}: Pick<Trajectory, 'rolloutId' | 'branch' | 'ids' | 'mask' | 'sampled' | 'logprobs'>): Partial<Trajectory> | null {
  if (rolloutId === null || branch === null || ids === null || sampled !== null || sampler === null) return null
  const own = branch === FIRST_BRANCH ? null : earlierBranch(ids, mask, sampler)
  if (own === null) return { mayBeBranch: true }
  // What has no logprob nobody sampled; a 0.0 is one.
  const ofBranch = (logprob: number, at: number) => (at < own.promptLength || Number.isNaN(logprob) ? 0 : 1)
  return { mayBeBranch: true, sampled: Uint8Array.from(sampler, ofBranch) }
}
