import type { Category } from '../../../shared/notebook/model.ts'
import { goTo, usePlace } from '../../state/place.ts'

export const PAGES = ['board', 'roadmap', 'experiments', 'problem', 'folder'] as const
export type NotebookPage = (typeof PAGES)[number]

/** Where a person is in the notebook. */
export interface NotebookPlace {
  readonly page: NotebookPage
  /** Shown in place of the page. */
  readonly hypothesis: string | null
  readonly experiment: string | null
  readonly find: string
  readonly category: Category | null
  /** A column of the experiments, `-` in front where the largest comes first. */
  readonly sort: string
  /** Ids of the experiments that are put side by side, two at most. */
  readonly compared: readonly string[]
}

export function useNotebookPlace(): NotebookPlace {
  const place = usePlace('notebook')
  return {
    page: PAGES.find((page) => page === place.page) ?? 'board',
    hypothesis: place.hypothesis ?? null,
    experiment: place.experiment ?? null,
    find: place.find ?? '',
    category: /^[A-G]$/.test(place.category ?? '') ? (place.category as Category) : null,
    sort: place.sort ?? 'id',
    compared: (place.compared ?? '').split('~').filter((id) => id !== ''),
  }
}

export function openPage(page: NotebookPage): void {
  goTo('notebook', { page: page === 'board' ? null : page, hypothesis: null, experiment: null })
}

export function openHypothesis(id: string | null): void {
  goTo('notebook', { hypothesis: id, experiment: null })
}

export function openExperiment(id: string | null): void {
  goTo('notebook', { page: 'experiments', experiment: id, hypothesis: null })
}

/** Stands in the place of an experiment's id while what it tries is asked for. */
export const NEW_EXPERIMENT = 'new'

export function setCompared(ids: readonly string[]): void {
  goTo('notebook', { compared: ids.length === 0 ? null : ids.join('~') })
}
