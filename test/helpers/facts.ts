import type { AuditSettings, DumpView } from '../../shared/checks/check.ts'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { buildGroups } from '../../shared/checks/grouping/group-views.ts'
import type { AuditOptions } from '../../shared/model/policy.ts'
import type { Limits } from '../../shared/model/streams.ts'
import { resolveThresholds } from '../../shared/model/thresholds/registry.ts'
import { declaredLimits, resolveGroupSize, resolveLimits } from './at-once.ts'

/** A plain rollout of two assistant turns that ended properly: 100 prompt tokens, 200 in all, 60 trained. */
export function factsOf(record: number, more: Partial<TrajectoryFacts> = {}): TrajectoryFacts {
  return {
    place: { source: 0, record, part: 0 },
    id: String(record),
    recordHash: record.toString(16).padStart(16, '0'),
    group: null,
    branchOf: null,
    groupSize: null,
    step: null,
    reward: null,
    rewards: null,
    advantage: null,
    maxAdvantage: more.advantage === undefined || more.advantage === null ? null : Math.abs(more.advantage),
    length: 200,
    realLength: 200,
    promptLength: 100,
    trained: 60,
    masked: 140,
    padding: 0,
    unknown: 0,
    weight: 60,
    turns: 5,
    assistantTurns: 2,
    toolTurns: 1,
    endReason: 'stop',
    finishReason: null,
    isTruncated: null,
    excluded: false,
    model: null,
    assistantLengths: [30, 30],
    toolReplyLengths: [40],
    lost: 0,
    supportingDocuments: null,
    idsHash: record.toString(16).padStart(16, 'a'),
    promptHash: null,
    strip: new Uint8Array(0),
    ...more,
  }
}

/** Groups `g0`, `g1` … of rollouts with these rewards, in order. */
export function groupFacts(
  rewards: readonly (readonly number[])[],
  more: (reward: number, group: number, member: number) => Partial<TrajectoryFacts> = () => ({}),
): TrajectoryFacts[] {
  let record = 0
  return rewards.flatMap((group, index) =>
    group.map((reward, member) => factsOf(record++, { group: `g${index}`, reward, ...more(reward, index, member) })),
  )
}

export function dumpOf(
  facts: readonly TrajectoryFacts[],
  more: {
    readonly options?: AuditOptions
    readonly limits?: Partial<Limits>
    readonly alignmentUndecided?: boolean
    readonly groupsByOrder?: boolean
  } = {},
): DumpView {
  const { options = {}, limits = {} } = more
  const thresholds = resolveThresholds(options.thresholds)
  const settings: AuditSettings = {
    options,
    policy: {
      id: options.policy ?? 'rl',
      origin: options.policy === undefined ? 'default' : 'given',
      evidence: [],
      intended: [],
      suggested: null,
      mask_alignment: 'token',
    },
    alignment: 'token',
    alignmentUndecided: more.alignmentUndecided ?? false,
    limits,
    thresholds,
  }
  const grouping = { groupSize: options.groupSize ?? null, groupsByOrder: more.groupsByOrder ?? false }
  const declared = declaredLimits({ ...options.limits, ...limits }, facts)
  const { byRollout, leftOut } = declared
  return {
    settings,
    streams: new Set(),
    facts,
    groups: buildGroups(facts, grouping),
    groupSize: resolveGroupSize(facts, grouping),
    limits: resolveLimits(settings, { ...declared.limits, ...limits }, facts, byRollout),
    ...(byRollout === null ? {} : { limitsByRollout: byRollout }),
    ...(leftOut === null ? {} : { limitsLeftOut: leftOut }),
  }
}
