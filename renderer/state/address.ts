import type { RolloutFilter } from '../../shared/model/report.ts'
import { MOST_CHARACTERS } from '../../shared/query/language/parse.ts'
import type { SortColumn } from '../../shared/session/protocol.ts'
import { NOWHERE, type Place } from './place.ts'
import { queryOf } from './query-text.ts'
import { ROLLOUT_TABS, type RolloutTab, VIEWS, type View } from './view.ts'

/** What is on screen, as it stands behind the `#` of the page's address. */
export interface Address {
  readonly dump: string | null
  readonly view: View
  readonly rollout: number | null
  /** A rollout of the second run that is shown instead, and the hash of that run. */
  readonly second: number | null
  readonly beside: string | null
  readonly tokens: readonly [number, number] | null
  /** Fingerprint of the finding that was chosen: several may mark the same tokens, and one of the whole rollout marks none. */
  readonly finding: string | null
  readonly tab: RolloutTab
  /** Which rollouts the table shows, in the query language. */
  readonly query: string
  readonly sort: SortColumn
  readonly descending: boolean
  /** Where in the view, as it keeps it itself. */
  readonly place: Place
}

export const HOME: Address = {
  dump: null,
  view: 'verdicts',
  rollout: null,
  second: null,
  beside: null,
  tokens: null,
  finding: null,
  tab: 'tokens',
  query: '',
  sort: 'index',
  descending: false,
  place: NOWHERE,
}

type LengthRange = NonNullable<RolloutFilter['lengths']>[number]

const LENGTHS: readonly LengthRange['of'][] = ['sequence', 'prompt', 'completion', 'assistant-turn', 'tool-reply']
/** More ranges than this are no filter that a number opens. */
const MOST_RANGES = 8
const MOST_NAMES = 32
const LONGEST_VALUE = 2000

const SORTS: readonly SortColumn[] = [
  'index',
  'id',
  'group',
  'step',
  'reward',
  'advantage',
  'tokens',
  'trained',
  'turns',
  'end',
  'findings',
  'source',
  'prompt',
  'completion',
  'trainedTokens',
  'worst',
  'gap',
  'kl',
  'lost',
  'flag',
  'labels',
  'notes',
]

/** `#dump=…&view=rollout&rollout=12&tokens=410-655`; only what differs from the start is written. */
export function formatAddress(address: Address): string {
  const fields = new URLSearchParams()
  if (address.dump !== null) fields.set('dump', address.dump)
  if (address.view !== HOME.view) fields.set('view', address.view)
  if (address.rollout !== null && address.view === 'rollout') fields.set('rollout', String(address.rollout))
  if (address.second !== null && address.view === 'rollout') {
    fields.set('second', String(address.second))
    if (address.beside !== null) fields.set('beside', address.beside)
  }
  if (address.tokens !== null && address.view === 'rollout') fields.set('tokens', address.tokens.join('-'))
  if (address.finding !== null && address.view === 'rollout') fields.set('finding', address.finding)
  if (address.tab !== HOME.tab && address.view === 'rollout') fields.set('tab', address.tab)
  if (address.query !== '') fields.set('q', address.query)
  if (address.sort !== HOME.sort || address.descending) {
    fields.set('sort', `${address.descending ? '-' : ''}${address.sort}`)
  }
  for (const [name, value] of Object.entries(address.place)) fields.set(`${address.view}.${name}`, value)
  const text = fields.toString()
  return text === '' ? '' : `#${text}`
}

/** Reads an address that anyone may have typed: what cannot be understood is left at its start. */
export function parseAddress(hash: string): Address {
  const fields = new URLSearchParams(hash.replace(/^#/, ''))
  const sort = fields.get('sort') ?? HOME.sort
  const range = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(fields.get('tokens') ?? '')
  const start = range === null ? null : Number(range[1])
  const view = oneOf(VIEWS, fields.get('view')) ?? HOME.view
  const rollout = parseIndex(fields.get('rollout'))
  const second = view === 'rollout' ? parseIndex(fields.get('second')) : null
  const shown = view === 'rollout' && rollout === null && second === null ? 'rollouts' : view
  return {
    dump: parseHash(fields.get('dump')),
    view: shown,
    rollout,
    second,
    beside: second === null ? null : parseHash(fields.get('beside')),
    tokens: start === null ? null : [start, Math.max(start + 1, Number(range?.[2] ?? start + 1))],
    finding: view === 'rollout' ? parseHash(fields.get('finding')) : null,
    tab: oneOf(ROLLOUT_TABS, fields.get('tab')) ?? HOME.tab,
    query: parseFilters(fields),
    sort: parseSort(sort.replace(/^-/, '')),
    descending: sort.startsWith('-'),
    place: parsePlace(fields, shown),
  }
}

function parseIndex(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null
}

function parseHash(text: string | null): string | null {
  return text !== null && /^[0-9a-f]{8,64}$/.test(text) ? text : null
}

function parsePlace(fields: URLSearchParams, view: View): Place {
  const named = [...fields].flatMap(([key, value]): [string, string][] => {
    const name = /^([a-z]+)\.([a-z][a-z-]{0,31})$/.exec(key)
    return name?.[1] === view && name[2] !== undefined && value.length <= LONGEST_VALUE ? [[name[2], value]] : []
  })
  return named.length === 0 ? NOWHERE : Object.fromEntries(named.slice(0, MOST_NAMES))
}

/** The query, with the filters that links had before there was a language for them. */
function parseFilters(fields: URLSearchParams): string {
  return queryOf({
    query: (fields.get('q') ?? '').slice(0, MOST_CHARACTERS),
    codes: (fields.get('findings') ?? '').split('.').filter((code) => /^[A-Z]\d{2}$/.test(code)),
    where: parseWhere(fields.get('where') ?? ''),
    flaggedOnly: fields.get('flagged') === '1',
  })
}

function parseSort(text: string): SortColumn {
  const component = /^reward\.(.{1,200})$/su.exec(text)?.[1]
  return component === undefined ? (oneOf(SORTS, text) ?? HOME.sort) : `reward.${component}`
}

/** `lost`, `documents`, and lengths as `prompt:1000-1200` (to below 1200) or `prompt:4086-`, with dots between. */
function parseWhere(text: string): RolloutFilter | null {
  const parts = text.split('.')
  const lengths = parts.flatMap((part) => parseRange(part) ?? []).slice(0, MOST_RANGES)
  const where: RolloutFilter = {
    ...(parts.includes('lost') ? { lostText: true } : {}),
    ...(parts.includes('documents') ? { documentsHidden: true } : {}),
    ...(lengths.length > 0 ? { lengths } : {}),
  }
  return Object.keys(where).length === 0 ? null : where
}

function parseRange(part: string): LengthRange | null {
  const match = /^([a-z-]+):(\d{1,9})-(\d{1,9})?$/.exec(part)
  const of = oneOf(LENGTHS, match?.[1] ?? null)
  if (match === null || of === null) return null
  return { of, atLeast: Number(match[2]), ...(match[3] === undefined ? {} : { below: Number(match[3]) }) }
}

function oneOf<T extends string>(known: readonly T[], text: string | null): T | null {
  return known.find((value) => value === text) ?? null
}
