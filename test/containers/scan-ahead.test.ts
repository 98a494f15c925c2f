import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lookAt } from '../../shared/checks/truncation/reply-tokens.ts'
import type { ParsedRecords, RecordSpans } from '../../shared/containers/container.ts'
import { Kernel, sharedMemory } from '../../shared/containers/kernel/kernel.ts'
import { firstAtLeast, flagsOf, hashAhead } from '../../shared/containers/kernel/numbers.ts'
import {
  inKernel,
  kernelWith,
  leaveKernel,
  shareKernel,
  threadKernel,
  usingKernel,
} from '../../shared/containers/kernel/thread-kernel.ts'
import { parseInPortions, parseRecords, parseScanned } from '../../shared/containers/records.ts'
import { scanAhead } from '../../shared/containers/scan-ahead.ts'
import { hashOfNumbers } from '../../shared/model/bulk-hash.ts'
import { Hash64 } from '../../shared/model/hash.ts'
import { tableOf } from '../helpers/token-table.ts'
import { inKernel as numbersInKernel } from './numbers-in-kernel.ts'

const KEYS = new Set(['ids', 'mask'])
const SLOTS = 3
const memory = sharedMemory(SLOTS)

/** Each as a thread of its own would have one. */
function kernels(): { readonly scanning: Kernel; readonly auditing: () => Kernel } {
  const scanning = shareKernel(memory)
  if (scanning === null) throw new Error('this machine runs no WebAssembly with shared memory')
  return { scanning, auditing: () => shareKernel(memory) as Kernel }
}

function spansOf(lines: readonly Uint8Array[]): RecordSpans {
  const lengths = Float64Array.from(lines, ({ length }) => length)
  let at = 100
  const offsets = lengths.map((length) => {
    const start = at
    at += length + 1
    return start
  })
  return { first: 7, lines: lengths.map((_, index) => index + 1), offsets, lengths }
}

/** Copies, since arrays stand only until the next portion. */
function kept(portions: Iterable<ParsedRecords>): unknown[] {
  return Array.from(portions, (portion) => structuredClone({ ...portion, records: portion.records.map(plain) }))
}

function plain({ value, ...record }: ParsedRecords['records'][number]) {
  return { ...record, value: copied(value) }
}

function copied(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return (value as Int32Array).slice()
  if (Array.isArray(value)) return value.map(copied)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inside]) => [key, copied(inside)]))
}

const number = fc.oneof(
  { weight: 8, arbitrary: fc.nat({ max: 200_000 }).map(String) },
  { weight: 8, arbitrary: fc.constantFrom('0', '1') },
  fc.constantFrom('-3', '2.5', 'null', 'true', '1e3', '00', '12345678901', '"1"', '[4,5]', 'NaN', ''),
)
const list = fc
  .tuple(fc.array(number, { maxLength: 70, size: 'max' }), fc.constantFrom(',', ', '))
  .map(([numbers, comma]) => `[${numbers.join(comma)}]`)
const record = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(list, list).map(([ids, mask]) => `{"ids":${ids},"mask": ${mask},"other":[1,2]}`) },
  fc.tuple(list, fc.string()).map(([ids, text]) => `{"text":${JSON.stringify(text)},"in":{"ids":[${ids},${ids}]}}`),
  list.map((ids) => `{"ids":${ids.slice(0, -1)}`),
  fc.constantFrom('[1,2]', '{}', '{"ids":[]}', '{"ids":[1,2,3],"ids":[4,5,6]}'),
)

describe('what another thread scanned', () => {
  test('is read as it is without one, hashes and faults included', () => {
    const { scanning, auditing } = kernels()
    fc.assert(
      fc.property(
        fc.array(record, { minLength: 1, maxLength: 6 }),
        fc.nat({ max: 9 }),
        fc.integer({ min: 1, max: 3 }),
        (texts, start, most) => {
          const lines = texts.map((text) => new TextEncoder().encode(text))
          const spans = spansOf(lines)
          const bytes = new TextEncoder().encode(`${texts.join('\n')}\n`)
          // As the thread that scans has it.
          shareKernel(memory)
          const wanted = kept(parseInPortions(bytes, spans, KEYS, most))
          const own = threadKernel() as Kernel
          own.slotInput(2).set(bytes, start)
          const text = scanAhead(own, 2, start, bytes.length, spans, KEYS)
          const found = kept(parseScanned(auditing(), structuredClone(text), spans, KEYS, most))
          expect(found).toEqual(wanted)
        },
      ),
      { numRuns: 2000 },
    )
    scanning.leave()
  })

  test('is not scanned again, lies where it was scanned to, and has room beside it', () => {
    const { auditing } = kernels()
    const line = new TextEncoder().encode('{"ids":[5,6,70000],"mask":[0,1,1]}')
    const spans = spansOf([line])
    const own = threadKernel() as Kernel
    own.slotInput(1).set(line)
    const text = scanAhead(own, 1, 0, line.length, spans, KEYS)
    const [low, high] = new Hash64().words([5, 6, 70000]).lanes
    // No mask is hashed.
    const [largest, flags] = [12, 32]
    expect([...text.arrays]).toEqual([
      ...[7, 18, 0, 3, 70000, 1, low, high, largest, 5, -1],
      ...[26, 33, 5, 3, 1, 0, 0, 0, flags, 9, -1],
    ])
    const there = auditing()
    // Other bytes than those that were scanned: what was found of these is what counts.
    there.slotInput(1).set(new TextEncoder().encode('{"ids":[9,9,99999]'))
    const [parsed] = parseScanned(there, text, spans, KEYS, 16)
    const value = parsed?.records[0]?.value as { ids: Int32Array; mask: Int32Array }
    expect(value.ids.buffer).toBe(memory.buffer)
    expect([...value.ids, ...value.mask]).toEqual([5, 6, 70000, 0, 1, 1])
    there.enterScanned(text)
    there.begin(true)
    const beside = there.bytes(12) as Uint8Array
    expect(beside.byteOffset).toBeGreaterThanOrEqual(value.mask.byteOffset + value.mask.byteLength)
    there.leave()
    // What this thread reads by itself lies in the first slot again.
    expect(parseRecords(line, spans, KEYS).records[0]?.value).toEqual({
      ids: Int32Array.of(5, 6, 70000),
      mask: Int32Array.of(0, 1, 1),
    })
  })

  test('has its largest number told, by which none is looked for above it', () => {
    const { auditing } = kernels()
    const numbers = fc
      .array(fc.oneof({ weight: 60, arbitrary: fc.nat({ max: 1000 }) }, fc.integer()), {
        maxLength: 300,
        minLength: 1,
        size: 'max',
      })
      .map((list) => Int32Array.from(list))
    const bound = fc.oneof(fc.constantFrom(1, 2, 900, 1000, 1001, 2 ** 31, 2 ** 32 - 1), fc.nat({ max: 1001 }))
    fc.assert(
      fc.property(numbers, numbers, bound, fc.nat({ max: 310 }), fc.nat({ max: 310 }), (ids, mask, least, from, to) => {
        const line = new TextEncoder().encode(`{"ids":[${ids.join()}],"mask":[${mask.join()}]}`)
        const spans = spansOf([line])
        const own = shareKernel(memory) as Kernel
        own.slotInput(1).set(line)
        const text = scanAhead(own, 1, 0, line.length, spans, KEYS)
        const there = auditing()
        for (const { records } of parseScanned(there, text, spans, KEYS, 1)) {
          const held = records[0]?.value as { ids: Int32Array; mask: Int32Array }
          expect(firstAtLeast(held.ids, least, from, to)).toBe(firstAtLeast(ids, least, from, to))
          expect(firstAtLeast(held.mask, least)).toBe(firstAtLeast(mask, least))
          // What begins where another array begins, and ends before it does.
          const part = Math.min(from, ids.length)
          expect(firstAtLeast(held.ids.subarray(0, part), least)).toBe(firstAtLeast(ids.subarray(0, part), least))
        }
        // What is scanned to the same place afterwards, of which nothing was told.
        there.slotInput(1).set(new TextEncoder().encode('{"ids":[5,99999]}'))
        const other = { ...text, length: 17, arrays: new Int32Array(0) }
        let looked = 0
        for (const { records } of parseScanned(there, other, { ...spans, lengths: Float64Array.of(17) }, KEYS, 1)) {
          const held = records[0]?.value as { ids: Int32Array }
          expect(firstAtLeast(held.ids, 99_999)).toBe(1)
          looked++
        }
        expect(looked).toBe(1)
      }),
      { numRuns: 1000 },
    )
  })

  test('is looked at as ids are that nobody told anything of, whatever of a vocabulary was known when', () => {
    const { auditing } = kernels()
    const pieces = ['a', 'é', 'bc', '', ' '.repeat(300), ' submitted', 'truncated', ...'0123456789']
    const vocabularies = [tableOf(pieces), tableOf(pieces.toReversed())]
    const id = fc.oneof(
      { weight: 300, arbitrary: fc.constantFrom(0, 1, 2, 8, 9) },
      fc.nat({ max: 17 }),
      fc.constant(99_999),
    )
    const list = fc.array(id, { maxLength: 400, size: 'max' }).map((ids) => Int32Array.from(ids))
    const question = fc.tuple(fc.constantFrom(...vocabularies), fc.nat({ max: 400 }), fc.nat({ max: 400 }))
    const questions = fc.array(question, { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(list, list, questions, questions, (met, ids, before, after) => {
        const line = new TextEncoder().encode(`{"ids":[${ids.join()}]}`)
        const look = (on: Int32Array, [table, a, b]: (typeof before)[number]) => {
          const [start = 0, end = 0] = [a, b].map((at) => Math.min(at, on.length)).sort((x, y) => x - y)
          return lookAt(table, on, { start, end })
        }
        const there = auditing()
        there.begin(true)
        const known = numbersInKernel(met)
        for (const question of before) look(known, question)
        // What is known of ids is in memory that all have.
        there.slotInput(1).set(line)
        const text = scanAhead(there, 1, 0, line.length, spansOf([line]), KEYS)
        for (const { records } of parseScanned(there, text, spansOf([line]), KEYS, 1)) {
          const { ids: held } = records[0]!.value as { ids: Int32Array }
          for (const question of after) expect(look(held, question)).toEqual(look(ids, question))
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('has its flags as bytes, which belong to whoever asks first', () => {
    const { auditing } = kernels()
    const flags = fc.array(fc.oneof({ weight: 400, arbitrary: fc.nat({ max: 1 }) }, fc.constantFrom(2, -1, 256)), {
      maxLength: 200,
      size: 'max',
    })
    fc.assert(
      fc.property(flags, flags, (one, other) => {
        const line = new TextEncoder().encode(`{"ids":[${one.join()}],"mask":[${other.join()}]}`)
        const spans = spansOf([line])
        const own = shareKernel(memory) as Kernel
        own.slotInput(1).set(line)
        const text = scanAhead(own, 1, 0, line.length, spans, KEYS)
        const there = auditing()
        for (const { records } of parseScanned(there, text, spans, KEYS, 1)) {
          const held = records[0]?.value as { ids: Int32Array; mask: Int32Array }
          for (const [numbers, list] of [[held.ids, one] as const, [held.mask, other] as const]) {
            const wanted = list.every((flag) => flag === 0 || flag === 1) ? Uint8Array.from(list) : null
            const first = flagsOf(numbers)
            expect(first).toEqual(wanted)
            first?.fill(7)
            expect(flagsOf(numbers)).toEqual(wanted)
            expect([...numbers]).toEqual(list)
          }
        }
      }),
      { numRuns: 500 },
    )
  })

  test.each(['0', '7'])('keeps to its slot where numbers take nearly all of it: %s', (number) => {
    const { auditing } = kernels()
    const list = (count: number) => `[${Array<string>(count).fill(number).join()}]`
    // The first is scanned by whoever audits, which needs room for it then.
    const texts = [`{"ids":${list(600_000).slice(0, -1)},0.5]`, ...[1, 2, 3].map(() => `{"mask":${list(450_000)}`)]
    const bytes = new TextEncoder().encode(texts.map((text) => `${text}}\n`).join(''))
    const own = threadKernel() as Kernel
    own.slotInput(1).set(bytes)
    own.slotInput(2).fill(0x2a)
    const spans = spansOf(texts.map((text) => new TextEncoder().encode(`${text}}`)))
    const text = scanAhead(own, 1, 0, bytes.length, spans, KEYS)
    const there = auditing()
    const [parsed] = parseScanned(there, text, spans, KEYS, 4)
    const values = parsed?.records.map(({ value }) => value as { ids?: Float64Array; mask?: Int32Array }) ?? []
    expect(values.map(({ ids, mask }) => ids?.length ?? mask?.length)).toEqual([600_001, 450_000, 450_000, 450_000])
    for (const { mask } of values)
      if (mask !== undefined)
        expect(firstAtLeast(mask, 8) === mask.length && mask.every((each) => each === Number(number))).toBe(true)
    expect(there.slotInput(2).every((byte) => byte === 0x2a)).toBe(true)
    there.leave()
  })

  test('has the longest numbers of each record hashed', () => {
    const { auditing } = kernels()
    const numbers = fc
      .array(fc.integer({ min: -9, max: 99_999 }), { maxLength: 40 })
      .map((list) => Int32Array.from(list))
    const rollout = fc.record({ ids: numbers, mask: numbers })
    fc.assert(
      fc.property(fc.array(rollout, { minLength: 1, maxLength: 5 }), (rollouts) => {
        const texts = rollouts.map(({ ids, mask }) => `{"ids":[${ids.join()}],"mask":[${mask.join()}]}`)
        const bytes = new TextEncoder().encode(`${texts.join('\n')}\n`)
        const spans = spansOf(texts.map((text) => new TextEncoder().encode(text)))
        const own = shareKernel(memory) as Kernel
        own.slotInput(1).set(bytes)
        const text = scanAhead(own, 1, 0, bytes.length, spans, KEYS)
        const there = auditing()
        const held = Array.from(parseScanned(there, text, spans, KEYS, 1), ({ records: [record] }) => {
          const { ids, mask } = record!.value as { ids: Int32Array; mask: Int32Array }
          const whole = [ids, mask].map((each) => hashAhead(each)?.digest() ?? null)
          // Of a part of them it is another one.
          if (ids.length > 1) expect(hashAhead(ids.subarray(0, ids.length - 1))).toBeNull()
          return whole
        })
        const isMask = (each: Int32Array) => each.every((number) => number === 0 || number === 1)
        const wanted = rollouts.map(({ ids, mask }) => {
          const [first, second] = [isMask(ids) ? 0 : ids.length, isMask(mask) ? 0 : mask.length]
          const hash = (each: Int32Array) => hashOfNumbers(each, 0, each.length, null).digest()
          return [first > 0 && first >= second ? hash(ids) : null, second > first ? hash(mask) : null]
        })
        expect(held).toEqual(wanted)
      }),
      { numRuns: 500 },
    )
    expect(hashAhead(Int32Array.of(5, 6))).toBeNull()
  })

  test('gives no array where whoever parses keeps what it gets', () => {
    kernels()
    const line = new TextEncoder().encode('{"ids":[5,6,7]}')
    const own = threadKernel() as Kernel
    own.slotInput(1).set(line)
    const text = scanAhead(own, 1, 0, line.length, spansOf([line]), KEYS)
    const bytes = own.enterScanned(text)
    own.begin(false)
    expect(own.scannedAt(7, { next: 0 })).toBeNull()
    expect(bytes).toHaveLength(line.length)
    own.leave()
  })

  test('is read again in memory of its own once the shared one was left', () => {
    kernels()
    leaveKernel()
    expect(threadKernel()).toBeNull()
    const line = new TextEncoder().encode('{"ids":[5,6,7]}')
    expect(inKernel(line).buffer).not.toBe(memory.buffer)
    const own = threadKernel() as Kernel
    expect(own.holds(own.input)).toBe(true)
    const parsed = parseRecords(inKernel(line), spansOf([line]), KEYS)
    expect(parsed.records.map(({ value }) => value)).toEqual([{ ids: Int32Array.of(5, 6, 7) }])
  })

  test('is known to this thread while it is looked at, whatever breaks', () => {
    leaveKernel()
    const own = Kernel.create(memory) as Kernel
    expect(() =>
      usingKernel(own, () => {
        expect(kernelWith(own.input)).toBe(own)
        throw new Error('broken')
      }),
    ).toThrow('broken')
    expect(kernelWith(own.input)).toBeNull()
  })
})
