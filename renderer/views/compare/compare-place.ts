import { useMemo } from 'react'
import {
  MEASURE_SECTIONS,
  type MeasureSection,
  PAIR_SORTS,
  type PairQuery,
  type PairSort,
} from '../../../shared/session/requests/compare.ts'
import { goTo, NOWHERE, type Place, usePlace, usePlaces } from '../../state/place.ts'

export const COMPARE_TABS = ['measures', 'curves', 'pairs', 'rollouts'] as const
export type CompareTab = (typeof COMPARE_TABS)[number]

export const DIFFERENCES = [
  'words',
  'tools',
  'system',
  'rendering',
  'opening',
  'replies',
  'reward',
  'end',
  'scored',
] as const

/** Where a person is in the comparison, as it stands in the address. */
export interface ComparePlace {
  readonly tab: CompareTab
  /** Only measures of this section; null = all. */
  readonly section: MeasureSection | null
  /** What is the same in both, and what chance may explain, is listed too. */
  readonly all: boolean
  readonly text: string
  readonly pairs: PairQuery
  /** Position of the pair that is shown; null = the first of the list. */
  readonly pair: number | null
  /** Indices of the rollouts that are laid side by side; null = the first of either run. */
  readonly here: number | null
  readonly there: number | null
}

/** Reads a place that anyone may have typed: what cannot be understood is left out. */
function parseComparePlace(place: Place): ComparePlace {
  const given = (place.differ ?? '').split('.')
  const differ = DIFFERENCES.filter((what) => given.includes(what))
  const sort = PAIR_SORTS.find((name) => name === place.sort?.replace(/^-/, ''))
  return {
    tab: COMPARE_TABS.find((tab) => tab === place.tab) ?? 'measures',
    section: MEASURE_SECTIONS.find((section) => section === place.section) ?? null,
    all: place.all === '1',
    text: place.text ?? '',
    pairs: {
      ...(differ.length > 0 ? { differ } : {}),
      ...(sort === undefined ? {} : { sort, descending: place.sort?.startsWith('-') === true }),
    },
    pair: numberIn(place.pair),
    here: numberIn(place.here),
    there: numberIn(place.there),
  }
}

export function useComparePlace(): ComparePlace {
  const place = usePlace('compare')
  return useMemo(() => parseComparePlace(place), [place])
}

export function comparePlace(): ComparePlace {
  return parseComparePlace(usePlaces.getState().compare ?? NOWHERE)
}

export function showTab(tab: CompareTab): void {
  goTo('compare', { tab: tab === 'measures' ? null : tab })
}

export function narrowMeasures(change: {
  readonly section?: MeasureSection | null
  readonly all?: boolean
  readonly text?: string
}): void {
  const { section, all, text } = change
  goTo('compare', {
    ...(section === undefined ? {} : { section }),
    ...(all === undefined ? {} : { all: all ? '1' : null }),
    ...(text === undefined ? {} : { text: text === '' ? null : text }),
  })
}

/** Another pair: what was chosen inside the last one is let go. */
export function showPair(position: number): void {
  goTo('compare', { pair: String(position), here: null, there: null })
}

export function chooseRollout(side: 'here' | 'there', index: number): void {
  goTo('compare', { [side]: String(index) })
}

export function narrowPairs(differ: readonly string[]): void {
  goTo('compare', { differ: differ.join('.') || null, pair: null, here: null, there: null })
}

/** A second click on the same column turns the order round; the second run’s gains stand first. */
export function sortPairs(column: PairSort): void {
  const { sort = 'order', descending = false } = comparePlace().pairs
  const down = sort === column ? !descending : column !== 'order'
  goTo('compare', { sort: column === 'order' && !down ? null : `${down ? '-' : ''}${column}` })
}

function numberIn(text: string | undefined): number | null {
  return /^\d{1,9}$/.test(text ?? '') ? Number(text) : null
}
