import { useMemo } from 'react'
import {
  GROUP_KINDS,
  GROUP_MARKS,
  GROUP_SORTS,
  type GroupKind,
  type GroupMark,
  type GroupQuery,
  type GroupSort,
} from '../../../shared/session/requests/groups.ts'
import { goTo, NOWHERE, type Place, usePlace, usePlaces } from '../../state/place.ts'
import { show } from '../../state/view.ts'

/** Where a person is among the groups, as it stands in the address. */
export interface GroupsPlace {
  /** Position of the group that is shown; null = the first of the list. */
  readonly group: number | null
  /** Index of the rollout that is chosen in it; null = its first. */
  readonly rollout: number | null
  /** Index of the rollout that the chosen one is laid beside, token by token; null = none is. */
  readonly beside: number | null
  readonly query: GroupQuery
}

/** Reads a place that anyone may have typed: what cannot be understood is left out. */
function parseGroupsPlace(place: Place): GroupsPlace {
  const kinds = namesIn(place.kinds, GROUP_KINDS)
  const marks = namesIn(place.marks, GROUP_MARKS)
  const range = /^([\d.e-]+)_([\d.e-]+)$/.exec(place.std ?? '')
  const [atLeast, below] = [Number(range?.[1]), Number(range?.[2])]
  const step = finiteIn(place.step)
  const sort = GROUP_SORTS.find((name) => name === place.sort?.replace(/^-/, ''))
  return {
    group: numberIn(place.group),
    rollout: numberIn(place.rollout),
    beside: numberIn(place.beside),
    query: {
      ...(kinds.length > 0 ? { kinds } : {}),
      ...(marks.length > 0 ? { marks } : {}),
      ...(range !== null && atLeast < below ? { std: { atLeast, below } } : {}),
      ...(step === null ? {} : { step }),
      ...(place.text ? { text: place.text } : {}),
      ...(sort === undefined ? {} : { sort, descending: place.sort?.startsWith('-') === true }),
    },
  }
}

export function useGroupsPlace(): GroupsPlace {
  const place = usePlace('groups')
  return useMemo(() => parseGroupsPlace(place), [place])
}

export function groupsPlace(): GroupsPlace {
  return parseGroupsPlace(usePlaces.getState().groups ?? NOWHERE)
}

/** Another group: what was chosen inside the last one is let go. */
export function showGroup(position: number): void {
  goTo('groups', { group: String(position), rollout: null, beside: null })
}

export function chooseSibling(index: number): void {
  goTo('groups', { rollout: String(index) })
}

export function layBeside(index: number | null): void {
  goTo('groups', { beside: index === null ? null : String(index) })
}

/** Changes which groups are listed. The first of these is shown. */
export function narrow(change: {
  readonly kinds?: readonly GroupKind[]
  readonly marks?: readonly GroupMark[]
  readonly std?: GroupQuery['std'] | null
  readonly step?: number | null
  readonly text?: string
}): void {
  const { kinds, marks, std, step, text } = change
  goTo('groups', {
    group: null,
    rollout: null,
    beside: null,
    ...(kinds === undefined ? {} : { kinds: kinds.join('.') || null }),
    ...(marks === undefined ? {} : { marks: marks.join('.') || null }),
    ...(std === undefined ? {} : { std: std === null ? null : `${std.atLeast}_${std.below}` }),
    ...(step === undefined ? {} : { step: step === null ? null : String(step) }),
    ...(text === undefined ? {} : { text: text === '' ? null : text }),
  })
}

export const EVERY_GROUP = { kinds: [], marks: [], std: null, step: null, text: '' } as const

/** Opens the groups on what is behind a number. */
export function showGroups({ sort = 'order', descending = false, ...narrowed }: GroupQuery): void {
  // First of all, so that the place that is left keeps its own address.
  show('groups')
  narrow({ ...EVERY_GROUP, ...narrowed })
  goTo('groups', { sort: sortText(sort, descending) })
}

/** A second click on the same column turns the order round; numbers start with the largest. */
export function sortGroups(column: GroupSort): void {
  const { sort = 'order', descending = false } = groupsPlace().query
  const down = sort === column ? !descending : column !== 'order' && column !== 'id' && column !== 'std'
  goTo('groups', { sort: sortText(column, down) })
}

function sortText(column: GroupSort, descending: boolean): string | null {
  return column === 'order' && !descending ? null : `${descending ? '-' : ''}${column}`
}

function namesIn<Name extends string>(text: string | undefined, known: readonly Name[]): Name[] {
  const given = (text ?? '').split('.')
  return known.filter((name) => given.includes(name))
}

/** Of a step: a trainer may count in parts of an epoch, or in milliseconds. */
function finiteIn(text = ''): number | null {
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : null
}

function numberIn(text: string | undefined): number | null {
  return /^\d{1,9}$/.test(text ?? '') ? Number(text) : null
}
