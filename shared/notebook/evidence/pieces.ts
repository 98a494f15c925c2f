import { hashBytes } from '../../model/bulk-hash.ts'
import { counted, measured, unitOf } from '../../model/number-text.ts'
import type { CheckResult, Finding, HypothesisResult, Report } from '../../model/report.ts'
import { TokenState } from '../../model/tokens.ts'
import type { Evidence, EvidenceOrigin } from '../model.ts'

/** What can be pinned to a hypothesis, before anyone has: its numbers, and by what it is found again. */
export interface Piece extends Pick<Evidence, 'kind' | 'title' | 'numbers' | 'key'> {
  /** Id of the verdict that it mostly speaks of, which a person may see otherwise. */
  readonly verdict: string | null
  /** Position of the rollout it stands in, in report order, with its tokens; null where it is about the whole dump. */
  readonly at: { readonly rollout: number; readonly tokens: readonly [number, number] | null } | null
}

/** What a piece needs to know of a rollout. */
export interface PinnedRollout {
  readonly index: number
  readonly facts: { readonly id: string; readonly recordHash: string; readonly reward: number | null }
  /** `TokenState` per token. */
  readonly states: Uint8Array
  readonly logprobs: { readonly sampler: Float32Array | null; readonly trainer: Float32Array | null }
  readonly findings: readonly Finding[]
}

/** What a piece needs to know of a group. */
export interface PinnedGroup {
  readonly position: number
  readonly id: string
  readonly step: number | null
  readonly rollouts: number
  /** Null in incomplete groups. */
  readonly mean: number | null
  readonly std: number | null
  readonly gap: number | null
  readonly amplification: number | null
  readonly largestAdvantage: number | null
}

/** What a piece needs to know of a measure of two runs. */
export interface PinnedComparison {
  readonly id: string
  readonly label: string
  readonly unit: string
  readonly here: number | string | null
  readonly there: number | string | null
}

/** What a piece needs to know of what limits cost. */
export interface PinnedCost {
  readonly rollouts: number
  readonly cut: number
  readonly dropped: number
  readonly tokens: { readonly lost: number }
  /** Null where no rollout has a mask. */
  readonly trained: { readonly lost: number } | null
  readonly answers: { readonly cut: number; readonly unreached: number }
  readonly documents: { readonly cut: number }
  readonly supporting: { readonly cut: number }
}

/** Characters of a message that a title takes; messages quote what a dump holds. */
const LONGEST_TITLE = 300
const MOST_NUMBERS = 8

/** Every measure of every hypothesis that the dump decides or leaves open. */
export function measurePieces(report: Pick<Report, 'hypotheses'>): Piece[] {
  return report.hypotheses
    .filter(({ verdict }) => verdict !== 'not-checkable')
    .flatMap((result) => {
      const names = result.because.map(({ measure }) => withoutNumbers(measure))
      return result.because.map((measure, at) => {
        const name = names[at] as string
        const before = names.slice(0, at).filter((other) => other === name).length
        return measurePiece(result, measure, before === 0 ? name : `${name} (${before + 1})`)
      })
    })
}

/** A measure is the same one where a limit or a count in its name moved. The digits of a code stay: they name another check. */
function withoutNumbers(measure: string): string {
  return measure.replace(/(?<![\p{L}\d])\d[\d.,]*/gu, '#')
}

function measurePiece(result: HypothesisResult, because: HypothesisResult['because'][number], name: string): Piece {
  const { measure, value, comparison, threshold } = because
  return {
    kind: 'measure',
    title: `${result.id} ${result.verdict}: ${measure}: ${measured(measure, value)}`,
    numbers: [
      number('value', value, isShare(measure, value) ? 'share' : null),
      ...(threshold === null ? [] : [number('threshold', `${comparison} ${threshold}`)]),
      number('verdict', result.verdict),
    ],
    key: { hypothesis: result.id, measure: name },
    verdict: result.id,
    at: null,
  }
}

/** As it is read in the verdicts. */
function isShare(measure: string, value: number | string | null): boolean {
  return unitOf(measure) === 'share' && typeof value === 'number' && value >= 0 && value <= 1
}

/** Every check that could look. One that passes is evidence as well. */
export function checkPieces(report: Pick<Report, 'checks'>): Piece[] {
  return report.checks.filter(({ status }) => status === 'fail' || status === 'pass').map(checkPiece)
}

function checkPiece(check: CheckResult): Piece {
  const of = { trajectory: 'rollouts', group: 'groups', source: 'files' }[check.unit]
  return {
    kind: 'finding',
    title: `${check.code} ${check.title}: ${check.affected} of ${check.checked} ${of}`,
    numbers: [
      number('affected', check.affected, of),
      number('checked', check.checked, of),
      number('tokens', check.affected_tokens),
      number('status', check.status),
    ],
    key: { check: check.code },
    verdict: check.hypotheses[0] ?? null,
    at: null,
  }
}

/** The findings of one rollout. `verdictOf` says which hypothesis a code speaks for. */
export function findingPieces(rollout: PinnedRollout, verdictOf: (code: string) => string | null): Piece[] {
  return rollout.findings.map((finding) => {
    const { code, tokens, fingerprint } = finding
    return {
      kind: 'finding',
      title: `${code} in ${rollout.facts.id.slice(0, 80)}: ${finding.message}`.slice(0, LONGEST_TITLE),
      numbers: [
        ...(tokens === null ? [] : [number('tokens', tokens[1] - tokens[0])]),
        ...evidenceNumbers(finding).slice(0, MOST_NUMBERS),
      ],
      key: { finding: fingerprint, code, rollout: String(rollout.index), tokens: tokens?.join('-') ?? '' },
      verdict: verdictOf(code),
      at: { rollout: rollout.index, tokens },
    }
  })
}

/** Numbers that a check gave with a finding; tokens that it counted as well are told from those that the finding covers. */
function evidenceNumbers({ evidence, tokens }: Finding): Evidence['numbers'][number][] {
  const covered = tokens === null ? null : tokens[1] - tokens[0]
  return Object.entries(evidence).flatMap(([name, value]) => {
    if (typeof value !== 'number') return []
    if (name !== 'tokens' || covered === null) return [number(name, value)]
    return value === covered ? [] : [number('tokens counted', value)]
  })
}

/** A stretch of a rollout's tokens, half-open in stored ids, cut to what the rollout has. */
export function spanPiece(rollout: PinnedRollout, tokens: readonly [number, number]): Piece {
  const [start, end] = tokens.map((at) => Math.min(Math.max(0, at), rollout.states.length)) as [number, number]
  const states = rollout.states.subarray(start, end)
  const having = (state: number) => states.reduce((sum, each) => sum + (each === state ? 1 : 0), 0)
  const trained = having(TokenState.trained)
  const gap = meanGap(rollout, start, end)
  return {
    kind: 'span',
    title: `Tokens ${start} to ${end} of ${rollout.facts.id.slice(0, 80)}: ${trained} of ${end - start} trained`,
    numbers: [
      number('tokens', end - start),
      number('trained', trained),
      number('masked', having(TokenState.masked)),
      ...(gap === null ? [] : [number('mean |trainer − sampler| logprob', gap, 'nats')]),
      ...(rollout.facts.reward === null ? [] : [number('reward', rollout.facts.reward)]),
    ],
    key: { rollout: String(rollout.index), record: rollout.facts.recordHash, start: String(start), end: String(end) },
    verdict: 'H02',
    at: { rollout: rollout.index, tokens: [start, end] },
  }
}

export function groupPiece(group: PinnedGroup): Piece {
  const { mean, std, gap, amplification, largestAdvantage } = group
  const numbers = { 'mean reward': mean, std, gap, amplification, 'largest |advantage|': largestAdvantage }
  return {
    kind: 'group',
    title: `Group ${group.id.slice(0, 80)}: ${counted(group.rollouts, 'rollout')}, reward std ${shown(std)}`,
    numbers: [
      number('rollouts', group.rollouts),
      ...Object.entries(numbers).flatMap(([name, value]) => (value === null ? [] : [number(name, value)])),
    ],
    key: { position: String(group.position), group: group.id, step: String(group.step ?? '') },
    verdict: 'H05',
    at: null,
  }
}

/** A measure in the open run and in the one beside it. `names` are those of the other run, `verdict` is what the two together decide. */
export function comparisonPiece(measure: PinnedComparison, names: readonly string[], verdict: string): Piece {
  const { id, label, unit, here, there } = measure
  const share = unit === 'share' ? 'share' : null
  return {
    kind: 'comparison',
    title: `${label}: ${measured(share ?? '', here)} here, ${measured(share ?? '', there)} in ${names.join(', ').slice(0, 120)}`,
    numbers: [number('here', here, share), number('there', there, share)],
    key: { measure: id, beside: names.join(', ') },
    // The verdict that each run gives by itself is evidence for that hypothesis.
    verdict: id.startsWith('verdicts.') ? id.slice('verdicts.'.length) : verdict,
    at: null,
  }
}

/** What lengths would be cut under limits that a person tries. `key` is what is tried. */
export function limitsPiece(key: Piece['key'], cost: PinnedCost): Piece {
  const { rollouts, cut, dropped, tokens, trained, answers, documents, supporting } = cost
  const tried = Object.entries(key).flatMap(([name, value]) => (value === '' ? [] : [`${name} ${value}`]))
  return {
    kind: 'what-if',
    title: `What if ${tried.join(', ')}: ${cut} of ${rollouts} rollouts are cut`,
    numbers: [
      number('rollouts cut', cut),
      number('left out', dropped),
      number('rollouts', rollouts),
      number('tokens lost', tokens.lost),
      ...(trained === null ? [] : [number('trained tokens lost', trained.lost)]),
      number('answers cut', answers.cut),
      number('answers never reached', answers.unreached),
      number('documents cut', documents.cut),
      number('supporting documents cut', supporting.cut),
    ],
    key,
    verdict: 'H04',
    at: null,
  }
}

/** The report that the numbers are from, with what it was made under. `dump` is the hash in addresses. */
export function originOf(report: Report, dump: string): EvidenceOrigin {
  const text = new TextEncoder().encode(JSON.stringify(report))
  return {
    dump,
    names: report.sources.map(({ name }) => name),
    version: report.tool.version,
    report: hashBytes(text),
    settings: settingsOf(report),
  }
}

/** What an audit was run under, as far as it moves numbers. */
export function settingsOf(report: Report): EvidenceOrigin['settings'] {
  const limits = Object.entries(report.limits).map(([name, limit]) => [name, limit?.value ?? null])
  const thresholds = Object.entries(report.thresholds ?? {}).map(([id, { value }]) => [`threshold ${id}`, value])
  return {
    policy: report.policy.id,
    intended: report.policy.intended.join(' ') || null,
    tokenizer: report.tokenizer.id,
    rollouts: report.totals.trajectories,
    ...Object.fromEntries([...limits, ...thresholds]),
  }
}

/** The piece as it hangs on a hypothesis. What is pinned again takes the place of what was. */
export function evidenceOf(piece: Piece, from: EvidenceOrigin, address: string, pinnedAt: string, note = ''): Evidence {
  const { kind, title, numbers, key } = piece
  const id = hashBytes(new TextEncoder().encode(JSON.stringify([from.dump, kind, Object.entries(key).sort()])))
  return { id: `${kind}-${id}`, kind, title, numbers, from, key, address, pinnedAt, note }
}

function meanGap({ logprobs }: PinnedRollout, start: number, end: number): number | null {
  const { sampler, trainer } = logprobs
  if (sampler === null || trainer === null) return null
  let [sum, scored] = [0, 0]
  for (let at = start; at < end; at++) {
    const gap = Math.abs((trainer[at] as number) - (sampler[at] as number))
    if (!Number.isFinite(gap)) continue
    sum += gap
    scored++
  }
  return scored === 0 ? null : sum / scored
}

/** JSON has no infinity and no NaN: they are kept as words. */
export function number(
  name: string,
  value: number | string | null,
  unit: string | null = null,
): Evidence['numbers'][number] {
  return { name, value: typeof value === 'number' && !Number.isFinite(value) ? String(value) : value, unit }
}

export function shown(value: number | string | null): string {
  if (typeof value !== 'number') return value ?? 'not known'
  return String(Number(value.toPrecision(4)))
}
