import type { LogReport } from '../model/report.ts'
import type { AuditRuntime } from './audit/batch.ts'
import { Collected, type CollectedSource } from './audit/collected.ts'
import { DEFAULT_MAX_FINDINGS } from './concluding/conclude.ts'
import type { OpenSource, UnreadableFile } from './opening/open-source.ts'
import type { Survey } from './opening/survey.ts'

/** What is open, under what it is read, and what was found in it so far. */
export interface Reading {
  readonly opened: readonly OpenSource[]
  readonly unreadable: readonly UnreadableFile[]
  readonly logs: readonly LogReport[]
  readonly survey: Survey
  readonly runtime: AuditRuntime
  readonly collected: Collected
  /** Grows where sources get other numbers, or rollouts are let go of. */
  readonly rearranged: number
  /** How far reading is, which is asked for far more often than all that was found is put together. */
  soFar(): { readonly sources: readonly CollectedSource[]; readonly rollouts: number }
}

/** Sources that are read once, as they are. */
export function readOnce(
  opened: readonly OpenSource[],
  survey: Survey,
  beside: Pick<Reading, 'unreadable' | 'logs'>,
): Reading {
  const { plan, tokenizers } = survey
  const collected = new Collected(opened.length, plan.settings.options.maxFindings ?? DEFAULT_MAX_FINDINGS)
  return {
    ...beside,
    opened,
    survey,
    runtime: { plan, tokenizers: [...tokenizers] },
    collected,
    rearranged: 0,
    soFar: () => ({ sources: collected.sources, rollouts: collected.rollouts }),
  }
}
