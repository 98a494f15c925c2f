import type { LimitName } from '../../model/streams.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import type { AuditSettings, DumpView } from '../check.ts'

/** A limit as evidence states it: the one in force for the run, else the one of the row; null where neither is known. */
export function limitOf(
  name: LimitName,
  { limits }: Pick<AuditSettings, 'limits'>,
  trajectory: Pick<Trajectory, 'limits'>,
): { readonly name: LimitName; readonly value: number } | null {
  const value = limits[name] ?? trajectory.limits?.[name] ?? null
  return value === null ? null : { name, value }
}

/** The limits of a run that are known, each with where it is known from. */
export function limitsInForce({ limits }: Pick<DumpView, 'limits'>): Partial<DumpView['limits']> {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== null))
}
