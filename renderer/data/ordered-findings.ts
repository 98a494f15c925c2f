import { useMemo } from 'react'
import { causesFirst } from '../../shared/hypotheses/causes.ts'
import type { Finding } from '../../shared/model/report.ts'
import type { TrajectoryDetail } from '../../shared/session/protocol.ts'
import { useFiles } from '../state/files.ts'
import { type SelectionState, useSelection } from '../state/selection.ts'

/** The findings of a rollout, causes before what follows from them. */
export function useOrderedFindings({ findings }: Pick<TrajectoryDetail, 'findings'>): readonly Finding[] {
  const report = useFiles((files) => files.report)
  return useMemo(() => (report === null ? findings : causesFirst(findings, report)), [findings, report])
}

/** The same where nothing is drawn. */
export function orderedFindings({ findings }: Pick<TrajectoryDetail, 'findings'>): readonly Finding[] {
  const { report } = useFiles.getState()
  return report === null ? findings : causesFirst(findings, report)
}

/** The finding that was chosen, else the first of those whose range is marked. */
export function chosenFinding(
  findings: readonly Finding[],
  { finding, range }: Pick<SelectionState, 'finding' | 'range'>,
): Finding | undefined {
  return (
    findings.find(({ fingerprint }) => fingerprint === finding) ??
    findings.find(({ tokens }) => tokens !== null && tokens[0] === range?.[0] && tokens[1] === range[1])
  )
}

export function useChosenFinding(findings: readonly Finding[]): Finding | undefined {
  const finding = useSelection((state) => state.finding)
  const range = useSelection((state) => state.range)
  return chosenFinding(findings, { finding, range })
}
