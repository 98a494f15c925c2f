import { addExperiment, addHypothesis } from '../../../shared/notebook/edit.ts'
import type { Category } from '../../../shared/notebook/model.ts'
import { changeNotebook } from '../../data/notebook.ts'
import { openExperiment, openHypothesis } from './notebook-place.ts'

/** Adds a hypothesis and opens its page. */
export function newOne(): void {
  let id: string | null = null
  changeNotebook('New hypothesis', (notebook, at) => {
    const added = addHypothesis(notebook, '', { at })
    id = added.id
    return added.notebook
  })
  openHypothesis(id)
}

/** Adds an experiment and opens its page. */
export function newExperimentIn(category: Category): void {
  let id: string | null = null
  changeNotebook('New experiment', (notebook, at) => {
    const added = addExperiment(notebook, category, '', { at })
    id = added.id
    return added.notebook
  })
  openExperiment(id)
}
