import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decimalToDouble } from '../../shared/containers/decimal.ts'
import { MAX_DEPTH, parseJson } from '../../shared/containers/json.ts'
import { JsonError } from '../../shared/containers/json-error.ts'
import { exactly } from './exactly.ts'
import { plain } from './pickle/read.ts'

const encoder = new TextEncoder()

function parse(text: string, keys: string[] = []) {
  const bytes = encoder.encode(text)
  return parseJson(bytes, 0, bytes.length, new Set(keys))
}

function errorOf(text: string): JsonError {
  try {
    parse(text, ['ids'])
  } catch (error) {
    if (error instanceof JsonError) return error
    throw error
  }
  throw new Error(`was read: ${text}`)
}

/** A record whose list `ids` is read as `JSON.parse` does it, or refused where it is refused there. */
function expectAsJson(text: string): void {
  let expected: { ids: unknown[] }
  try {
    expected = JSON.parse(text)
  } catch {
    errorOf(text)
    return
  }
  const { ids } = expected
  const numbers = ids.every((each) => typeof each === 'number' || typeof each === 'boolean' || each === null)
  const wanted = numbers ? ids.map((each) => (each === null ? Number.NaN : Number(each))) : ids
  const read = (plain(parse(text, ['ids'])) as { ids: unknown[] }).ids
  // `toEqual` on each of thousands of lists would be most of the time.
  const same = read.length === wanted.length && read.every((each, at) => Object.is(each, wanted[at]))
  if (!same) expect({ text, ids: read }).toEqual({ text, ids: wanted })
}

const layouts = [undefined, 1, '\t', 4]

describe('parseJson', () => {
  test('gives what JSON.parse gives, for any JSON in any layout', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(...layouts), (text, space) => {
        const laidOut = JSON.stringify(JSON.parse(text), null, space)
        expect(parse(laidOut)).toEqual(exactly(laidOut))
      }),
      { numRuns: 2000 },
    )
  })

  test('gives the same under numeric keys, with typed arrays for plain ones', () => {
    const element = fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
      fc.string(),
      fc.constant([]),
    )
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.array(fc.integer()), fc.array(element))),
        fc.constantFrom(...layouts),
        (lists, space) => {
          const text = JSON.stringify({ ids: lists, other: [1] }, null, space)
          expect(plain(parse(text, ['ids']))).toEqual(JSON.parse(text))
        },
      ),
      { numRuns: 1000 },
    )
  })

  test('reads ids and flags side by side as JSON.parse does, and refuses them where it does', () => {
    const run = fc.oneof(
      fc.array(fc.constantFrom('0', '1'), { maxLength: 40 }),
      fc.array(fc.nat({ max: 200_000 }).map(String), { maxLength: 20 }),
      fc.array(fc.integer().map(String), { maxLength: 4 }),
      fc.array(fc.bigInt({ min: 0n, max: 10n ** 12n }).map(String), { maxLength: 4 }),
      fc.array(
        fc.constantFrom('9', '10', '99', '100', '999', '1000', '9999', '10000', '2.5', '1e3', '-0', 'null', 'true'),
        {
          maxLength: 4,
        },
      ),
    )
    const damage = fc.option(fc.record({ at: fc.nat(), byte: fc.constantFrom(...'0123456789,/:;<=>?. -+xe[]{}"') }))
    fc.assert(
      fc.property(
        fc.array(run, { maxLength: 8 }),
        fc.constantFrom(',', ', ', ',  ', ' ,', ',\n'),
        fc.nat({ max: 5 }),
        damage,
        (runs, separator, before, damaged) => {
          let list = runs.flat().join(separator)
          if (damaged !== null && list.length > 0) {
            const at = damaged.at % list.length
            list = list.slice(0, at) + damaged.byte + list.slice(at + 1)
          }
          const text = `${' '.repeat(before)}{"ids":[${list}]}`
          expectAsJson(text)
        },
      ),
      { numRuns: 5000 },
    )
  })

  test('reads flags as JSON.parse does, whichever byte among them is damaged', () => {
    for (const separator of [',', ', ']) {
      for (const flags of ['0110100', '1001011']) {
        const list = Array.from(flags.repeat(3)).join(separator)
        for (let at = 0; at < list.length; at++) {
          for (let byte = 0x20; byte < 0x7f; byte++) {
            expectAsJson(`{"ids":[${list.slice(0, at)}${String.fromCharCode(byte)}${list.slice(at + 1)}]}`)
          }
        }
      }
    }
  })

  test('reads strings with escapes, any script, lone surrogates and byte order marks', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), fc.boolean(), (text, escapeAll) => {
        const json = escapeAll
          ? `"${Array.from(text, (c) => Array.from({ length: c.length }, (_, i) => `\\u${c.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')).join('')}"`
          : JSON.stringify(text)
        expect(parse(json)).toBe(JSON.parse(json))
      }),
      { numRuns: 2000 },
    )
    expect(parse('"\ufeffx"')).toBe('\ufeffx')
    expect(parse('"\\ud800"')).toBe('\ud800')
  })

  test('reads every double exactly, however long it is written', () => {
    const value = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.float({ noNaN: true, noDefaultInfinity: true }),
      fc.double({ min: -30, max: 0, noNaN: true }),
      fc.double({ min: -1e-5, max: 0, noNaN: true }),
    )
    fc.assert(
      fc.property(value, fc.constantFrom('shortest', 'precision', 'exponential'), (number, way) => {
        const text =
          way === 'shortest' ? String(number) : way === 'precision' ? number.toPrecision(21) : number.toExponential(16)
        const json = Object.is(number, -0) ? '-0.0' : text
        const isName = /^-?\d+$/.test(json) && !Number.isSafeInteger(number)
        expect(Object.is(parse(json), isName ? json : Number(json))).toBe(true)
        expect((parse(`{"ids":[0.5,${json}]}`, ['ids']) as { ids: Float64Array }).ids[1]).toBe(Number(json))
      }),
      { numRuns: 5000 },
    )
  })

  test('reads decimals next to the middle between two doubles', () => {
    // 2^53 + 1 lies exactly between two doubles, its neighbours just beside.
    for (const text of [
      '9007199254740993.0',
      '9007199254740992.9',
      '900719925474099.31',
      '0.9007199254740993',
      '1.00000000000000011102230246251565',
    ]) {
      expect(parse(text)).toBe(Number(text))
    }
    expect(decimalToDouble(900719925, 4740993, 7, 16, 0)).toBeNaN()
  })

  test('reads an integer that no double holds as its digits, since it names something', () => {
    const id = '1234567890123456789'
    expect(parse(`{"id":${id},"of":[-${id}]}`, ['ids'])).toEqual({ id, of: [`-${id}`] })
    expect(parse('[9007199254740991,-9007199254740991,9007199254740992]')).toEqual([
      9007199254740991,
      -9007199254740991,
      '9007199254740992',
    ])
    expect(parse('10000000000000000000.0')).toBe(1e19)
    expect(parse('1e19')).toBe(1e19)
    const digits = '7'.repeat(1 << 20)
    expect(parse(digits)).toBe(digits)
  })

  test('makes typed arrays under numeric keys, at any depth, and nowhere else', () => {
    const read = parse('{"ids":[1, -2,3],"a":{"ids":[[1],[2.5,null]]},"b":[1],"flags":[true,false,2]}', [
      'ids',
      'flags',
    ])
    expect(read).toEqual({
      ids: Int32Array.of(1, -2, 3),
      a: { ids: [Int32Array.of(1), Float64Array.of(2.5, Number.NaN)] },
      b: [1],
      flags: Int32Array.of(1, 0, 2),
    })
  })

  test('makes them in any layout', () => {
    const value = {
      ids: Array.from({ length: 40 }, (_, i) => i * 37),
      lists: {
        ids: [
          [1, 2],
          [0.5, -3],
        ],
      },
    }
    const typed = { ids: Int32Array.from(value.ids), lists: { ids: [Int32Array.of(1, 2), Float64Array.of(0.5, -3)] } }
    for (const space of layouts) expect(parse(JSON.stringify(value, null, space), ['ids'])).toEqual(typed)
    expect(parse('{"ids":[ 1 ,  2 ,\t3\n]}', ['ids'])).toEqual({ ids: Int32Array.of(1, 2, 3) })
  })

  test('keeps an array of anything else plain', () => {
    expect(parse('{"ids":["7",8]}', ['ids'])).toEqual({ ids: ['7', 8] })
    expect(parse('{"ids":[]}', ['ids'])).toEqual({ ids: new Int32Array(0) })
  })

  test('changes to doubles where 32 bits end', () => {
    expect(parse('{"ids":[2147483647,-2147483648]}', ['ids'])).toEqual({ ids: Int32Array.of(2147483647, -2147483648) })
    expect(parse('{"ids":[1,2147483648]}', ['ids'])).toEqual({ ids: Float64Array.of(1, 2147483648) })
    expect(parse('{"ids":[1,2.0]}', ['ids'])).toEqual({ ids: Float64Array.of(1, 2) })
    const zero = parse('{"ids":[-0]}', ['ids']) as { ids: Float64Array }
    expect(Object.is(zero.ids[0], -0)).toBe(true)
  })

  test('grows for long arrays', () => {
    const ids = Array.from({ length: 100_000 }, (_, i) => i * 7)
    expect(parse(JSON.stringify({ ids }), ['ids'])).toEqual({ ids: Int32Array.from(ids) })
    const logprobs = ids.map((id) => -(id + 1) / 3)
    expect(parse(JSON.stringify({ ids: logprobs }), ['ids'])).toEqual({ ids: Float64Array.from(logprobs) })
  })

  test("reads Python's bare NaN and infinities, in typed arrays too", () => {
    expect(parse('[NaN, Infinity, -Infinity]')).toEqual([
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ])
    expect(parse('{"ids":[1,NaN,-Infinity,Infinity]}', ['ids'])).toEqual({
      ids: Float64Array.of(1, Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
    })
  })

  test('takes __proto__ as a key like any other', () => {
    const read = parse('{"__proto__":{"polluted":true},"constructor":1}') as object
    expect(Object.keys(read)).toEqual(['__proto__', 'constructor'])
    expect('polluted' in read).toBe(false)
    expect('polluted' in {}).toBe(false)
  })

  test('refuses what JSON.parse refuses, and says where', () => {
    const bad = [
      '',
      '{',
      '[1,]',
      '[1 2]',
      '{"a":1,}',
      '{"a"}',
      '{a:1}',
      '01',
      '-',
      '1.',
      '.5',
      '1e',
      '+1',
      'tru',
      '"a',
      '"\\x"',
      '"\n"',
      '{} x',
      '[1}',
      '{"ids":[1,]}',
      '{"ids":[01]}',
      '{"ids":[1,-]}',
      'nan',
      '"\\u12"',
    ]
    for (const text of bad) {
      expect(() => JSON.parse(text)).toThrow()
      expect(errorOf(text)).toBeInstanceOf(JsonError)
    }
    expect(errorOf('{"a": [1, 2}').at).toBe(11)
    expect(errorOf('{"a": [1, 2}').message).toBe('"," or "]" was expected, found "}"')
    expect(errorOf('{"ids": [1, 2').message).toBe('"," or "]" was expected, found the end')
  })

  test('refuses bottomless nesting instead of exhausting the stack', () => {
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    expect(parse(deep(MAX_DEPTH))).toBeInstanceOf(Array)
    expect(errorOf(deep(MAX_DEPTH + 1)).message).toContain('nested deeper')
    expect(errorOf(`{"ids":${deep(200_000)}}`).message).toContain('nested deeper')
  })
})
