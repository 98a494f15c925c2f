import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchFiles } from '../../renderer/engine/watch.ts'
import type { SourceInput } from '../../shared/session/protocol.ts'

const PAGE = 'http://127.0.0.1:1/'

const listed = (name: string) => ({ name, url: `/file/${name}`, size: 1 })
const opened = (name: string, folder: string | null): SourceInput => ({
  kind: 'url',
  name,
  url: new URL(`/file/${name}`, PAGE).href,
  size: 1,
  ...(folder !== null && { folder }),
})

class Handle {
  constructor(readonly name: string) {}
}
class FileHandle extends Handle {
  getFile = async () => new File(['{}\n'], this.name)
}
class FolderHandle extends Handle {
  constructor(
    name: string,
    readonly inside: readonly Handle[],
  ) {
    super(name)
  }

  async *entries() {
    for (const handle of this.inside) yield [handle.name, handle]
  }
}

beforeEach(() => {
  vi.stubGlobal('self', { location: { href: `${PAGE}workers/engine.js` } })
  vi.stubGlobal('FileSystemHandle', Handle)
  vi.stubGlobal('FileSystemFileHandle', FileHandle)
  vi.stubGlobal('FileSystemDirectoryHandle', FolderHandle)
})
afterEach(() => vi.unstubAllGlobals())

const RUN = ['step_1.jsonl', 'step_2.jsonl']
const TOKENIZER = ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja', 'vocab.json']

test('a folder of the host is followed with what comes to it, but for the tokenizer beside the rollouts', async () => {
  const files = [...RUN, ...TOKENIZER].map((name) => listed(`steps/${name}`))
  vi.stubGlobal('fetch', async () => Response.json({ files: [], folder: { files: [...files, listed('other.jsonl')] } }))
  const look = await watchFiles([opened('steps/step_1.jsonl', 'steps/')], [])
  expect((await look()).map(({ source }) => source.name)).toEqual(RUN.map((name) => `steps/${name}`))
})

test('a folder that was dropped is followed with what comes to it, but for the tokenizer beside the rollouts', async () => {
  const folder = new FolderHandle(
    'steps',
    [...RUN, ...TOKENIZER].map((name) => new FileHandle(name)),
  )
  const look = await watchFiles([{ kind: 'file', name: 'steps/step_1.jsonl', file: new Blob() }], [folder])
  expect((await look()).map(({ source }) => source.name)).toEqual(RUN.map((name) => `steps/${name}`))
})

test.each([
  [404, null],
  [503, '503 Service Unavailable'],
  [403, '403 Forbidden'],
])('a file whose host answers %s is gone, or it cannot be told', async (status, why) => {
  const statusText = why?.slice(4) ?? ''
  vi.stubGlobal('fetch', async (url: URL | string) =>
    String(url).endsWith('session.json') ? Response.json({}) : new Response(null, { status, statusText }),
  )
  const look = await watchFiles([opened('run.jsonl', null)], [])
  if (why === null) expect(await look()).toEqual([])
  else await expect(look()).rejects.toThrow(why)
})
