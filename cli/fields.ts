import { inertJson } from '../shared/exports/json-text.ts'
import type { QueryField } from '../shared/query/language/field.ts'
import { FIELD_GROUPS } from '../shared/query/language/fields.ts'
import type { ParsedArguments } from './arguments.ts'
import { type CommandIo, Exit, UsageError } from './io.ts'
import { createTerminal } from './terminal.ts'

const INDENT = 4

/** `fields`: what `--where QUERY` may ask for, as docs/query.md lists it. */
export async function listFields({ paths, options }: ParsedArguments, io: CommandIo): Promise<Exit> {
  if (paths[0] !== undefined) throw new UsageError(`${paths[0]}: this command takes no file.`)
  if (options.json === true) {
    const rows = FIELD_GROUPS.flatMap(({ title, fields }) => fields.map((field) => ({ group: title, ...told(field) })))
    io.stdout.write(`${inertJson(rows)}\n`)
    return Exit.ok
  }
  const terminal = createTerminal(io.stdout, io.env)
  for (const { title, fields } of FIELD_GROUPS) {
    terminal.line([{ text: title, style: 'strong' }])
    for (const field of fields) {
      const { name, also, means, unit, values, example } = told(field)
      const others = also.length === 0 ? '' : `, ${also.join(', ')}`
      const measured = unit === null ? '' : ` In ${unit}.`
      terminal.line([{ text: `  ${name}${others}`, style: 'strong' }, `: ${means}${measured}`], INDENT)
      if (values.length > 0)
        terminal.line(`    ${values.map(({ value, means }) => `${value}: ${means}`).join('; ')}`, INDENT)
      terminal.line([{ text: `    ${example}`, style: 'soft' }], INDENT)
    }
    terminal.line()
  }
  terminal.line(
    'Terms beside each other must all hold; `or` asks for either, `-` before a term denies it, parentheses group. A word, or text in quotes, is searched for in what the model saw.',
  )
  return Exit.ok
}

function told({ name, also, means, unit, choices, example }: QueryField) {
  return { name, also, means, unit: unit === 'share' ? null : unit, values: choices, example }
}
