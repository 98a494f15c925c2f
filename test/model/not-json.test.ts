import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { parseMarks } from '../../shared/model/marks.ts'
import { readNotebookText } from '../../shared/notebook/notebook-file.ts'
import { loadTokenizer } from '../../shared/session/load-tokenizer.ts'
import { readParts } from '../../shared/session/merge-part.ts'

const GZIP = gzipSync('{"a": 1}')
const ZSTD = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x08, 0x41, 0, 0)
const BINARY = Uint8Array.of(0x08, 0, 0, 0x93, 0xff, 0x4e)
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'a report to merge': (text) => readParts([{ name: 'a.json', text }]),
  marks: (text) => parseMarks(text, 'a.json'),
  'a notebook': (text) => readNotebookText(text, 'a.json'),
  'a tokenizer': (text) =>
    loadTokenizer({ kind: 'files', id: 'a', title: 'a.json', origin: 'given', tokenizer: text, config: null }, () =>
      Promise.reject(new Error('none is bundled')),
    ),
}

const KINDS: readonly (readonly [string, Uint8Array, string])[] = [
  ['gzip', GZIP, 'it is compressed with gzip: give the JSON itself'],
  ['zstd', ZSTD, 'it is compressed with zstd: give the JSON itself'],
  ['a zip archive', Buffer.from('PK\x03\x04\x14'), 'it is a zip archive: give the JSON in it'],
  ['a Parquet file', Buffer.from('PAR1\x15\x04'), 'it is a Parquet file'],
  ['UTF-16', Buffer.from('\ufeff{"a": 1}', 'utf16le'), 'it is no UTF-8: save it as UTF-8'],
  ['some binary file', BINARY, 'it is a binary file'],
]

test.each(
  Object.keys(READERS).flatMap((reader) => KINDS.map(([kind, bytes, why]) => [reader, kind, bytes, why] as const)),
)('%s that is %s is said to be that', async (reader, _, bytes, why) => {
  const read = async () => READERS[reader]?.(textOf(bytes))
  const { message } = (await read().catch((error: unknown) => error)) as Error
  expect(message).toContain(why)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be quoted
  expect(message).not.toMatch(/[\0-\x1f\ufffd]/)
})

test.each(Object.keys(READERS))('%s that is half a text is told where it ends', async (reader) => {
  const read = async () => READERS[reader]?.('{"a": ')
  await expect(read()).rejects.toThrow(/Unexpected end of JSON input/)
})

test.each(Object.keys(READERS))('%s with a half letter in a text is told where it goes wrong', async (reader) => {
  const read = async () => READERS[reader]?.('{"note": "cut at \ufffd here",}')
  await expect(read()).rejects.toThrow(/JSON/)
  await expect(read()).rejects.not.toThrow(/binary/)
})
