import { Modal } from '../app/modal.tsx'
import type { Command } from './command.ts'
import { COMMANDS } from './commands.ts'
import { Keys } from './key-list.tsx'
import { SECTIONS, type Section } from './sections.ts'

/** A heading and the room above it take as much as so many commands. */
const LINES_OF_HEAD = 2

function commandsOf(section: Section): readonly Command[] {
  return COMMANDS.filter((command) => command.keys.length > 0 && section.has(command))
}

/** Two columns about as long as each other: side by side in rows, a short section would leave a hole under it. The longest are placed first. */
function inColumns(sections: readonly Section[]): Section[][] {
  const linesOf = (column: readonly Section[]) =>
    column.reduce((sum, section) => sum + commandsOf(section).length + LINES_OF_HEAD, 0)
  const columns: Section[][] = [[], []]
  for (const section of sections.toSorted((a, b) => linesOf([b]) - linesOf([a])))
    columns.sort((a, b) => linesOf(a) - linesOf(b))[0]?.push(section)
  const place = (section: Section | undefined) => (section === undefined ? 0 : sections.indexOf(section))
  return columns
    .map((column) => column.toSorted((a, b) => place(a) - place(b)))
    .toSorted(([a], [b]) => place(a) - place(b))
}

/** All keys, read off the command table. */
export function CheatSheet() {
  return (
    <Modal title="Keys">
      <div className="cheat-sheet">
        {inColumns(SECTIONS.filter((section) => commandsOf(section).length > 0)).map((sections) => (
          <div key={sections[0]?.title}>
            {sections.map((section) => (
              <KeysOf key={section.title} section={section} />
            ))}
          </div>
        ))}
      </div>
    </Modal>
  )
}

function KeysOf({ section }: { section: Section }) {
  return (
    <section>
      <h3>{section.title}</h3>
      <dl>
        {commandsOf(section).map((command) => (
          <div key={command.id}>
            <dt>{command.title}</dt>
            <dd>
              <Keys keys={command.keys} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
