import type { TokenDetail, TrajectoryDetail } from '../../shared/session/protocol.ts'
import type {
  Overlay,
  OverlayChoice,
  OverlayId,
  Relatives,
  TokenWeight,
} from '../../shared/session/requests/rollout.ts'
import { ask } from '../engine/engine.ts'
import { type Loaded, Shelf, useShelf } from './shelf.ts'

export type { Loaded } from './shelf.ts'

/** Rollouts kept, the last one looked at last: enough to go back and forth without waiting. */
const MOST_DETAILS = 4
const MOST_TOKENS = 2000
const MOST_OVERLAYS = 12

// The revision is part of the key, so that an answer under older settings can never be taken for one under newer.
let revision = 0

const rolloutOf = (key: string) => Number(key.split(':')[1])

const details = new Shelf<TrajectoryDetail>(MOST_DETAILS, (key) => ask('trajectory', { index: rolloutOf(key) }))
const tokens = new Shelf<TokenDetail>(MOST_TOKENS, (key) => {
  const [, index, token] = key.split(':')
  return ask('token', { index: Number(index), token: Number(token) })
})
const choices = new Shelf<readonly OverlayChoice[]>(MOST_DETAILS, (key) => ask('overlays', { index: rolloutOf(key) }))
const overlays = new Shelf<Overlay>(MOST_OVERLAYS, (key) =>
  ask('overlay', { index: rolloutOf(key), overlay: key.split(':')[2] as OverlayId }),
)
const relatives = new Shelf<Relatives>(MOST_DETAILS, (key) => ask('relatives', { index: rolloutOf(key) }))

const weights = new Shelf<readonly TokenWeight[]>(MOST_DETAILS, (key) => ask('lossWeights', { index: rolloutOf(key) }))

/** What was read before the dump was complete, shown until its final form arrives. By index. */
const unfinished = new Map<number, TrajectoryDetail>()

/** Forgets every rollout: another dump, or other settings. */
export function forgetDetails(): void {
  unfinished.clear()
  forgetAnswers()
}

/** Asks again for what is on screen: findings that need the whole dump are known only at its end. */
export function refreshDetails(): void {
  for (const [, detail] of details.ready()) unfinished.set(detail.index, detail)
  forgetAnswers()
}

function forgetAnswers(): void {
  revision++
  for (const shelf of [details, tokens, choices, overlays, relatives, weights]) shelf.clear()
}

/** The rollout as far as it is here, without asking for it. */
export function knownDetail(index: number | null): TrajectoryDetail | null {
  if (index === null) return null
  const known = details.get(`${revision}:${index}`)
  return known.state === 'ready' ? known.value : (unfinished.get(index) ?? null)
}

export function useDetail(index: number): Loaded<TrajectoryDetail> {
  const known = useShelf(details, `${revision}:${index}`)
  const before = known.state === 'loading' ? unfinished.get(index) : undefined
  return before === undefined ? known : { state: 'ready', value: before }
}

export function useToken(index: number, token: number): Loaded<TokenDetail> {
  return useShelf(tokens, `${revision}:${index}:${token}`)
}

/** What the tokens of a rollout can be coloured by. */
export function useOverlayChoices(index: number): Loaded<readonly OverlayChoice[]> {
  return useShelf(choices, `${revision}:${index}`)
}

/** The same without asking; empty until it is here. */
export function knownOverlayChoices(index: number): readonly OverlayChoice[] {
  const known = choices.get(`${revision}:${index}`)
  return known.state === 'ready' ? known.value : []
}

/** Null asks for none. */
export function useOverlay(index: number, id: OverlayId | null): Loaded<Overlay> {
  return useShelf(overlays, id === null ? null : `${revision}:${index}:${id}`)
}

export function useRelatives(index: number): Loaded<Relatives> {
  return useShelf(relatives, `${revision}:${index}`)
}

/** The same without asking; null until it is here. */
export function knownRelatives(index: number | null): Relatives | null {
  if (index === null) return null
  const known = relatives.get(`${revision}:${index}`)
  return known.state === 'ready' ? known.value : null
}

/** What a trained token of the rollout counts under each loss type. */
export function useLossWeights(index: number): Loaded<readonly TokenWeight[]> {
  return useShelf(weights, `${revision}:${index}`)
}
