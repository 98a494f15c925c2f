import { type Cells, NUMBER, wrong } from './columns.ts'

/** Several values as one cell; none at all are `_`. What stands inside another such cell needs a separator of its own. */
type Separator = ',' | ':' | ';'

function composite<Value>(
  separator: Separator,
  cells: { writer(): (value: Value) => readonly string[]; reader(): (parts: readonly string[], cell: string) => Value },
  same: (a: Value, b: Value) => boolean,
): Cells<Value> {
  return {
    writer() {
      const write = cells.writer()
      return (value) => {
        const parts = write(value)
        return parts.length === 0 ? '_' : parts.join(separator)
      }
    },
    reader() {
      const read = cells.reader()
      return (cell) => read(cell === '_' ? [] : cell.split(separator), cell)
    },
    same,
  }
}

export function listOf<Value>(cells: Cells<Value>, separator: Separator = ','): Cells<readonly Value[]> {
  return composite(
    separator,
    {
      writer() {
        const write = cells.writer()
        return (values) => values.map(write)
      },
      reader() {
        const read = cells.reader()
        return (parts) => parts.map(read)
      },
    },
    (a, b) => a.length === b.length && a.every((value, i) => cells.same(value, b[i] as Value)),
  )
}

type Fields<Value> = { readonly [Key in keyof Value]-?: Cells<Value[Key]> }

/** An object with these fields, all of them there. */
export function recordOf<Value extends object>(fields: Fields<Value>, separator: Separator): Cells<Value> {
  const names = Object.keys(fields) as (keyof Value)[]
  return composite(
    separator,
    {
      writer() {
        const writers = names.map((name) => fields[name].writer())
        return (value) => names.map((name, i) => (writers[i] as (value: unknown) => string)(value[name]))
      },
      reader() {
        const readers = names.map((name) => fields[name].reader())
        return (parts, cell) => {
          if (parts.length !== names.length) throw wrong(cell, `${names.length} values`)
          const value = {} as Value
          for (const [i, name] of names.entries())
            value[name] = (readers[i] as (cell: string) => Value[typeof name])(parts[i] as string)
          return value
        }
      },
    },
    (a, b) => names.every((name) => fields[name].same(a[name], b[name])),
  )
}

/** A list of exactly two numbers. */
export const PAIR: Cells<readonly [number, number]> = {
  ...listOf(NUMBER),
  reader() {
    const read = listOf(NUMBER).reader()
    return (cell) => {
      const [first, second, ...more] = read(cell)
      if (first === undefined || second === undefined || more.length > 0) throw wrong(cell, 'two numbers')
      return [first, second]
    }
  },
}
