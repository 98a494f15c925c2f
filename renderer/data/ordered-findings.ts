import { useMemo } from 'react'
import { causeOrder, causesFirst } from '../../shared/hypotheses/causes.ts'
import type { Finding } from '../../shared/model/report.ts'
import type { TrajectoryDetail } from '../../shared/session/protocol.ts'
import { useFiles } from '../state/files.ts'
import { useSecond } from '../state/second.ts'
import { type SelectionState, useSelection } from '../state/selection.ts'

type OfRun = Pick<TrajectoryDetail, 'findings' | 'run'>

/** The findings of a rollout, causes before what follows from them: those of its own run. */
export function useOrderedFindings({ findings, run }: OfRun): readonly Finding[] {
  const report = useFiles((files) => files.report)
  const ofSecond = useSecond((second) => second.run?.causes ?? null)
  const order = useMemo(
    () => (run === 'second' ? ofSecond : report === null ? null : causeOrder(report)),
    [run, ofSecond, report],
  )
  return useMemo(() => (order === null ? findings : causesFirst(findings, order)), [findings, order])
}

/** The same where nothing is drawn. */
export function orderedFindings({ findings, run }: OfRun): readonly Finding[] {
  const { report } = useFiles.getState()
  const ofSecond = useSecond.getState().run?.causes ?? null
  const order = run === 'second' ? ofSecond : report === null ? null : causeOrder(report)
  return order === null ? findings : causesFirst(findings, order)
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
