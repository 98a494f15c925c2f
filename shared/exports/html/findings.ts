import { count, counted } from '../../model/number-text.ts'
import type { Finding, Report } from '../../model/report.ts'
import { type CodeGroup, type DefectGroup, groupFindings } from '../finding-groups.ts'
import { extentText, intendedExtent, whereText } from '../phrases.ts'
import type { Proof, Proofs } from '../proofs.ts'
import type { Links } from './links.ts'
import { code, folded, text } from './parts.ts'
import { membersHtml, outlineHtml, windowHtml } from './tokens.ts'

/** Findings that the page tells of one by one; the JSON report has the rest. */
export const LISTED = 1000

/** Characters of HTML that all windows may take together: the page stays under 5 MB with a thousand findings. */
const WINDOWS = 2_600_000

/** Severity by sign and word; what the policy intends has none. */
const LEVELS = { error: '✖ error', warning: '▲ warning', info: '◇ note', intended: '○ intended' } as const

/** The findings in groups, each group folded to its first one. `proofs` is null where the rollouts were not at hand. */
export function findingsHtml(report: Report, proofs: Proofs | null, links: Links): string {
  if (report.findings.length === 0) return ''
  const groups = groupFindings(report, LISTED)
  const page = new ProofPage(proofs, groups)
  const omitted =
    report.findings_omitted + groups.flatMap(({ codes }) => codes).reduce((sum, { more }) => sum + more, 0)
  const about =
    proofs === null
      ? '<p class=soft>This report was made from reports alone, without the rollouts: the findings have no tokens here.</p>'
      : LEGEND
  const rest =
    omitted === 0 ? '' : `<p>${counted(omitted, 'more finding')} not listed here; the counts include them.</p>`
  return `<section aria-labelledby=findings>\n<h2 id=findings>Findings</h2>\n${about}\n${groups.map((group) => defectHtml(report, group, page, links)).join('\n')}\n${rest}</section>`
}

const LEGEND = `<p class=w><b class=turn>token states</b><span class=t><i>trained</i></span> <span class=m><i>masked</i></span> <span class=p><i>padding</i></span> <span class=u><i>unknown</i></span> <b class=turn>signs</b><mark><span class=m><i>what a finding points at</i></span></mark> <span class="m x"><i>the chat template expects the other state</i></span> <span class=m><i class=s>control token</i></span> <small>The id of a token shows where the pointer rests on it.</small></p>`

function defectHtml(report: Report, { defect, codes }: DefectGroup, page: ProofPage, links: Links): string {
  const name = defect === null ? '' : `${text(defect.id)} ${text(defect.title)}`
  const heading =
    defect === null
      ? ''
      : `<h3${links.place(defect.id)}>${name}</h3>\n<p class=soft>${text(defect.why, 600)} ${text(defect.fix, 600)}</p>\n`
  return heading + codes.map((group) => codeHtml(report, group, name, page, links)).join('\n')
}

function codeHtml(
  report: Report,
  { check, intended, findings, more }: CodeGroup,
  because: string,
  page: ProofPage,
  links: Links,
): string {
  const [first, ...others] = findings
  if (first === undefined) return ''
  // In the order of the page: the tokens stand where they come first, and what follows refers to them.
  const shown = findingHtml(report, first, page)
  const rest =
    others.length === 0
      ? ''
      : folded(
          `${counted(others.length, 'more finding')} of ${check.code}`,
          others.map((finding) => findingHtml(report, finding, page)).join('\n'),
        ).replace('<details', '<details class=more')
  const beyond = more === 0 ? '' : `<p class=soft>and ${count(more)} more in the JSON report</p>`
  const look = intended ? 'intended' : check.severity
  const meant = [intendedExtent(check), `by the policy ${report.policy.id}`].filter((words) => words !== null)
  const extent = intended ? meant.join(', ') : extentText(check)
  const aside = [because, intended ? 'intended' : ''].filter((words) => words !== '').join(', ')
  return `<section class="card ${look}" aria-label="${check.code} ${text(check.title)}${aside === '' ? '' : ` (${aside})`}"${links.place(check.code)}>
<p class=${look}><b>${check.code} ${text(check.title)}</b> <span class=level>${LEVELS[look]}</span> <span class=soft>${text(extent)}</span></p>
${shown}
${rest}${beyond}
</section>`
}

function findingHtml(report: Report, finding: Finding, page: ProofPage): string {
  const line = finding.line === undefined ? '' : `, line ${finding.line}`
  return `<article class=finding>
<p>${text(finding.message, 400)}</p>
<p class=soft>${code(whereText(report, finding), 200)}${line}</p>
${page.proofOf(finding)}</article>`
}

/** Writes each window once, and as many of them as fit: the first finding of every group has the first right to one. */
class ProofPage {
  private readonly windows = new Map<Finding, string>()
  private readonly anchors = new Map<string, number>()
  private left = WINDOWS

  constructor(
    private readonly proofs: Proofs | null,
    groups: readonly DefectGroup[],
  ) {
    const codes = groups.flatMap((group) => group.codes)
    const counted = new Set<string>()
    for (const finding of [
      ...codes.flatMap(({ findings }) => findings.slice(0, 1)),
      ...codes.flatMap(({ findings }) => findings.slice(1)),
    ]) {
      const proof = this.proofs?.get(finding)
      const html = proof === undefined ? '' : tokensHtml(proof)
      if (html === '') continue
      const cost = counted.has(html) ? 0 : html.length
      if (cost > this.left) continue
      this.left -= cost
      counted.add(html)
      this.windows.set(finding, html)
    }
  }

  proofOf(finding: Finding): string {
    const proof = this.proofs?.get(finding)
    if (proof === undefined) return ''
    if (proof.note !== null) return `<p class=soft>No tokens: ${text(proof.note)}</p>`
    const html = this.windows.get(finding)
    if (html === undefined) {
      return tokensHtml(proof) === '' ? '' : '<p class=soft>Tokens left out, to keep this page small.</p>'
    }
    const known = this.anchors.get(html)
    if (known !== undefined) return `<p class=soft><a href="#w${known}">The same tokens as above</a></p>`
    const anchor = this.anchors.size
    this.anchors.set(html, anchor)
    return `<div id=w${anchor}>${html}</div>`
  }
}

function tokensHtml({ window, outline, members }: Proof): string {
  if (window !== null) return windowHtml(window)
  if (outline !== null) return outlineHtml(outline)
  return members === null || members.length === 0 ? '' : membersHtml(members)
}
