import { list } from '../data/list.ts'
import { type Address, formatAddress, parseAddress } from '../state/address.ts'
import { useFiles } from '../state/files.ts'
import { useFilters } from '../state/filters.ts'
import { NOWHERE, usePlaces } from '../state/place.ts'
import { jumpTo, selectRollout, useSelection } from '../state/selection.ts'
import { useView } from '../state/view.ts'

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
  for (const store of [useFiles, useView, useSelection, useFilters, usePlaces]) store.subscribe(write)
  useFiles.subscribe((now, before) => {
    if (now.dumpHash !== null && now.dumpHash !== before.dumpHash) takeWanted(now.dumpHash)
  })
  // The notebook needs no dump.
  if (wanted.dump === null && wanted.view === 'notebook') apply(wanted)
  window.addEventListener('hashchange', () => {
    const address = parseAddress(location.hash)
    if (formatAddress(address) === formatAddress(current())) return
    const { dumpHash } = useFiles.getState()
    const isHere = dumpHash === null ? address.view === 'notebook' : address.dump === dumpHash
    if (isHere || (dumpHash !== null && address.dump === null)) apply(address)
  })
}

function takeWanted(dumpHash: string): void {
  const address = wanted
  wanted = null
  if (address !== null && address.dump === dumpHash) apply(address)
}

function apply(address: Address): void {
  useFilters.setState({
    query: address.query,
    sort: address.sort,
    descending: address.descending,
  })
  usePlaces.setState({ [address.view]: address.place })
  useView.setState({ view: address.view, tab: address.tab, dialog: null })
  if (address.rollout === null) return
  selectRollout(address.rollout)
  if (address.tokens !== null) jumpTo(address.tokens[0], address.tokens)
}

function current(): Address {
  const { dumpHash } = useFiles.getState()
  const { view, tab } = useView.getState()
  const { rollout, token, range } = useSelection.getState()
  const { query, sort, descending } = useFilters.getState()
  return {
    dump: dumpHash,
    view,
    rollout: rollout ?? (view === 'rollout' ? (list.get()[0] ?? null) : null),
    tokens: range ?? (token === null ? null : [token, token + 1]),
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

function write(): void {
  // Until a dump is open the address is what someone asked for, and is left alone; places in the notebook need none.
  if (useFiles.getState().dumpHash === null && (wantedDump() !== null || !isNotebook())) return
  const hash = formatAddress(current())
  if (hash !== location.hash) history.replaceState(null, '', `${location.pathname}${location.search}${hash}`)
}
