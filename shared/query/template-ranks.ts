import type { FactColumns } from '../checks/facts/fact-columns.ts'
import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import { type Column, KIND } from '../checks/facts/packed-columns.ts'
import type { Numbers } from '../checks/facts/packed-numbers.ts'
import { fillNumbers, type Rows } from '../checks/facts/read-columns.ts'
import { commonTemplate, type TextTemplate, templatedTexts } from '../checks/texts/text-template.ts'
import { roomForNumbers } from './order-memory.ts'
import { rowRanks } from './word-order.ts'

/**
 * Numbers that compare as the texts of a fact do, NaN where a rollout has none, where all texts are of one template: as many of its numbers as it takes
 * are read from the columns, and no text is made. Null for others.
 */
export function templateRanks(
  facts: FactColumns,
  name: keyof TrajectoryFacts,
  textOf: (row: number) => string,
): Float64Array | null {
  const template = templateOf(facts, name)
  if (template === null) return null
  const { length } = facts
  let others: Float64Array | null = null
  return rowRanks({
    length,
    slots: template.slots.length,
    // The first are what the ranks become.
    read: (slot) =>
      numbersOf(facts, name, slot, slot === 0 ? roomForNumbers(length) : (others ??= new Float64Array(length))),
    textOf,
  })
}

function templateOf(facts: FactColumns, name: keyof TrajectoryFacts): TextTemplate | null {
  let common: TextTemplate | null = null
  let isOne = true
  const add = (template: TextTemplate | null) => {
    if (template === null || !isOne) isOne = false
    else if (common === null) common = template
    else if ((common = commonTemplate(common, template)) === null) isOne = false
  }
  facts.visit(
    name,
    (column) => {
      if (!isEmpty(column)) add((templatedIn(column)?.values as TextTemplate | undefined) ?? null)
    },
    (value) => {
      if (value !== null && value !== undefined) add(templatedTexts([value as string])?.template ?? null)
    },
  )
  return isOne ? common : null
}

function isEmpty({ kind, values }: Column): boolean {
  return kind === KIND.same && (values === null || values === undefined)
}

/** Its different texts, or those of all rows, as numbers. */
function templatedIn(column: Column): Column | null {
  if (column.kind === KIND.templated) return column
  return column.kind === KIND.chosen ? (column.parts?.[0] ?? null) : null
}

function numbersOf(facts: FactColumns, name: keyof TrajectoryFacts, slot: number, numbers: Float64Array): Float64Array {
  facts.visit(
    name,
    (column, rows, at) => {
      if (column.kind === KIND.chosen) fillChosen(column, slot, rows, numbers, at)
      else if (column.kind === KIND.templated) fillSlot(column, slot, rows, numbers, at)
      else numbers.fill(Number.NaN, at, at + rows.length)
    },
    (value, at) => {
      numbers[at] = templatedTexts([value as string | null])?.numbers[slot]?.[0] ?? Number.NaN
    },
  )
  return numbers
}

function fillChosen(column: Column, slot: number, { row, length }: Rows, into: Float64Array, at: number): void {
  const distinct = new Float64Array((column.values as readonly unknown[]).length)
  fillSlot(templatedIn(column) as Column, slot, { row: 0, length: distinct.length }, distinct, 0)
  const chosen = column.numbers as Numbers
  for (let i = 0; i < length; i++) into[at + i] = distinct[chosen[row + i] as number] as number
}

function fillSlot({ parts, absent }: Column, slot: number, rows: Rows, into: Float64Array, at: number): void {
  fillNumbers(parts?.[slot] as Column, [], rows, into, at)
  if (absent === null) return
  for (let i = 0; i < rows.length; i++) if (absent[rows.row + i] !== 0) into[at + i] = Number.NaN
}
