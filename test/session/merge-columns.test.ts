import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Cells,
  COUNT,
  ColumnError,
  countTo,
  FLAG,
  NUMBER,
  nullable,
  oneOf,
  optional,
  readColumn,
  TEXT,
  writeColumn,
} from '../../shared/session/merge/columns.ts'
import { listOf, PAIR, recordOf } from '../../shared/session/merge/composites.ts'

/** Texts that look like marks and separators, hashes, and any others; half surrogates too. */
const texts = fc.oneof(
  fc.constantFrom('', '-', '.', '=', '_', '%', '*', ' ', '#', '^', '^0', '~', '%2', '*3', 'a,b', 'a:b;c', '__proto__'),
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 15, maxLength: 17 }),
  fc.string(),
  fc.string({ unit: 'binary' }),
)
const counts = fc.nat(Number.MAX_SAFE_INTEGER)

/** Rows that repeat, as those of a dump do. */
function rows<Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<Value[]> {
  return fc
    .array(fc.tuple(values, fc.integer({ min: 1, max: 4 })))
    .map((runs) => runs.flatMap(([value, times]) => Array<Value>(times).fill(value)))
}

function comesBack<Value>(cells: Cells<Value>, values: fc.Arbitrary<Value>): void {
  fc.assert(
    fc.property(rows(values), (column) => {
      const text = writeColumn(cells, column)
      expect(readColumn(cells, JSON.parse(JSON.stringify(text)), column.length)).toStrictEqual(column)
    }),
  )
}

describe('a column comes back as it was', () => {
  it('of numbers, of all bits', () => comesBack(NUMBER, fc.oneof(fc.double(), fc.integer(), fc.constant(-0))))
  it('of counts', () => comesBack(COUNT, counts))
  it('of flags', () => comesBack(nullable(FLAG), fc.option(fc.boolean())))
  it('of texts', () => comesBack(TEXT, texts))
  it('of names', () => comesBack(oneOf(['stop', 'cut', '-']), fc.constantFrom('stop', 'cut', '-')))
  it('of what may be null or absent', () =>
    comesBack(optional(nullable(TEXT)), fc.option(fc.option(texts), { nil: undefined })))
  it('of lists', () => comesBack(nullable(listOf(TEXT)), fc.option(fc.array(texts))))
  it('of pairs', () => comesBack(PAIR, fc.tuple(fc.double(), fc.double())))
  it('of records in lists, with lists in them', () => {
    const inner = recordOf({ at: COUNT, words: nullable(listOf(TEXT, ';')) }, ':')
    comesBack(
      listOf(inner),
      fc.array(fc.record({ at: counts, words: fc.option(fc.array(texts)) }, { noNullPrototype: true })),
    )
  })
})

describe('a column is short', () => {
  it('where values repeat, wherever they stand', () => {
    expect(writeColumn(COUNT, [7, 7, 7, 1])).toBe('7*3 1')
    expect(writeColumn(TEXT, ['question 1', 'question 2', 'question 1'])).toBe('question%201 question%202 ^0')
  })

  it('where texts are hashes, or numbers have many digits', () => {
    expect(writeColumn(TEXT, ['0123456789abcdef'])).toHaveLength(12)
    expect(writeColumn(NUMBER, [Math.PI, 0.5, Math.PI, 0.5])).toMatch(/^~\S{11} 0.5 \^0 0.5$/)
  })
})

describe('what is no column', () => {
  it.each<[string, Cells<unknown>, string]>([
    ['has fewer cells', COUNT as Cells<unknown>, '1*2'],
    ['has more cells', COUNT as Cells<unknown>, '1*4'],
    ['has more cells', COUNT as Cells<unknown>, '1*3 1'],
    ['"1*1e99"', COUNT as Cells<unknown>, '1*1e99'],
    ['"1*0"', COUNT as Cells<unknown>, '1*0 1*3'],
    ['"x" where a count', COUNT as Cells<unknown>, 'x*3'],
    ['"-1" where a count', COUNT as Cells<unknown>, '-1*3'],
    ['where a count', COUNT as Cells<unknown>, '9007199254740993*3'],
    ['where a count up to 9', countTo(9) as Cells<unknown>, '9*2 10'],
    ['"0x10" where a number', NUMBER as Cells<unknown>, '0x10*3'],
    ['where a number', NUMBER as Cells<unknown>, '~short*3'],
    ['where a hash', TEXT as Cells<unknown>, '#AAAAAAAAAA!*3'],
    ['where the number of a value', TEXT as Cells<unknown>, '^7*3'],
    ['"" where a text', TEXT as Cells<unknown>, 'a*2 '],
    ['"%zz" where a text', TEXT as Cells<unknown>, '%zz*3'],
    ['where stop, cut', oneOf(['stop', 'cut']) as Cells<unknown>, 'none*3'],
    ['where two numbers', PAIR as Cells<unknown>, '1,2,3*3'],
    ['where 0 or 1', FLAG as Cells<unknown>, '2*3'],
  ])('is refused: %s', (message, cells, text) => {
    const read = () => readColumn(cells, text, 3)
    expect(read).toThrow(ColumnError)
    expect(read).toThrow(message)
  })

  it('never fails in another way', () => {
    const cells = optional(
      listOf(recordOf({ a: NUMBER, b: TEXT, c: nullable(COUNT), d: oneOf(['x']), e: listOf(FLAG, ';') }, ':')),
    )
    const texts = fc.string({ unit: fc.constantFrom(...'01.-=_%*,:;#^~xA ') })
    fc.assert(
      fc.property(texts, (text) => {
        try {
          readColumn(cells, text, 2)
        } catch (error) {
          expect(error).toBeInstanceOf(ColumnError)
        }
      }),
      { numRuns: 2000 },
    )
  })
})
