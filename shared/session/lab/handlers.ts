import type { ExportedTrajectory } from '../../exports/export-kind.ts'
import type { AuditOptions } from '../../model/policy.ts'
import type { Report } from '../../model/report.ts'
import type { EngineHandlers } from '../engine/handlers.ts'
import type { LabProgress, LabRequests, PolicyTried } from '../requests/lab.ts'
import { Lab, type LabOrigin } from './lab.ts'
import { rolloutRepair } from './rollout-repair.ts'

export interface LabHost {
  current(): LabOrigin & { load(index: number): Promise<ExportedTrajectory> }
  /** The report of all that is open, and that of the same files under other options, which are read beside it. */
  reportsUnder(
    change: Pick<AuditOptions, 'policy' | 'intend'>,
    signal: AbortSignal,
    tell: (progress: LabProgress) => void,
  ): Promise<{ readonly before: Report; readonly after: Report }>
}

export function labHandlers(host: LabHost): EngineHandlers<keyof LabRequests> {
  /** One for each session: what was found out about rollouts goes with them. */
  const labs = new WeakMap<LabOrigin, Lab>()
  const lab = () => {
    const open = host.current()
    let known = labs.get(open)
    if (known === undefined) labs.set(open, (known = new Lab(() => open)))
    return known
  }
  return {
    tryLimits: ({ limits, promptCut, completionPer, curve }, signal, tell) =>
      lab().limits(limits, { promptCut, completionPer }, curve, { signal, tell }),
    tryLoss: (settings, signal, tell) => lab().loss(settings, { signal, tell }),
    tryRepair: (_, signal, tell) => lab().repair({ signal, tell }),
    repairOf: async ({ index }) => rolloutRepair(index, await host.current().load(index)),
    async tryPolicy({ policy, intend }, signal, tell) {
      const { before, after } = await host.reportsUnder({ policy, intend }, signal, tell)
      return difference(before, after)
    },
  }
}

const COUNTED = ['status', 'affected', 'intended'] as const

function difference(before: Report, after: Report): PolicyTried {
  const checks = before.checks.flatMap((check) => {
    const other = after.checks.find(({ code }) => code === check.code)
    if (other === undefined || COUNTED.every((count) => other[count] === check[count])) return []
    const shown = ({ status, affected, checked, intended }: typeof check) => ({ status, affected, checked, intended })
    return { code: check.code, title: check.title, before: shown(check), after: shown(other) }
  })
  const verdicts = before.hypotheses.flatMap(({ id, title, verdict }) => {
    const other = after.hypotheses.find((each) => each.id === id)
    return other === undefined || other.verdict === verdict ? [] : { id, title, before: verdict, after: other.verdict }
  })
  return { policy: after.policy, checks, verdicts }
}
