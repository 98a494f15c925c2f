import { useFiles } from '../state/files.ts'
import { useView, type View } from '../state/view.ts'
import type { Key } from './keys.ts'

/** Everything that can be done by key, in the palette and in the cheat sheet: one table for all three. */
export interface Command {
  readonly id: string
  readonly title: string
  readonly keys: readonly Key[]
  /** Other words by which a person looks for it. */
  readonly also?: string
  /** Where it works; absent = wherever a dump is open. */
  readonly where?: readonly View[] | 'always'
  /** Its keys work in a field that is typed into as well. */
  readonly whileTyping?: true
  run(): void
}

/** Whether a command can be given now. */
export function isPossible(command: Command): boolean {
  if (command.where === 'always') return true
  const { phase } = useFiles.getState()
  const { view } = useView.getState()
  const isClosed = phase === 'empty' || phase === 'opening'
  if (isClosed && !(view === 'notebook' && command.where?.includes(view))) return false
  return command.where === undefined || command.where.includes(view)
}
