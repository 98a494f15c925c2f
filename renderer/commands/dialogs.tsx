import { useMemo, useState } from 'react'
import { Modal } from '../app/modal.tsx'
import { openDialog } from '../state/view.ts'
import { viewCommands } from '../views/rollouts/view-commands.ts'
import { type Command, isPossible } from './command.ts'
import { COMMANDS } from './commands.ts'
import { drawKey } from './keys.ts'

function Keys({ keys }: { keys: readonly string[] }) {
  return (
    <span className="keys">
      {keys.map((key) => (
        <kbd key={key}>{drawKey(key)}</kbd>
      ))}
    </span>
  )
}

const SECTIONS: readonly { readonly title: string; has(command: Command): boolean }[] = [
  { title: 'Everywhere', has: ({ where }) => where === 'always' || where === undefined },
  { title: 'In the table', has: ({ where }) => Array.isArray(where) && where.includes('rollouts') },
  { title: 'In a rollout', has: ({ where }) => Array.isArray(where) && where.includes('rollout') },
  { title: 'In Groups', has: ({ where }) => Array.isArray(where) && where.includes('groups') },
  { title: 'In the Lab', has: ({ where }) => Array.isArray(where) && where.includes('lab') },
  { title: 'In Compare', has: ({ where }) => Array.isArray(where) && where.includes('compare') },
  { title: 'In the Notebook', has: ({ where }) => Array.isArray(where) && where.includes('notebook') },
]

function hasKeys(section: (typeof SECTIONS)[number]): boolean {
  return COMMANDS.some((command) => command.keys.length > 0 && section.has(command))
}

/** All keys, read off the command table. */
export function CheatSheet() {
  return (
    <Modal title="Keys">
      <div className="cheat-sheet">
        {SECTIONS.filter(hasKeys).map((section) => (
          <section key={section.title}>
            <h3>{section.title}</h3>
            <dl>
              {COMMANDS.filter((command) => command.keys.length > 0 && section.has(command)).map((command) => (
                <div key={command.id}>
                  <dt>{command.title}</dt>
                  <dd>
                    <Keys keys={command.keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  )
}

/** Finds a command by its words. */
export function Palette() {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const found = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/)
    return [...COMMANDS, ...viewCommands()].filter(
      (command) =>
        command.id !== 'palette' &&
        isPossible(command) &&
        words.every((word) => command.title.toLowerCase().includes(word)),
    )
  }, [text])
  const chosen = Math.min(at, found.length - 1)
  const give = (command: Command | undefined) => {
    if (command === undefined) return
    openDialog(null)
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
        aria-activedescendant={found[chosen] === undefined ? undefined : `palette-${found[chosen].id}`}
        aria-label="Command"
        placeholder="open, export, boundary…"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={press}
      />
      <div className="palette-list" id="palette-list" role="listbox" aria-label="Commands">
        {found.map((command, position) => (
          <button
            key={command.id}
            id={`palette-${command.id}`}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={position === chosen}
            onClick={() => give(command)}
          >
            {command.title}
            <Keys keys={command.keys} />
          </button>
        ))}
      </div>
      {found.length === 0 && <p className="quiet">No command of these words.</p>}
    </Modal>
  )
}
