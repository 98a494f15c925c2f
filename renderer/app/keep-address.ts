import { filesBeside, filesNow, isGrownSince } from '../data/grown.ts'
import { keepPlace, placeBefore, placeBeforeGrowth } from '../data/last-places.ts'
import { list } from '../data/list.ts'
import { type Address, formatAddress, HOME, parseAddress } from '../state/address.ts'
import { useFiles } from '../state/files.ts'
import { useFilters } from '../state/filters.ts'
import { NOWHERE, usePlaces } from '../state/place.ts'
import { useResume } from '../state/resume.ts'
import { useSecond } from '../state/second.ts'
import { jumpTo, selectRollout, selectSecond, useSelection } from '../state/selection.ts'
import { useTokenPlace } from '../state/token-place.ts'
import { say, useView } from '../state/view.ts'
import { runName } from '../text/run-name.ts'
import { findTokenPlace, holdTokenPlace } from './kept-token-place.ts'

let wanted: Address | null = null

/** The address that was asked for and whose dump is not open; null where there is none. */
export function wantedDump(): string | null {
  return wanted?.dump ?? null
}

/** Has an address applied as soon as the dump that it points into is open. */
export function wantAddress(hash: string): void {
  wanted = parseAddress(hash)
}

/** Keeps the page's address and what is on screen the same, both ways. To be called once. */
export function keepAddress(): void {
  wanted = parseAddress(location.hash)
  for (const store of [useFiles, useView, useSelection, useSecond, useFilters, usePlaces]) store.subscribe(write)
  useFiles.subscribe((now, before) => {
    // What was closed is asked for no more: whoever loads the page again would be told that it is missing.
    if (now.phase === 'empty' && before.phase !== 'empty' && wanted === null) forgetAddress()
    if (now.dumpHash === before.dumpHash) return
    useResume.setState({ address: null })
    if (now.dumpHash !== null && !takeWanted(now.dumpHash)) void offerPlace(now.dumpHash)
  })
  // A second run changes nothing in the address, and its name is kept with the place.
  useSecond.subscribe(({ chosen }, before) => {
    const { dumpHash } = useFiles.getState()
    if (chosen !== null && chosen !== before.chosen && dumpHash !== null) keepLater(dumpHash, formatAddress(current()))
  })
  let holding: ReturnType<typeof setTimeout> | undefined
  useTokenPlace.subscribe(() => {
    clearTimeout(holding)
    holding = setTimeout(() => holdTokenPlace(parseAddress(location.hash)), HELD_AFTER)
  })
  // The notebook needs no dump.
  if (wanted.dump === null && wanted.view === 'notebook') applyAddress(wanted)
  window.addEventListener('hashchange', () => {
    const address = parseAddress(location.hash)
    if (formatAddress(address) === formatAddress(current())) return
    const { dumpHash } = useFiles.getState()
    if (address.dump === null || address.dump === dumpHash) applyAddress(address)
    else void goToGrown(address, 'That place is in another run. Open that run to go there.', () => (wanted = address))
  })
}

/** Whether the page was asked for a place in this dump. */
function takeWanted(dumpHash: string): boolean {
  const address = wanted
  wanted = null
  if (address === null || address.dump === null) return false
  if (address.dump !== dumpHash) {
    const why = 'The link points into another run, or into this one before it grew: its place is not shown.'
    void goToGrown(address, why, () => void offerPlace(dumpHash))
    return true
  }
  applyAddress(address)
  return true
}

/** Goes to a place in what is open as it was before it grew; where it is of another run, says why it is not shown. */
async function goToGrown(address: Address, why: string, otherwise: () => void): Promise<void> {
  const { dumpHash } = useFiles.getState()
  const isGrown = address.dump !== null && (await isGrownSince(address.dump))
  if (useFiles.getState().dumpHash !== dumpHash) return
  if (isGrown) {
    say('More of the run is open than then: this is its place now')
    applyAddress(inGrown(address, useFiles.getState().sources.length))
  } else {
    say(why)
    otherwise()
  }
}

/** Shows of an address what hangs on no rollout's number: what it points into may be another run by now. */
export function applyWithoutRollout(address: Address): void {
  applyAddress(withoutRollout(address))
}

function withoutRollout({ view, query, sort, descending, place }: Address): Address {
  const isOfOne = view === 'rollout'
  const shown = isOfOne ? ({ view: 'rollouts', place: NOWHERE } as const) : { view, place }
  return { ...HOME, ...shown, query, sort, descending }
}

/** Of several files any may have grown, which moves the rollouts of those behind it. */
function inGrown(address: Address, files: number): Address {
  return files === 1 ? address : withoutRollout(address)
}

/** Offers where this dump was left, unless a person has gone somewhere meanwhile. */
async function offerPlace(dumpHash: string): Promise<void> {
  const { sources } = useFiles.getState()
  const same = await placeBefore(dumpHash)
  const before = same ?? (await placeBeforeGrowth(sources))
  const isGrown = same === null
  const kept = before === null ? null : parseAddress(before.address)
  const address = kept !== null && isGrown ? inGrown(kept, sources.length) : kept
  const isAtStart = formatAddress(current()) === formatAddress({ ...HOME, dump: dumpHash })
  if (address === null || !isAtStart || useFiles.getState().dumpHash !== dumpHash) return
  if (formatAddress({ ...address, dump: dumpHash }) !== formatAddress(current()))
    useResume.setState({
      address,
      beside: before?.beside ?? null,
      grownBy: isGrown ? { files: filesBeside(sources, before?.files ?? []) } : null,
    })
}

/** Browsers take the history's state only so many times a minute (milliseconds). */
const HELD_AFTER = 300

/** How long a person has to be at a place before it is kept, in milliseconds. */
const KEPT_AFTER = 800
let keeping: ReturnType<typeof setTimeout> | undefined

/** What was never left is not where a person was: the start of a dump is not kept over the place of the last time. */
function keepLater(dumpHash: string, hash: string): void {
  clearTimeout(keeping)
  if (hash === formatAddress({ ...HOME, dump: dumpHash })) return
  const { chosen } = useSecond.getState()
  // The second run is not opened with the first, so its name is kept for a person to find it by.
  const beside = chosen === null ? null : runName(chosen)
  const files = filesNow(useFiles.getState().sources)
  keeping = setTimeout(() => void keepPlace({ dumpHash, address: hash, beside, files }), KEPT_AFTER)
}

/** Set while an address is taken in: what is half of one is no place. */
let isTakingIn = false

/** Shows what an address points to in the open dump. */
export function applyAddress(address: Address): void {
  isTakingIn = true
  try {
    takeIn(address)
    findTokenPlace()
  } finally {
    isTakingIn = false
    write()
  }
}

function takeIn(address: Address): void {
  useFilters.setState({
    query: address.query,
    sort: address.sort,
    descending: address.descending,
  })
  usePlaces.setState({ [address.view]: address.place })
  useView.setState({ view: address.view, tab: address.tab, dialog: null })
  if (address.rollout === null && address.second === null) return
  selectRollout(address.rollout)
  useSecond.setState({ wanted: address.beside })
  if (address.second !== null) selectSecond(address.second)
  const { tokens, finding } = address
  if (tokens !== null) jumpTo(tokens[0], tokens, finding)
  else if (finding !== null) useSelection.setState({ finding })
}

function current(): Address {
  const { dumpHash } = useFiles.getState()
  const { view, tab } = useView.getState()
  const { rollout, second, token, range, finding } = useSelection.getState()
  const { run: beside, wanted } = useSecond.getState()
  const { query, sort, descending } = useFilters.getState()
  return {
    dump: dumpHash,
    view,
    rollout: rollout ?? (view === 'rollout' ? (list.get()[0] ?? null) : null),
    second,
    beside: second === null ? null : (wanted ?? beside?.dumpHash ?? null),
    tokens: range ?? (token === null ? null : [token, token + 1]),
    finding,
    tab,
    query,
    sort,
    descending,
    place: usePlaces.getState()[view] ?? NOWHERE,
  }
}

function isNotebook(): boolean {
  return useView.getState().view === 'notebook' || parseAddress(location.hash).view === 'notebook'
}

/** Whether a person went from one place to another, to which there is a way back; everything else is done within a place. */
function isAnotherPlace(before: Address, now: Address): boolean {
  if (before.dump !== now.dump) return false
  const page = ({ place: { page, hypothesis, experiment } }: Address) => [page, hypothesis, experiment].join(' ')
  return before.view !== now.view || (now.view === 'notebook' && page(before) !== page(now))
}

/** Goes back as the browser does, within what was done here: the window of the desktop shell has no button for it. */
export function goBack(): void {
  if (depth() > 0) history.back()
  else say('This is where you began')
}

/** Steps that lie behind the place that is shown. */
function depth(): number {
  const { state } = history
  return typeof state === 'object' && state !== null && 'depth' in state && typeof state.depth === 'number'
    ? state.depth
    : 0
}

/** Places in the notebook need no dump, and stay. */
function forgetAddress(): void {
  const { dump, view } = parseAddress(location.hash)
  if (dump !== null && view !== 'notebook') history.replaceState(history.state, '', location.pathname + location.search)
}

function write(): void {
  if (isTakingIn) return
  // Until a dump is open the address is what someone asked for, and is left alone; places in the notebook need none.
  const { dumpHash } = useFiles.getState()
  if (dumpHash === null && (wantedDump() !== null || !isNotebook())) return
  // It is open by now, and is about to be shown where it was asked for.
  if (dumpHash !== null && wantedDump() === dumpHash) return
  const now = current()
  const hash = formatAddress(now)
  if (hash === location.hash) return
  if (dumpHash !== null) keepLater(dumpHash, hash)
  const address = `${location.pathname}${location.search}${hash}`
  const before = parseAddress(location.hash)
  if (isAnotherPlace(before, now)) {
    holdTokenPlace(before)
    // Who goes elsewhere has answered the offer.
    useResume.setState({ address: null })
    history.pushState({ depth: depth() + 1 }, '', address)
  } else history.replaceState(history.state, '', address)
}
