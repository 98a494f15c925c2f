import type { Severity } from '../../../shared/model/report.ts'
import { TokenState } from '../../../shared/model/tokens.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import { disagrees } from './oracles.ts'

/** 0 none, else the worst severity of the findings that cover a token. */
export const FAULT_NAMES: readonly (Severity | null)[] = [null, 'info', 'warning', 'error']

export interface FaultMap {
  /** Per token, an index into `FAULT_NAMES`. */
  readonly worst: Uint8Array
  /** 1 for each token whose state is not what the structure of its turn asks for; null where nothing asks. */
  readonly wrong: Uint8Array | null
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
  const pins = new Map<number, string>()
  for (const finding of detail.findings) {
    if (finding.tokens === null || finding.intended === true) continue
    const [start, end] = finding.tokens
    const rank = FAULT_NAMES.indexOf(finding.severity)
    // What is true of a whole rollout is pinned where it begins: a line under everything would hide every other fault.
    const marked = finding.scope === 'tokens' ? end : start + 1
    for (let token = start; token < marked && token < worst.length; token++) {
      worst[token] = Math.max(worst[token] as number, rank)
    }
    const pinned = pins.get(start)
    if (pinned === undefined) pins.set(start, finding.code)
    else if (!pinned.includes(finding.code)) pins.set(start, `${pinned} ${finding.code}`)
  }
  return { worst, wrong: wrongTokens(detail), pins }
}

/** What the policy intends is not wrong, and a row that trains nothing is one fact and not one for each token. */
function wrongTokens(detail: Judged): Uint8Array | null {
  const { findings, states, expected } = detail
  if (expected === null || !states.includes(TokenState.trained)) return null
  const wrong = new Uint8Array(states.length)
  for (let token = 0; token < wrong.length; token++) if (disagrees(detail, token)) wrong[token] = 1
  for (const { intended, tokens } of findings) if (intended === true && tokens !== null) wrong.fill(0, ...tokens)
  return wrong
}
