import { useEffect, useMemo, useRef, useState } from 'react'
import { Modal } from '../app/modal.tsx'
import { useRolloutsById } from '../data/find-rollouts.ts'
import { useObservable } from '../data/observable.ts'
import { recentCommands, rememberCommand } from '../data/recent-commands.ts'
import { useFiles } from '../state/files.ts'
import { openDialog, say, show, useView, type View } from '../state/view.ts'
import { viewCommands } from '../views/rollouts/view-commands.ts'
import { rolloutAtCursor } from './at-cursor.ts'
import { type Command, isPossible } from './command.ts'
import { COMMANDS } from './commands.ts'
import { openRollout } from './go.ts'
import { Keys } from './key-list.tsx'
import {
  commandsElsewhere,
  type EntryGroup,
  fits,
  foundInReport,
  foundRollouts,
  groupCommands,
  searchedText,
} from './palette-entries.ts'

/** Finds a command by its words; and a check, a defect or a rollout of the open dump by code, id or words. */
export function Palette() {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const groups = useGroups(text)
  const found = groups.flatMap(({ entries }) => entries)
  const chosen = Math.min(at, found.length - 1)
  const options = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one is chosen with these
  useEffect(() => {
    options.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen, text])
  const give = (command: Command | undefined) => {
    if (command === undefined) return
    openDialog(null)
    if (isLasting(command)) void rememberCommand(command.id)
    command.run()
  }
  const press = (event: React.KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(found.length - 1, chosen + 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(0, chosen - 1))
    else if (event.key === 'Enter') give(found[chosen])
    else return
    event.preventDefault()
  }
  return (
    <Modal title="Find a command">
      <input
        className="palette-input"
        data-first-focus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[chosen] === undefined ? undefined : `palette-${chosen}`}
        aria-label="Command"
        placeholder="A command, a rollout’s id, a check or a defect"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={press}
      />
      <div ref={options} className="palette-list" id="palette-list" role="listbox" aria-label="Commands">
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is no group of options
          <div key={group.title} role="group" aria-label={group.title}>
            <p className="palette-group" aria-hidden="true">
              {group.title}
            </p>
            {group.entries.map((command) => {
              const position = found.indexOf(command)
              return (
                <button
                  key={command.id}
                  id={`palette-${position}`}
                  type="button"
                  role="option"
                  tabIndex={-1}
                  aria-selected={position === chosen}
                  onClick={() => give(command)}
                >
                  {command.title}
                  <Keys keys={command.keys} />
                </button>
              )
            })}
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="quiet">No command of these words, and nothing in the dump.</p>}
    </Modal>
  )
}

function useGroups(text: string): readonly EntryGroup[] {
  const recent = useObservable(recentCommands)
  const report = useFiles((files) => files.report)
  const view = useView((state) => state.view)
  const rows = useRolloutsById(text)
  return useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean)
    const fitting = [...COMMANDS, ...viewCommands()].filter(
      (command) => command.id !== 'palette' && fits(words, searchedText(command)),
    )
    const groups = groupCommands(fitting.filter(isPossible), recent, view)
    if (words.length === 0) return groups
    const elsewhere = report === null ? [] : commandsElsewhere(fitting, view, giveElsewhere)
    return [...groups, ...foundInReport(report, words), ...foundRollouts(rows), ...elsewhere]
  }, [text, recent, report, view, rows])
}

/** Shows the view and gives the command once that is drawn. In a rollout there is something to give it to only when that was read. */
function giveElsewhere(view: View, command: Command): void {
  if (view !== 'rollout') {
    show(view)
    requestAnimationFrame(() => requestAnimationFrame(() => command.run()))
    return
  }
  const rollout = rolloutAtCursor()
  if (rollout !== undefined) openRollout(rollout)
  say(
    rollout === undefined
      ? 'No rollout is listed in which that could be done'
      : `In a rollout now; here “${command.title}” can be given`,
  )
}

/** Whether a command is there whatever is open; what was found in a dump is not. */
function isLasting({ id }: Command): boolean {
  return COMMANDS.some((command) => command.id === id)
}
