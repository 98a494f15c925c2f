import { CHECKS } from '../shared/checks/registry.ts'
import { HYPOTHESES } from '../shared/hypotheses/registry.ts'
import { closestName } from '../shared/model/closest-name.ts'
import { type ParsedArguments, parseArguments } from './arguments.ts'
import { type CommandIo, Exit, UsageError } from './io.ts'
import { EXPORT_OPTIONS, INSPECT_OPTIONS, LIST_OPTIONS, MERGE_OPTIONS, SHOW_OPTIONS } from './options.ts'
import { createTerminal } from './terminal.ts'
import { startAhead } from './threads.ts'
import { type CommandHelp, printCommandHelp, printUsage } from './usage.ts'

interface Command extends CommandHelp {
  run(given: ParsedArguments, io: CommandIo): Promise<number>
}

/** The code of each is loaded when it is asked for: what writes files, serves or merges is most of what there is. */
const COMMANDS: readonly Command[] = [
  {
    name: 'inspect',
    takes: 'PATH… [options]',
    does: 'Audits dumps (files, folders, patterns, - for standard input) and says what is wrong.',
    options: INSPECT_OPTIONS,
    run: async (given, io) => {
      startAhead(given.paths, io.directory, given.options.jobs as number | undefined)
      return (await import('./inspect.ts')).inspect(given, io)
    },
  },
  {
    name: 'show',
    takes: 'PATH… --index N|--id ID|--where QUERY',
    does: 'Prints one rollout with the state of every token and its findings.',
    options: SHOW_OPTIONS,
    run: async (given, io) => (await import('./show.ts')).show(given, io),
  },
  {
    name: 'export',
    takes: 'PATH… --flagged|--where QUERY|--flags FILE --as source|native|csv|parquet|sft|dpo --out PATH',
    does: 'Writes the rollouts with findings, those that fit a query or those that a person flagged, and a manifest.',
    options: EXPORT_OPTIONS,
    run: async (given, io) => (await import('./export.ts')).exportCommand(given, io),
  },
  {
    name: 'merge',
    takes: 'REPORT… [options]',
    does: 'Judges JSON reports of parts of a run (files, folders, patterns, - for standard input) together, as if all files had been read at once.',
    options: MERGE_OPTIONS,
    run: async (given, io) => (await import('./merge.ts')).mergeCommand(given, io),
  },
  {
    name: 'formats',
    takes: '',
    does: 'Lists the formats that are recognised.',
    options: LIST_OPTIONS,
    run: async (given, io) => (await import('./lists.ts')).listFormats(given, io),
  },
  {
    name: 'checks',
    takes: '[CODE…]',
    does: 'Lists the faults that are looked for, or explains some.',
    options: LIST_OPTIONS,
    run: async (given, io) => (await import('./lists.ts')).listChecks(given, io),
  },
  {
    name: 'fields',
    takes: '',
    does: 'Lists what a query (--where) can ask for.',
    options: LIST_OPTIONS,
    run: async (given, io) => (await import('./fields.ts')).listFields(given, io),
  },
]

/** `serve` reads its own arguments: it audits nothing. */
const SERVE: CommandHelp = {
  name: 'serve',
  takes: 'DIR|FILE… [--port N]',
  does: 'Serves the inspector in a browser: of DIR to choose from, of files opened.',
  options: [],
}

/** Runs the command that `argv` names. Returns its exit code; throws what it throws. */
export async function dispatch(argv: readonly string[], io: CommandIo): Promise<number> {
  const [name, ...rest] = argv
  // `help inspect` is `inspect --help`.
  if (name === 'help' && rest[0] !== undefined && !rest[0].startsWith('-')) return dispatch([rest[0], '--help'], io)
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    printUsage(createTerminal(name === undefined ? io.stderr : io.stdout, io.env), [...COMMANDS, SERVE])
    return name === undefined ? Exit.usage : Exit.ok
  }
  if (name === 'serve') {
    const { SERVE_HELP, serve } = await import('./serve.ts')
    if (!rest.includes('--help') && !rest.includes('-h')) return serve(rest, io)
    printCommandHelp(createTerminal(io.stdout, io.env), { ...SERVE, ...SERVE_HELP })
    return Exit.ok
  }
  const command = COMMANDS.find((candidate) => candidate.name === name)
  if (command === undefined) throw unknownCommand(name)
  const given = parseArguments(rest, command.options)
  if (given.options.help === true) {
    printCommandHelp(createTerminal(io.stdout, io.env), command)
    return Exit.ok
  }
  refuseUnknownCodes(given)
  return command.run(given, io)
}

function unknownCommand(name: string): UsageError {
  const closest = closestName(
    name,
    [...COMMANDS, SERVE].map((command) => command.name),
  )
  const hint = closest === null ? '' : ` Did you mean ${closest}?`
  return new UsageError(`${name} is not a command.${hint} rollout-inspector --help lists them.`)
}

/** A code that nothing answers to would let everything pass. */
function refuseUnknownCodes({ options }: ParsedArguments): void {
  const known = { checks: CHECKS.map(({ code }) => code), hypothesis: HYPOTHESES.map(({ id }) => id as string) }
  const asked = [
    ['checks', known.checks],
    ['intend', known.checks],
    ['hypothesis', known.hypothesis],
  ] as const
  for (const [option, codes] of asked) {
    const unknown = ((options[option] ?? []) as readonly string[]).find((code) => !codes.includes(code))
    if (unknown !== undefined) throw new UsageError(`--${option} ${unknown}: this version knows ${codes.join(', ')}.`)
  }
}
