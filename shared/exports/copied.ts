import { tokensText } from '../model/number-text.ts'
import type { Finding, Report } from '../model/report.ts'
import { TOKEN_STATE_NAMES } from '../model/tokens.ts'
import { jsonText } from './json-text.ts'
import { markdownCell, markdownCode } from './markup.ts'
import { whereText } from './phrases.ts'

/** The tokens of a rollout that are copied, half-open, in stored ids. */
export interface CopiedTokens {
  readonly detail: {
    readonly facts: { readonly id: string }
    readonly reconstructed: boolean
    /** `TokenState` per token. */
    readonly states: Uint8Array
    readonly weights: Float32Array | null
    readonly text: string
    /** Where the text of each token begins, and where the last one ends (length S + 1). */
    readonly textOffsets: Uint32Array
  }
  readonly ids: Int32Array
  readonly start: number
  readonly end: number
}

/** Ids, states and the text of tokens, as JSON that says where they stand. Text is as it is, not as it is drawn. */
export function tokensJson(copied: CopiedTokens): string {
  const { detail, ids, start, end } = copied
  return jsonText({
    rollout: detail.facts.id,
    tokens: [start, end],
    ...(detail.reconstructed ? { reconstructed: true } : {}),
    ids: ids.subarray(start, end),
    states: statesOf(copied),
    ...(detail.weights === null ? {} : { weights: detail.weights.subarray(start, end) }),
    text: textOf(copied),
  })
}

/** The same for issues: how the tokens are trained in one line, then text and ids in code spans. */
export function tokensMarkdown(copied: CopiedTokens): string {
  const { detail, ids, start, end } = copied
  const states = statesOf(copied)
  const counts = TOKEN_STATE_NAMES.flatMap((name) => {
    const tokens = states.filter((state) => state === name).length
    return tokens === 0 ? [] : [`${tokens} ${name}`]
  })
  return [
    `Rollout ${markdownCode(detail.facts.id)}, ${tokensText(start, end)}${detail.reconstructed ? ' (reconstructed)' : ''}: ${counts.join(', ')}`,
    '',
    `- Text: ${markdownCode(textOf(copied))}`,
    `- Token ids: ${markdownCode(`[${ids.subarray(start, end).join(', ')}]`)}`,
    '',
  ].join('\n')
}

/** One finding for issues and chats: what, where, and the numbers that prove it. What comes from the dump stands in code spans. */
export function findingMarkdown(report: Report, finding: Finding): string {
  const title = report.checks.find(({ code }) => code === finding.code)?.title
  const line = finding.line === undefined ? '' : `, line ${finding.line}`
  const defect = report.defects.find(({ id }) => id === finding.defect)
  return [
    `**${finding.code}${title === undefined ? '' : ` ${markdownCell(title)}`}** (${finding.severity}): ${markdownCode(finding.message)}`,
    '',
    `- Where: ${markdownCode(`${whereText(report, finding, true)}${line}`)}`,
    ...(finding.intended === true ? [`- Intended by the policy ${report.policy.id}`] : []),
    ...(finding.defect === undefined
      ? []
      : [`- Because of: ${finding.defect}${defect === undefined ? '' : ` ${markdownCell(defect.title)}`}`]),
    ...Object.entries(finding.evidence).map(
      ([name, value]) => `- ${markdownCode(name)}: ${markdownCode(jsonText(value))}`,
    ),
    `- Fingerprint: ${markdownCode(finding.fingerprint)}`,
    `- Found by ${report.tool.name} ${report.tool.version}`,
    '',
  ].join('\n')
}

function statesOf({ detail, start, end }: CopiedTokens): string[] {
  return Array.from(detail.states.subarray(start, end), (state) => TOKEN_STATE_NAMES[state] ?? 'unknown')
}

export function textOf({ detail, start, end }: CopiedTokens): string {
  return detail.text.slice(detail.textOffsets[start], detail.textOffsets[end])
}
