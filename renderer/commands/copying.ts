import { type CopiedTokens, findingMarkdown, textOf, tokensJson, tokensMarkdown } from '../../shared/exports/copied.ts'
import type { Finding } from '../../shared/model/report.ts'
import type { TrajectoryDetail } from '../../shared/session/protocol.ts'
import { copy } from '../data/clipboard.ts'
import { knownDetail } from '../data/details.ts'
import { chosenFinding, orderedFindings } from '../data/ordered-findings.ts'
import { useFiles } from '../state/files.ts'
import { useSecond } from '../state/second.ts'
import { rolloutOnScreen, useSelection } from '../state/selection.ts'
import { say } from '../state/view.ts'
import { counted } from '../text/numbers.ts'
import { turnOf } from '../views/rollout/edges.ts'

/** What a copy takes: the marked range, else the turn of the selected token, else the whole rollout. */
function taken(): CopiedTokens | null {
  const { token, range } = useSelection.getState()
  const detail = knownDetail(rolloutOnScreen())
  if (detail === null || detail.ids === null) {
    say(detail === null ? 'There is no rollout to copy' : 'This rollout has no token ids to copy')
    return null
  }
  const turn = token === null ? undefined : detail.segmentation?.turns[turnOf(detail, token)]
  const [start, end] = range ?? [turn?.start ?? 0, turn?.end ?? detail.ids.length]
  return { detail, ids: detail.ids, start, end }
}

async function copyTaken(as: (tokens: CopiedTokens) => string, said: (tokens: string) => string): Promise<void> {
  const tokens = taken()
  if (tokens !== null) await copy(as(tokens), said(counted(tokens.end - tokens.start, 'token')))
}

export async function copyIds(): Promise<void> {
  await copyTaken(
    ({ ids, start, end }) => `[${ids.subarray(start, end).join(', ')}]`,
    (tokens) => `The ids of ${tokens} copied`,
  )
}

export async function copyText(): Promise<void> {
  await copyTaken(textOf, (tokens) => `The text of ${tokens} copied`)
}

/** Of the marked tokens; null where none are. */
export function markedText(): string | null {
  const tokens = useSelection.getState().range === null ? null : taken()
  return tokens === null ? null : textOf(tokens)
}

export async function copyJson(): Promise<void> {
  await copyTaken(tokensJson, (tokens) => `${tokens} copied as JSON`)
}

export async function copyMarkdown(): Promise<void> {
  await copyTaken(tokensMarkdown, (tokens) => `${tokens} copied as Markdown`)
}

/** Copies the finding that was chosen or whose range is marked, else the one at the selected token, else the first of the rollout. */
export async function copyFindingHere(): Promise<void> {
  const { token, range, finding: chosen } = useSelection.getState()
  const detail = knownDetail(rolloutOnScreen())
  const findings = detail === null ? [] : orderedFindings(detail)
  const at = range?.[0] ?? token
  const marked = chosenFinding(findings, { finding: chosen, range })
  const around = findings.find(({ tokens }) => tokens !== null && at !== null && at >= tokens[0] && at < tokens[1])
  const finding = marked ?? around ?? findings[0]
  if (finding === undefined) say('This rollout has no finding to copy')
  else await copyFinding(finding)
}

export async function copyFinding(finding: Finding): Promise<void> {
  const markdown = markdownOf(finding)
  if (markdown !== null) await copy(markdown, `The finding ${finding.code} copied as Markdown`)
}

/** Lets a finding be dragged into an issue or a chat, as Markdown. */
export function dragFinding(finding: Finding, data: DataTransfer): void {
  const markdown = markdownOf(finding)
  if (markdown === null) return
  data.setData('text/plain', markdown)
  data.setData('text/markdown', markdown)
  data.effectAllowed = 'copy'
}

function markdownOf(finding: Finding): string | null {
  const { report } = useFiles.getState()
  if (report === null || rolloutOnScreen()?.run !== 'second') return report && findingMarkdown(report, finding)
  // Its defects are told in its own report, which the page does not have.
  const { run } = useSecond.getState()
  return run === null ? null : findingMarkdown({ ...report, sources: run.sources, defects: [] }, finding)
}

export async function copyTokenId(detail: TrajectoryDetail, token: number): Promise<void> {
  await copy(String(detail.ids?.[token] ?? ''), `The id of token ${token} copied`)
}

/** The text as it is, not as it is drawn. */
export async function copyTokenText(detail: TrajectoryDetail, token: number): Promise<void> {
  await copy(
    detail.text.slice(detail.textOffsets[token], detail.textOffsets[token + 1]),
    `The text of token ${token} copied`,
  )
}

export async function copyAddress(): Promise<void> {
  // A token in the query is the way into a server, not part of what is on screen: it is never passed on.
  await copy(`${location.origin}${location.pathname}${location.hash}`, 'Link copied')
}
