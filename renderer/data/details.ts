import type { TokenDetail, TrajectoryDetail } from '../../shared/session/protocol.ts'
import type { RolloutRef } from '../../shared/session/requests/compare.ts'
import type {
  Overlay,
  OverlayChoice,
  OverlayId,
  Relatives,
  TokenWeights,
} from '../../shared/session/requests/rollout.ts'
import { ask } from '../engine/engine.ts'
import { useObservable } from './observable.ts'
import { type Loaded, Shelf, useShelf } from './shelf.ts'
import type { Wait } from './use-answer.ts'

export type { Loaded } from './shelf.ts'

/** Rollouts kept, the last one looked at last: enough to go back and forth without waiting. */
const MOST_DETAILS = 4
const MOST_TOKENS = 2000
const MOST_OVERLAYS = 12

// The revision is part of the key, so that an answer under older settings can never be taken for one under newer.
let revision = 0

const keyOf = ({ run, index }: RolloutRef) => `${revision}:${run}:${index}`

/** What a key is of, and what stands in it behind that. */
function refOf(key: string): { readonly of: RolloutRef; readonly rest: string } {
  const [, run, index, rest = ''] = key.split(':')
  return { of: { run: run as RolloutRef['run'], index: Number(index) }, rest }
}

const details = new Shelf<TrajectoryDetail>(MOST_DETAILS, (key, signal) => ask('trajectory', refOf(key).of, signal))
const tokens = new Shelf<TokenDetail>(MOST_TOKENS, (key) => {
  const { of, rest } = refOf(key)
  return ask('token', { ...of, token: Number(rest) })
})
const choices = new Shelf<readonly OverlayChoice[]>(MOST_DETAILS, (key) => ask('overlays', refOf(key).of))
const overlays = new Shelf<Overlay>(MOST_OVERLAYS, (key) => {
  const { of, rest } = refOf(key)
  return ask('overlay', { ...of, overlay: rest as OverlayId })
})
const relatives = new Shelf<Relatives>(MOST_DETAILS, (key) => ask('relatives', refOf(key).of))

const weights = new Shelf<TokenWeights | null>(MOST_DETAILS, (key) => ask('lossWeights', refOf(key).of))

/** What was read of the open run before it was complete, shown until its final form arrives. By index. */
const unfinished = new Map<number, TrajectoryDetail>()

/** Forgets every rollout: another dump, or other settings. */
export function forgetDetails(): void {
  unfinished.clear()
  forgetAnswers()
}

/** Asks again for what is on screen: findings that need the whole dump are known only at its end. */
export function refreshDetails(): void {
  for (const [, detail] of details.ready()) if (detail.run === 'open') unfinished.set(detail.index, detail)
  forgetAnswers()
}

function forgetAnswers(): void {
  revision++
  for (const shelf of [details, tokens, choices, overlays, relatives, weights]) shelf.clear()
}

/** Forgets the rollouts of a second run that is another one now, or none. */
export function forgetSecondDetails(): void {
  forgetAnswers()
}

/** The rollout as far as it is here, without asking for it. */
export function knownDetail(of: RolloutRef | null): TrajectoryDetail | null {
  if (of === null) return null
  const known = details.get(keyOf(of))
  return known.state === 'ready' ? known.value : before(of)
}

export function useDetail(of: RolloutRef): Loaded<TrajectoryDetail> {
  const known = useShelf(details, keyOf(of))
  const earlier = known.state === 'loading' ? before(of) : null
  return earlier === null ? known : { state: 'ready', value: earlier }
}

/** The wait for a rollout that is being opened. */
export function useOpening(of: RolloutRef): Wait {
  useObservable(details.changes)
  const key = keyOf(of)
  return {
    share: null,
    isStopped: details.isStopped(key),
    stop: () => details.stop(key),
    again: () => details.again(key),
  }
}

function before({ run, index }: RolloutRef): TrajectoryDetail | null {
  return run === 'open' ? (unfinished.get(index) ?? null) : null
}

export function useToken(of: RolloutRef, token: number): Loaded<TokenDetail> {
  return useShelf(tokens, `${keyOf(of)}:${token}`)
}

/** What the tokens of a rollout can be coloured by. */
export function useOverlayChoices(of: RolloutRef): Loaded<readonly OverlayChoice[]> {
  return useShelf(choices, keyOf(of))
}

/** The same once it is here, for a key that was pressed before; empty where it cannot be had. */
export function overlayChoicesOf(of: RolloutRef): Promise<readonly OverlayChoice[]> {
  const key = keyOf(of)
  choices.want(key)
  return new Promise((resolve) => {
    const look = () => {
      const known = choices.get(key)
      if (known.state === 'loading') return
      stop()
      resolve(known.state === 'ready' ? known.value : [])
    }
    const stop = choices.changes.subscribe(look)
    look()
  })
}

/** Null asks for none. */
export function useOverlay(of: RolloutRef, id: OverlayId | null): Loaded<Overlay> {
  return useShelf(overlays, id === null ? null : `${keyOf(of)}:${id}`)
}

export function useRelatives(of: RolloutRef): Loaded<Relatives> {
  return useShelf(relatives, keyOf(of))
}

/** The same without asking; null until it is here. */
export function knownRelatives(of: RolloutRef | null): Relatives | null {
  if (of === null) return null
  const known = relatives.get(keyOf(of))
  return known.state === 'ready' ? known.value : null
}

/** What a trained token of the rollout counts under each loss type. */
export function useLossWeights(of: RolloutRef): Loaded<TokenWeights | null> {
  return useShelf(weights, keyOf(of))
}
