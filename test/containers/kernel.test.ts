import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../shared/containers/json.ts'
import { JsonError } from '../../shared/containers/json-error.ts'
import { inKernel, kernelInput, kernelOver } from '../../shared/containers/kernel/thread-kernel.ts'
import { parseInPortions, parseRecords } from '../../shared/containers/records.ts'
import { hashBytes } from '../../shared/model/bulk-hash.ts'

/** The bytes in the kernel's memory; what lies behind them is none of theirs. */
function inKernelMemory(bytes: Uint8Array): Uint8Array {
  const input = kernelInput(bytes.length + 32)
  if (input === null) throw new Error('this machine runs no WebAssembly with vectors')
  input.fill(0x30)
  input.set(bytes)
  return input.subarray(0, bytes.length)
}

/** What is read under `ids`, or where and why it is refused. */
function read(bytes: Uint8Array, start: number): unknown {
  try {
    return parseJson(bytes, start, bytes.length, new Set(['ids']))
  } catch (error) {
    if (error instanceof JsonError) return { at: error.at, message: error.message }
    throw error
  }
}

function expectSame(text: string, shift: number): void {
  const bytes = new TextEncoder().encode(' '.repeat(shift) + text)
  const scripted = read(bytes, shift)
  expect(read(inKernelMemory(bytes), shift)).toStrictEqual(scripted)
}

const plain = fc.nat({ max: 200_000 }).map(String)
const flag = fc.constantFrom('0', '1')
/** Rows of flags that something like one stands among. */
const nearlyFlag = fc.oneof(
  { weight: 12, arbitrary: flag },
  fc.constantFrom('2', '3', '8', '9', '10', '01', '/', ':', '-'),
)
const any = fc.oneof(
  { weight: 6, arbitrary: plain },
  { weight: 6, arbitrary: flag },
  fc.integer().map(String),
  fc.bigInt({ min: 0n, max: 10n ** 20n }).map(String),
  fc.double().map(String),
  fc.constantFrom(
    'true',
    'false',
    'null',
    '00',
    '01',
    '-0',
    '1e3',
    '1.',
    '',
    '"1"',
    '[1]',
    '{}',
    'x',
    '9999999',
    '10000000',
  ),
)
const between = fc.constantFrom(',', ', ', ',  ', ',\n', ' ,', ' ', '')
const shift = fc.nat({ max: 5 })

describe('the kernel', () => {
  test('is what its text says', () => {
    const written = execFileSync(process.execPath, ['scripts/kernel.mjs', '--print'], { encoding: 'utf8' })
    expect(readFileSync('shared/containers/kernel/kernel-module.ts', 'utf8')).toBe(written)
  })

  test('scans lists of one layout as the script does', () => {
    const elements = fc.oneof(
      fc.array(plain, { maxLength: 60, size: 'max' }),
      fc.array(flag, { maxLength: 60, size: 'max' }),
      fc.array(nearlyFlag, { maxLength: 60, size: 'max' }),
      fc.array(any, { maxLength: 60, size: 'max' }),
    )
    fc.assert(
      fc.property(fc.array(elements, { maxLength: 3 }), between, shift, (lists, comma, at) => {
        expectSame(`{"ids":[${lists.map((list) => `[${list.join(comma)}]`).join(comma)}],"other":1}`, at)
      }),
      { numRuns: 3000 },
    )
  })

  test('scans flags among ids, and whatever stands between them, as the script does', () => {
    const pieces = fc.array(fc.tuple(any, fc.oneof({ weight: 8, arbitrary: fc.constantFrom(',', ', ') }, between)), {
      maxLength: 80,
    })
    fc.assert(
      fc.property(pieces, shift, fc.constantFrom(']', ']}', ',]}', '', ' ] }'), (list, at, end) => {
        expectSame(`{"ids":[${list.flat().join('')}1${end}`, at)
      }),
      { numRuns: 3000 },
    )
  })

  test('scans a long list in which one thing is odd as the script does, wherever it stands', () => {
    const number = fc.oneof(
      { weight: 9, arbitrary: fc.nat({ max: 160_000 }).map(String) },
      fc.constantFrom('0', '7', '9999999', '1000000'),
    )
    const odd = fc.constantFrom(
      ...['00', '01', '007', '12345678', '99999999', '-1', '1.5', '', ' 5', '5 ', '5,', 'x', '/', ':', '\n5', '5\t'],
    )
    const separator = fc.constantFrom(',', ', ')
    fc.assert(
      fc.property(
        fc.array(number, { minLength: 12, maxLength: 60, size: 'max' }),
        separator,
        fc.option(odd),
        fc.nat(),
        fc.option(separator),
        shift,
        (list, comma, piece, place, other, at) => {
          const texts = piece === null ? list : list.with(place % list.length, piece)
          const middle = place % list.length
          const text = texts
            .map((each, i) => (i === 0 ? each : `${i === middle ? (other ?? comma) : comma}${each}`))
            .join('')
          expectSame(`{"ids":[${text}],"other":[1,2]}`, at)
          expectSame(`{"ids":[${text},`, at)
        },
      ),
      { numRuns: 3000 },
    )
  })

  test('scans any bytes of numbers as the script does, wherever they end', () => {
    const bytes = fc.array(fc.constantFrom(...'0123456789,, -.e]'), { maxLength: 80, size: 'max' })
    fc.assert(
      fc.property(bytes, shift, (characters, at) => expectSame(`{"ids":[1,0,7,${characters.join('')}`, at)),
      { numRuns: 3000 },
    )
  })

  test('hashes as the script does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat({ max: 9 }), (bytes, start) => {
        fc.pre(start <= bytes.length)
        const held = inKernelMemory(bytes)
        const kernel = kernelOver(held)
        expect(kernel).not.toBeNull()
        expect(hashBytes(held, start, held.length, kernel)).toBe(hashBytes(bytes, start))
      }),
    )
  })

  test('takes no more than fits, and nothing that lies elsewhere', () => {
    expect(kernelInput((4 << 20) + 1)).toBeNull()
    const whole = kernelInput(4 << 20) as Uint8Array
    expect(kernelOver(whole)).not.toBeNull()
    // Offsets would not be addresses.
    expect(kernelOver(whole.subarray(1))).toBeNull()
    expect(kernelOver(new Uint8Array(8))).toBeNull()
  })

  test('has room for as many numbers as fit its memory', () => {
    const bytes = new Uint8Array(4 << 20).fill(0x2c)
    for (let at = 1; at < bytes.length; at += 2) bytes[at] = 0x31
    bytes[0] = 0x5b
    bytes[bytes.length - 1] = 0x5d
    const numbers = new TextEncoder().encode('{"ids":')
    bytes.copyWithin(numbers.length, 0)
    bytes.set(numbers)
    bytes.set(new TextEncoder().encode('1]}'), bytes.length - 3)
    const held = kernelInput(bytes.length) as Uint8Array
    held.set(bytes)
    const { ids } = parseJson(held, 0, held.length, new Set(['ids'])) as { ids: Int32Array }
    const { ids: expected } = JSON.parse(new TextDecoder().decode(bytes)) as { ids: number[] }
    expect(ids).toHaveLength(expected.length)
    expect(ids.every((id, at) => id === expected[at])).toBe(true)
  })

  test('keeps passing arrays of all records beside each other until other records are parsed', () => {
    const parsed = (...records: readonly string[]) => {
      const bytes = new TextEncoder().encode(records.join('\n'))
      const lengths = Float64Array.from(records, ({ length }) => length)
      const offsets = lengths.map((_, at) => lengths.subarray(0, at).reduce((sum, length) => sum + length + 1, 0))
      const spans = { first: 0, lines: new Float64Array(records.length), offsets, lengths }
      const [parsed] = parseInPortions(bytes, spans, new Set(['ids', 'rest']), records.length)
      return parsed?.records.map(({ value }) => value) ?? []
    }
    const first = parsed('{"ids":[5,6,7],"rest":[[1,2.5,-3],[],[8]]}', '{"ids":[-9,10,"x"],"rest":[4]}')
    expect(first).toEqual([
      { ids: Int32Array.of(5, 6, 7), rest: [Float64Array.of(1, 2.5, -3), new Int32Array(0), Int32Array.of(8)] },
      { ids: [-9, 10, 'x'], rest: Int32Array.of(4) },
    ])
    expect(parsed('{"ids":[1,2]}')).toEqual([{ ids: Int32Array.of(1, 2) }])
    expect(first[0]).toHaveProperty('ids', Int32Array.of(1, 2, 7))
  })

  test('takes in what was read elsewhere, and what was parsed of it stands when other bytes follow', () => {
    const batch = (first: number) => {
      const bytes = new TextEncoder().encode(`{"ids":[${first},22,333],"text":"${first} words"}`)
      const spans = {
        first: 0,
        lines: Float64Array.of(1),
        offsets: Float64Array.of(0),
        lengths: Float64Array.of(bytes.length),
      }
      return parseRecords(bytes, spans, new Set(['ids'])).records[0]?.value
    }
    const before = batch(1)
    batch(7)
    expect(before).toEqual({ ids: Int32Array.of(1, 22, 333), text: '1 words' })
    const moved = inKernel(Uint8Array.of(1, 2, 3))
    expect(kernelOver(moved)).not.toBeNull()
    expect([...moved]).toEqual([1, 2, 3])
    expect(inKernel(moved)).toBe(moved)
    const tooMany = new Uint8Array((4 << 20) + 1)
    expect(inKernel(tooMany)).toBe(tooMany)
  })
})
