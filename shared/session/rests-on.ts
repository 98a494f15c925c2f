import type { RequestName } from './protocol.ts'

/** Requests that take the groups of the open run. */
export const RESTS_ON_GROUPS: ReadonlySet<RequestName> = new Set<RequestName>([
  'groupSummary',
  'groups',
  'groupRows',
  'group',
  'groupTable',
  'siblingTable',
  'groupMembers',
])

/** Requests that take the rollouts of both runs in pairs. */
export const RESTS_ON_PAIRS: ReadonlySet<RequestName> = new Set<RequestName>([
  'comparison',
  'pairs',
  'pairRows',
  'pair',
  'comparisonExport',
])

/** Requests whose answer leaves the page, or is laid beside one of everything: where judging was stopped it is taken up again for them. */
export const RESTS_ON_ALL: ReadonlySet<RequestName> = new Set<RequestName>(['export', 'tryPolicy'])

/** Requests that take groups, limits, verdicts, or what both runs say together. */
export const RESTS_ON_CONCLUSIONS: ReadonlySet<RequestName> = new Set<RequestName>([
  ...RESTS_ON_GROUPS,
  ...RESTS_ON_PAIRS,
  'tryLimits',
  'tryLoss',
  'tryRepair',
  ...RESTS_ON_ALL,
])
