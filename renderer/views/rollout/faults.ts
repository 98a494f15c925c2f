import type { Severity } from '../../../shared/model/report.ts'
import { TokenState } from '../../../shared/model/tokens.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import { disagrees } from './oracles.ts'

/** 0 none, else the worst severity of the findings that cover a token. */
export const FAULT_NAMES: readonly (Severity | null)[] = [null, 'info', 'warning', 'error']

/** Tokens from the first to below the second. */
type Span = readonly [from: number, to: number]

export interface FaultMap {
  /** Per token, an index into `FAULT_NAMES`. */
  readonly worst: Uint8Array
  /** The stretches that `worst` is above 0 in, each with its severity as an index into `FAULT_NAMES`: the worse one later where two lie over each other. */
  readonly marked: readonly { readonly span: Span; readonly rank: number }[]
  /** Whether the state of a token is not what the structure of its turn asks for. Found out for the tokens that are drawn: a long rollout has many others. */
  isWrong(token: number): boolean
  /** Tokens at which a finding begins, with the codes that do. */
  readonly pins: ReadonlyMap<number, string>
}

type Judged = Pick<TrajectoryDetail, 'findings' | 'states' | 'expected'>

/** Kept for as long as the rollout is: tokens, strip and edges ask for the same, and a long rollout has many tokens to look at. */
const known = new WeakMap<Judged, FaultMap>()

export function faultMap(detail: Judged): FaultMap {
  let map = known.get(detail)
  if (map === undefined) known.set(detail, (map = createMap(detail)))
  return map
}

function createMap(detail: Judged): FaultMap {
  const worst = new Uint8Array(detail.states.length)
  const marked: { readonly span: Span; readonly rank: number }[] = []
  const pins = new Map<number, string>()
  for (const finding of detail.findings) {
    if (finding.tokens === null || finding.intended === true) continue
    const [start, end] = finding.tokens
    // What is true of a whole rollout is pinned where it begins: a line under everything would hide every other fault.
    const span: Span = finding.scope === 'tokens' ? [start, end] : [start, start + 1]
    marked.push({ span, rank: FAULT_NAMES.indexOf(finding.severity) })
    const pinned = pins.get(start)
    if (pinned === undefined) pins.set(start, finding.code)
    else if (!pinned.includes(finding.code)) pins.set(start, `${pinned} ${finding.code}`)
  }
  marked.sort((a, b) => a.rank - b.rank)
  for (const { span, rank } of marked) worst.fill(rank, ...span)
  return { worst, marked, isWrong: wrongTokens(detail), pins }
}

/** What the policy intends is not wrong, and a row that trains nothing is one fact and not one for each token. */
function wrongTokens(detail: Judged): (token: number) => boolean {
  const { findings, states, expected } = detail
  if (expected === null || !states.includes(TokenState.trained)) return () => false
  const intended = new Uint8Array(states.length)
  for (const finding of findings) {
    if (finding.intended === true && finding.tokens !== null) intended.fill(1, ...finding.tokens)
  }
  return (token) => intended[token] === 0 && disagrees(detail, token)
}
