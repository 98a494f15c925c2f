import type { OptionSpec } from './options.ts'
import type { Terminal } from './terminal.ts'

export interface CommandHelp {
  readonly name: string
  /** What stands after the name: `PATH… [options]`. */
  readonly takes: string
  readonly does: string
  /** What its help says beyond that. */
  readonly more?: string
  readonly options: readonly OptionSpec[]
}

const OPTION_COLUMN = 34

export function printUsage(terminal: Terminal, commands: readonly CommandHelp[]): void {
  terminal.line('Rollout Inspector shows which tokens of an RL rollout are trained, and names what is wrong with them.')
  terminal.line()
  for (const { name, takes, does } of commands) {
    terminal.line([{ text: `  rollout-inspector ${name} ${takes}`.trimEnd(), style: 'strong' }], 6)
    terminal.line(`      ${does}`, 6)
  }
  terminal.line()
  terminal.line('  rollout-inspector COMMAND --help lists its options; --version prints the version.', 2)
}

export function printCommandHelp(terminal: Terminal, { name, takes, does, more, options }: CommandHelp): void {
  terminal.line([{ text: `rollout-inspector ${name} ${takes}`.trimEnd(), style: 'strong' }], 4)
  terminal.line(`${does}`)
  if (more !== undefined) terminal.line(more)
  if (options.length > 0) terminal.line()
  for (const option of options) {
    const value = option.kind === 'flag' ? '' : ` ${option.placeholder}`
    const left = `  --${option.name}${value}`
    if (left.length >= OPTION_COLUMN - 1) {
      terminal.line(left)
      terminal.line(`${' '.repeat(OPTION_COLUMN)}${option.help}`, OPTION_COLUMN)
    } else terminal.line(`${left.padEnd(OPTION_COLUMN)}${option.help}`.trimEnd(), OPTION_COLUMN)
  }
  if (name === 'inspect' || name === 'merge') {
    terminal.line()
    terminal.line('Exit codes: 0 no finding at or above --fail-on; 1 there is one; 2 usage; 3 nothing could be read.')
  }
}
