import { clipped } from '../../../shared/model/clipped.ts'
import { addExperiment, addHypothesis, editExperiment } from '../../../shared/notebook/edit.ts'
import type { Category } from '../../../shared/notebook/model.ts'
import { withoutSecrets } from '../../../shared/notebook/secrets.ts'
import { changeNotebook } from '../../data/notebook.ts'
import { say } from '../../state/view.ts'
import { upright } from '../../text/visible.ts'
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

/** Adds an experiment, with its command line where there is one, and opens its page. */
export function newExperimentIn(category: Category, command = ''): void {
  let id: string | null = null
  changeNotebook('New experiment', (notebook, at) => {
    const added = addExperiment(notebook, category, '', { at })
    id = added.id
    return editExperiment(added.notebook, added.id, { command: command.trim() }, { at })
  })
  sayWhatIsMasked(command)
  openExperiment(id)
}

/** Keys, tokens and passwords of a command line are kept as ***: whoever gave one is told of it. */
export function sayWhatIsMasked(command: string): void {
  const masked = [...new Set(withoutSecrets(command).masked)]
  if (masked.length === 0) return
  const kept = masked.length === 1 ? 'is kept as ***, not its value' : 'are kept as ***, not their values'
  say(`${upright(clipped(masked.join(', '), 200))} ${kept}`)
}
