import { parseArgs } from 'node:util'
import { closestName } from '../shared/model/closest-name.ts'
import { UsageError } from './io.ts'
import type { OptionSpec } from './options.ts'

export type OptionValue = string | number | boolean | readonly string[]

export interface ParsedArguments {
  readonly paths: readonly string[]
  /** Only options that were given, checked against their kind. */
  readonly options: Readonly<Record<string, OptionValue>>
}

/**
 * Arguments of one command. Lists take commas, repeats, and following arguments that look like their items
 * (`--checks M01 M02 dump.jsonl`). Throws `UsageError` naming the option, and the closest one for an unknown option. One that is
 * taken once and given twice would lose what was asked for first.
 */
export function parseArguments(argv: readonly string[], specs: readonly OptionSpec[]): ParsedArguments {
  const byName = new Map(specs.map((spec) => [spec.name, spec]))
  const { tokens } = parseArgs({
    args: gatherLists(argv, byName),
    options: Object.fromEntries([
      ...specs.map((spec) => [spec.name, { type: spec.kind === 'flag' ? 'boolean' : 'string' } as const]),
      ['help', { type: 'boolean', short: 'h' } as const],
    ]),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const paths: string[] = []
  const options: Record<string, OptionValue> = {}
  for (const token of tokens) {
    if (token.kind === 'positional') paths.push(token.value)
    if (token.kind !== 'option') continue
    if (token.name === 'help') {
      options.help = true
      continue
    }
    const spec = byName.get(token.name)
    if (spec === undefined) throw unknownOption(argv, token, specs)
    const value = readValue(spec, token.value)
    const before = options[spec.name]
    if (before !== undefined && !Array.isArray(before) && before !== value) {
      throw new UsageError(`--${spec.name} is taken once, and is given as ${before} and as ${value}. Leave one out.`)
    }
    options[spec.name] = Array.isArray(before) ? [...before, ...(value as readonly string[])] : value
  }
  return { paths, options }
}

/** One more setting behind an option that takes them. */
const SETTING = /^[a-z][a-z0-9_.-]*=/

/** Joins the arguments that a list option takes into one, separated by commas. */
function gatherLists(argv: readonly string[], byName: ReadonlyMap<string, OptionSpec>): string[] {
  const gathered: string[] = []
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i]!
    if (argument === '--') return [...gathered, ...argv.slice(i)]
    const spec = argument.startsWith('--') ? byName.get(argument.slice(2)) : undefined
    if (spec?.kind === 'list') {
      const items: string[] = []
      const first = argv[i + 1]
      if (first !== undefined && !first.startsWith('--')) items.push(argv[++i]!)
      while (i + 1 < argv.length && spec.item.test(argv[i + 1]!)) items.push(argv[++i]!)
      gathered.push(`${argument}=${items.join(',')}`)
      continue
    }
    if (spec?.kind === 'settings') {
      do {
        const next = argv[i + 1]
        gathered.push(next === undefined || next.startsWith('--') ? argument : `${argument}=${argv[++i]}`)
      } while (i + 1 < argv.length && SETTING.test(argv[i + 1]!))
      continue
    }
    if (spec?.kind === 'paths') {
      do {
        const next = argv[i + 1]
        const isPath = next !== undefined && !next.startsWith('--')
        gathered.push(`${argument}=${isPath ? argv[++i] : ''}`)
      } while (i + 1 < argv.length && !argv[i + 1]!.startsWith('--'))
      continue
    }
    // One dash may begin a value (standard output, a negative number, a query's denial). Two begin the next option, which
    // parseArgs would take for the value.
    const lacksValue = spec !== undefined && spec.kind !== 'flag' && argv[i + 1]?.startsWith('--') === true
    gathered.push(lacksValue ? `${argument}=` : argument)
  }
  return gathered
}

function readValue(spec: OptionSpec, value: string | undefined): OptionValue {
  const name = `--${spec.name}`
  if (spec.kind === 'flag') {
    if (value !== undefined) throw new UsageError(`${name} takes no value.`)
    return true
  }
  if (value === undefined || value === '') throw new UsageError(`${name} needs a value: ${name} ${spec.placeholder}.`)
  switch (spec.kind) {
    case 'text':
      return value
    case 'paths':
    case 'settings':
      return [value]
    case 'choice':
      if (!spec.choices.includes(value)) {
        throw new UsageError(`${name} ${value}: there is no such choice; there are ${spec.choices.join(', ')}.`)
      }
      return value
    case 'integer':
    case 'number': {
      const number = Number(value)
      const least = spec.least ?? 0
      const whole = spec.kind === 'number' || Number.isSafeInteger(number)
      if (value.trim() === '' || !Number.isFinite(number) || !whole || number < least) {
        const wanted = spec.kind === 'integer' ? 'a whole number' : 'a number'
        throw new UsageError(`${name} ${value}: ${wanted} of at least ${least} is needed.`)
      }
      return number
    }
    case 'list': {
      const items = value.split(',').map((item) => item.trim().toUpperCase())
      const wrong = items.find((item) => !spec.item.test(item))
      if (wrong !== undefined) throw new UsageError(`${name} ${wrong}: ${spec.wants}`)
      // Hypotheses such as H06-lora are spelt in lower case after the number.
      return items.map((item) => item.replace(/-.*/, (tail) => tail.toLowerCase()))
    }
  }
}

/** Letters behind one dash are told whole, as they were written: there are no options of one letter that could be joined. */
function unknownOption(
  argv: readonly string[],
  { rawName }: { readonly rawName: string },
  specs: readonly OptionSpec[],
): UsageError {
  const isShort = !rawName.startsWith('--')
  const raw = (isShort ? argv.find((each) => each.startsWith(rawName)) : undefined) ?? rawName
  const names = specs.map((spec) => `--${spec.name}`)
  const closest = closestName(raw, names)
  return new UsageError(
    `${raw} is not an option of this command.${closest === null ? '' : ` Did you mean ${closest}?`} --help lists all options.${isShort ? ` A file of that name is ./${raw}.` : ''}`,
  )
}
