import type { DumpView } from '../../shared/checks/check.ts'
import { buildGroups } from '../../shared/checks/grouping/group-views.ts'
import { CHECKS } from '../../shared/checks/registry.ts'
import type { HypothesisInput } from '../../shared/hypotheses/hypothesis.ts'
import { STREAMS, type Stream } from '../../shared/model/streams.ts'
import { Expected, Provenance } from '../../shared/model/tokens.ts'
import type { Trajectory } from '../../shared/model/trajectory.ts'
import { checkResult } from '../../shared/session/concluding/check-result.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { auditTrajectories } from '../checks/audit.ts'
import { resolveGroupSize, resolveLimits } from '../helpers/at-once.ts'

/** What a session hands to `judge` for these trajectories, made by every check and the two oracles. */
export function inputOf(trajectories: readonly Trajectory[], tokenizer: Tokenizer): HypothesisInput {
  const { byCode, views, settings } = auditTrajectories(trajectories, tokenizer)
  const facts = views.map((view) => view.facts)
  const grouping = { groupSize: null, groupsByOrder: false }
  const dump: DumpView = {
    settings,
    streams: new Set<Stream>(STREAMS),
    facts,
    groups: buildGroups(facts, grouping),
    groupSize: resolveGroupSize(facts, grouping),
    limits: resolveLimits(settings, Object.assign({}, ...trajectories.map(({ limits }) => limits ?? {})), facts),
  }
  const checks = CHECKS.map((check) => {
    const { tally, abstained } = byCode.get(check.code)!
    return checkResult(check, tally, [], abstained, settings, 0n, undefined)
  })
  let totalWeight = 0
  let unsampledWeight = 0
  for (const { mask, expected, provenance } of views) {
    for (const [token, trained] of mask?.entries() ?? []) {
      if (trained !== 1) continue
      totalWeight++
      if (expected?.[token] === Expected.masked && provenance?.[token] !== Provenance.sampled) unsampledWeight++
    }
  }
  return { dump, checks, streams: new Set<Stream>(STREAMS), totalWeight, unsampledWeight, untrainedShare: null }
}
