import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Budget } from '../../../shared/containers/pickle/budget.ts'
import { PickleError } from '../../../shared/containers/pickle/error.ts'
import { toJson } from '../../../shared/containers/pickle/json.ts'
import type { PyValue } from '../../../shared/containers/pickle/values.ts'
import { openPickle, openTorch } from '../../../shared/containers/torch/open.ts'
import { ZipError } from '../../../shared/containers/zip/error.ts'
import { openZip } from '../../../shared/containers/zip/open.ts'
import type { ByteSource } from '../../../shared/model/source.ts'
import { memorySource } from '../memory-source.ts'
import { allValues } from './inert.ts'
import { fixture, pickle } from './read.ts'

const SEED = 20261121
const MEMORY = 32 << 20

async function readsPickle(source: ByteSource) {
  const budget = new Budget(MEMORY)
  await check((await openPickle(source, { budget, lazyBytes: 512, windowBytes: 2048 })).value, budget)
}

async function readsTorch(source: ByteSource) {
  const budget = new Budget(MEMORY)
  await check((await openTorch(source, { budget })).value, budget)
}

async function check(value: PyValue, budget: Budget) {
  allValues(value)
  await toJson(value, { budget })
}

async function readsZip(source: ByteSource) {
  const archive = await openZip(source, { maxBytes: MEMORY })
  for (const entry of archive.entries) {
    await archive.read(entry).catch((error: unknown) => {
      if (!(error instanceof ZipError)) throw error
    })
  }
}

const FILES: [name: string, read: (source: ByteSource) => Promise<void>][] = [
  ...['numpy.2.pkl', 'numpy.5.pkl', 'numpy.0.pkl', 'tensors.2.pkl', 'tensors.4.pkl', 'skyrl.pkl', 'skyrl.2025.pkl'].map(
    (name) => [`pickle/${name}`, readsPickle] as [string, typeof readsPickle],
  ),
  ...['consolidated', 'plain', 'nested', 'numpy', 'open-buffer', 'jagged-numpy'].map(
    (name) => [`pickle/verl.${name}.pkl`, readsPickle] as [string, typeof readsPickle],
  ),
  ...['python2.0', 'python2.1', 'python2.2'].map(
    (name) => [`pickle/${name}.pkl`, readsPickle] as [string, typeof readsPickle],
  ),
  ...['tensors.zip', 'tensors.legacy', 'tensors.legacy-4', 'tensors.big', 'modern', 'slime.objects', 'slime.train'].map(
    (name) => [`torch/${name}.pt`, readsTorch] as [string, typeof readsTorch],
  ),
  ...['plain', 'streamed', 'zip64', 'zstd', 'encrypted', 'names', 'methods'].map(
    (name) => [`zip/${name}.zip`, readsZip] as [string, typeof readsZip],
  ),
]

/** Reads, or fails with an error that says where and what to do. Anything else that is thrown fails the test. */
async function readsOrSays(bytes: Uint8Array, read: (source: ByteSource) => Promise<void>): Promise<string | null> {
  try {
    await read(memorySource(bytes))
    return null
  } catch (error) {
    if (!(error instanceof PickleError || error instanceof ZipError)) throw error
    expect(error.at).toBeGreaterThanOrEqual(-1)
    expect(error.at).toBeLessThanOrEqual(bytes.length)
    expect(error.message).toMatch(/\. [A-Z].+\.$/s)
    return error.code
  }
}

describe('a damaged file gives an error with its place, or what it still says', () => {
  for (const [name, read] of FILES) {
    test(`${name}, cut at every byte`, async () => {
      const bytes = fixture(name)
      // Every byte of a small file; of a larger one its ends and every few bytes between.
      const step = Math.max(1, Math.floor(bytes.length / 100))
      for (let end = 0; end < bytes.length; end += end < 60 || end > bytes.length - 60 ? 1 : step) {
        const code = await readsOrSays(bytes.subarray(0, end), read)
        expect(code, `cut after ${end} bytes`).not.toBeNull()
      }
    })

    test(`${name}, with bytes changed`, async () => {
      const bytes = fixture(name)
      const change = fc.record({ at: fc.nat(bytes.length - 1), to: fc.nat(255) })
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
          const damaged = bytes.slice()
          for (const { at, to } of changes) damaged[at] = to
          await readsOrSays(damaged, read)
        }),
        { seed: SEED, numRuns: 100 },
      )
    })
  }

  test('operations in any order', async () => {
    const operations = Array.from({ length: 256 }, (_, byte) => [byte])
    const known = [
      ...['N', ')', ']', '}', '(', '0', '2', '1', 't', 'l', 'd', 'e', 'u', 's', 'a', 'b', 'R', 'o', 'Q', '.'],
      ...[
        'K\x01',
        'M\x01\x02',
        'J\x01\0\0\0',
        'h\0',
        'q\0',
        'q\x01',
        'h\x01',
        '\x85',
        '\x86',
        '\x87',
        '\x88',
        '\x8f',
        '\x90',
        '\x91',
      ],
      ...[
        '\x81',
        '\x92',
        '\x93',
        '\x94',
        'U\x02ab',
        'X\x01\0\0\0a',
        'C\x03abc',
        'I5\n',
        'F1.5\n',
        "S'x'\n",
        'Vx\n',
        'P7\n',
      ],
      ...['cos\nsystem\n', 'cbuiltins\nlist\n', 'cbuiltins\ngetattr\n', 'ccollections\nOrderedDict\n', 'ios\nsystem\n'],
      ...['cnumpy.core.multiarray\n_reconstruct\n', 'cnumpy\nndarray\n', 'cnumpy\ndtype\n', 'cuuid\nUUID\n'],
      ...['ctorch._utils\n_rebuild_tensor_v2\n', 'ctensordict._td\nTensorDict\n', 'cverl.protocol\nDataProto\n'],
      ...[
        'cskyrl.training_batch\nTensorBatch\n',
        'ctensordict.tensorclass\nNonTensorData\n',
        'ccopyreg\n_reconstructor\n',
      ],
    ]
    const one = fc.oneof(
      {
        weight: 12,
        arbitrary: fc.constantFrom(...known.map((text) => Array.from(text, (letter) => letter.charCodeAt(0)))),
      },
      { weight: 1, arbitrary: fc.constantFrom(...operations) },
    )
    let read = 0
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 60 }), async (parts) => {
        const code = await readsOrSays(pickle(...parts, '.'), readsPickle)
        if (code === null) read++
      }),
      { seed: SEED, numRuns: 4000 },
    )
    // Else the operations above would say nothing about what is read.
    expect(read).toBeGreaterThan(200)
  })
})
