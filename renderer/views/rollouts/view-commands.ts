import type { Command } from '../../commands/command.ts'
import { openView, savedViews } from '../../data/views.ts'
import { show } from '../../state/view.ts'

/** One for each view that a person kept, for the palette. */
export function viewCommands(): readonly Command[] {
  return savedViews.get().map((view) => ({
    id: `view-${view.name}`,
    title: `View “${view.name}” of the table`,
    keys: [],
    run: () => {
      void openView(view)
      show('rollouts')
    },
  }))
}
