import { addFacts, renumberedFacts } from '../../checks/facts/kept-facts.ts'
import { addTally, createTally } from '../../checks/reporting/tally.ts'
import type { Finding } from '../../model/report.ts'
import { addBoundaries } from './boundaries.ts'
import { addTotals, Collected } from './collected.ts'

/** What was collected source by source, each in a `Collected` of its own, as if it had been collected in their order. */
export function collectedTogether(parts: readonly Collected[], maxFindings: number): Collected {
  const whole = new Collected(0, maxFindings)
  for (const part of parts) {
    whole.sources.push(...part.sources)
    addFacts(whole.facts, part.facts)
    for (let row = 0; row < part.rollouts; row++) whole.addCodes(part.codesAt(row), part.worstAt(row))
    for (const finding of part.findings) if (whole.findings.length < maxFindings) whole.findings.push(finding)
    for (const [code, tally] of Object.entries(part.tallies)) addTally((whole.tallies[code] ??= createTally()), tally)
    addBoundaries(whole.boundaries, part.boundaries)
    addTotals(whole.totals, part.totals)
    for (const [code, counts] of Object.entries(part.severities)) {
      const sum = (whole.severities[code] ??= { error: 0, warning: 0, info: 0 })
      sum.error += counts.error
      sum.warning += counts.warning
      sum.info += counts.info
    }
    whole.findingsSeen += part.findingsSeen
  }
  return whole
}

/** Gives everything in a `Collected` of one source that source's number, which changes when a file comes before it. */
export function renumber(part: Collected, source: number): void {
  if (part.facts[0]?.place.source === source) return
  for (const [i, facts] of renumberedFacts(part.facts, source).entries()) part.facts[i] = facts
  for (const [i, finding] of part.findings.entries()) part.findings[i] = ofSource(finding, source)
}

function ofSource(finding: Finding, source: number): Finding {
  const members = finding.members?.map((member) => ({ ...member, source })) ?? null
  return { ...finding, source, members }
}
