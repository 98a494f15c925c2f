import type { View } from '../state/view.ts'
import type { Command } from './command.ts'

export interface Section {
  readonly title: string
  /** Null = wherever a dump is open. */
  readonly view: View | null
  has(command: Command): boolean
}

/** Commands by where they work. One that works in several views stands in each. */
export const SECTIONS: readonly Section[] = [
  { title: 'Everywhere', view: null, has: ({ where }) => where === 'always' || where === undefined },
  inView('In the table', 'rollouts'),
  inView('In a rollout', 'rollout'),
  inView('In Groups', 'groups'),
  inView('In the Lab', 'lab'),
  inView('In Compare', 'compare'),
  inView('In the Notebook', 'notebook'),
]

function inView(title: string, view: View): Section {
  return { title, view, has: ({ where }) => Array.isArray(where) && where.includes(view) }
}
