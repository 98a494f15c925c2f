import { Modal } from '../app/modal.tsx'
import { COMMANDS } from './commands.ts'
import { Keys } from './key-list.tsx'
import { SECTIONS, type Section } from './sections.ts'

function hasKeys(section: Section): boolean {
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
