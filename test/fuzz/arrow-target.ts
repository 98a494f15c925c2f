import {
  type Batch,
  Column,
  CompressionType,
  columnFromArray,
  type DataType,
  dictionary,
  fixedSizeList,
  float32,
  int32,
  int64,
  list,
  listView,
  runEndEncoded,
  setCompressionCodec,
  UnionMode,
  union,
  utf8,
  utf8View,
} from '@uwdata/flechette'
import fc from 'fast-check'
import { lz4Run } from '../containers/lz4-run.ts'
import { arrowStream, madeBatch } from '../containers/made-arrow.ts'
import { zstdRuns } from '../containers/zstd-runs.ts'
import { readsOrSays } from './damage.ts'
import { target } from './target.ts'

const TEXTS = ['well', 'well', '', 'a longer text']
const LISTS = [[1, 2, 3], [4], [], [5, 6]]
const ROWS = 4

const ofClass = (type: DataType, parts: object): Column<unknown> =>
  new Column([madeBatch(type, { length: ROWS, ...parts })], type)

const built = (values: readonly unknown[], type: DataType): Column<unknown> => columnFromArray([...values], type)
const partOf = ({ data }: Column<unknown>) => data[0] as Batch<unknown>

const COLUMNS: readonly (readonly [string, Column<unknown>])[] = [
  ['input_ids', built(LISTS, list(int32()))],
  [
    'ids',
    ofClass(listView(int32()), {
      offsets: Int32Array.of(0, 1, 0, 2),
      sizes: Int32Array.of(2, 1, 0, 1),
      children: [partOf(built([1, 2, 3], int32()))],
    }),
  ],
  [
    'pairs',
    built(
      LISTS.map((_, i) => [i, i]),
      fixedSizeList(float32(), 2),
    ),
  ],
  ['prompt', built(TEXTS, utf8())],
  [
    'answer',
    ofClass(utf8View(), {
      values: new Uint8Array(Int32Array.of(14, 0, 0, 0, 2, 97, 0, 0, 0, 0, 0, 0, 14, 0, 0, 0).buffer),
      data: [new Uint8Array(14).fill(97)],
    }),
  ],
  ['task', built(TEXTS, dictionary(utf8(), int32()))],
  [
    'run',
    ofClass(runEndEncoded(int32(), utf8()), {
      children: [partOf(built([1, ROWS], int32())), partOf(built(['a', 'b'], utf8()))],
    }),
  ],
  ['step', built([1n, 2n, 3n, 4n], int64())],
  [
    'choice',
    ofClass(union(UnionMode.Dense, [utf8(), int32()]), {
      typeIds: Int8Array.of(0, 1, 0, 1),
      offsets: Int32Array.of(0, 0, 3, 1),
      children: [partOf(built(TEXTS, utf8())), partOf(built([7, 8], int32()))],
    }),
  ],
]

const CODECS = {
  none: null,
  lz4: { codec: CompressionType.LZ4_FRAME, magic: 0x184d2204, frame: (size: number) => lz4Run(Math.max(26, size)) },
  zstd: {
    codec: CompressionType.ZSTD,
    magic: 0xfd2fb528,
    frame: (size: number) => zstdRuns(1 + (size >> 17), 1 << 17),
  },
} as const

/** Bytes that a compressed buffer gives, and is said to give; null: as it was written. */
const SIZE = fc.constantFrom(null, 100, 1 << 22, 1 << 30)

/** A number that stands in a message or its body, and what takes its place. */
const LIE = fc.record({
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  value: fc.oneof(
    fc.nat({ max: 12 }),
    fc.nat({ max: 53 }).map((power) => 2 ** power),
    fc.constantFrom(-1, 2 ** 31 - 1, 2 ** 32 - 1, 2 ** 62),
  ),
})

const FILE = fc.record({
  columns: fc.uniqueArray(fc.nat({ max: COLUMNS.length - 1 }), { minLength: 1, maxLength: 3 }),
  codec: fc.constantFrom(...(Object.keys(CODECS) as (keyof typeof CODECS)[])),
  given: SIZE,
  declared: SIZE,
  lies: fc.array(LIE, { maxLength: 3 }),
})
type File = typeof FILE extends fc.Arbitrary<infer Value> ? Value : never

/** A stream whose messages declare what their bodies do not hold is read or refused. */
export const declaredBuffers = target('arrow', 'an Arrow file that declares what it does not hold', FILE, (file) =>
  readsOrSays(lying(streamOf(file), file)),
)

function streamOf({ columns, codec, given }: File): Uint8Array {
  const chosen = columns.map((i) => COLUMNS[i] as (typeof COLUMNS)[number])
  const packing = CODECS[codec]
  if (packing !== null) {
    // The library writes as it is what its codec makes no smaller: a text of its own, that is longer than what stands for it.
    const frame = packing.frame(given ?? 100)
    const length = frame.length + 100
    const encode = (bytes: Uint8Array) => (bytes.length === length ? frame : bytes)
    setCompressionCodec(packing.codec, { encode, decode: (bytes) => bytes })
    const text = { offsets: Int32Array.of(0, 50, 100, 100, 100), values: new Uint8Array(length) }
    chosen.push(['packed', ofClass(utf8(), text)])
  }
  return arrowStream(chosen, packing?.codec ?? null)
}

function lying(bytes: Uint8Array, { codec, declared, lies }: File): Uint8Array {
  const changed = bytes.slice()
  const view = new DataView(changed.buffer)
  const magic = CODECS[codec]?.magic
  const places: number[] = []
  for (let at = 0; at + 8 <= bytes.length && places.length < MOST_PLACES; at += 4) {
    // A compressed buffer has its size before it.
    if (declared !== null && at >= 8 && view.getUint32(at, true) === magic) {
      view.setBigInt64(at - 8, BigInt(declared), true)
    }
    const number = view.getUint32(at, true)
    if (number > 0 && number < 1 << 20) places.push(at)
  }
  for (const { at, value } of lies) {
    const place = places[Math.floor(at * places.length)] as number
    if (value < 2 ** 32) view.setInt32(place, value, true)
    else view.setBigInt64(place, BigInt(value), true)
  }
  return changed
}

/** A body of runs has as many as it has bytes. */
const MOST_PLACES = 4000
