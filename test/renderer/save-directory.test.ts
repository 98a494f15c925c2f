import { beforeEach, describe, expect, test } from 'vitest'
import { DirectoryPlace } from '../../renderer/data/save-directory.ts'
import { useQuestion } from '../../renderer/state/question.ts'
import { openDialog, useView } from '../../renderer/state/view.ts'

const FILES = ['a.jsonl', 'b.json'].map((name) => ({ name, bytes: new TextEncoder().encode(`new ${name}`) }))
const signal = () => new AbortController().signal

/** A folder that holds its files here, and fails where it is told to. */
class Folder {
  readonly name = 'exports'
  readonly files = new Map<string, string>()
  refuses: { readonly name: string; readonly what: 'createWritable' | 'close' } | null = null

  get handle(): FileSystemDirectoryHandle {
    return this as unknown as FileSystemDirectoryHandle
  }

  async getFileHandle(name: string, { create = false } = {}) {
    if (!this.files.has(name)) {
      if (!create) throw new DOMException('There is no such file.', 'NotFoundError')
      this.files.set(name, '')
    }
    const refuse = (what: string) => {
      if (this.refuses?.name === name && this.refuses.what === what) throw new Error('The disk is full.')
    }
    return {
      createWritable: async () => {
        refuse('createWritable')
        let text = ''
        return {
          write: async (bytes: Uint8Array) => {
            text += new TextDecoder().decode(bytes)
          },
          close: async () => {
            refuse('close')
            this.files.set(name, text)
          },
          abort: async () => undefined,
        }
      },
    }
  }

  async removeEntry(name: string) {
    this.files.delete(name)
  }
}

/** As an export does it: asks, writes, gives names, and leaves nothing of what failed. */
async function writeInto(
  directory: FileSystemDirectoryHandle,
  files: typeof FILES,
  stop: AbortSignal,
): Promise<boolean> {
  const place = new DirectoryPlace(directory)
  try {
    if (
      !(await place.mayWrite(
        files.map(({ name }) => name),
        stop,
      ))
    )
      return false
    for (const { name, bytes } of files) await place.write(name, bytes)
    await place.end()
    return true
  } catch (error) {
    await place.discard()
    throw error
  }
}

beforeEach(() => openDialog(null))

describe('writing into a folder', () => {
  test('leaves no empty file where one cannot be written', async () => {
    const folder = new Folder()
    folder.refuses = { name: 'b.json', what: 'createWritable' }
    await expect(writeInto(folder.handle, FILES, signal())).rejects.toThrow('The disk is full.')
    expect([...folder.files]).toEqual([])
  })

  test('is stopped in the middle: what was begun is gone, what was there is as it was', async () => {
    const folder = new Folder()
    folder.files.set('b.json', 'old')
    const place = new DirectoryPlace(folder.handle)
    const allowed = place.mayWrite(['a.jsonl', 'b.json'], signal())
    await expect.poll(() => useQuestion.getState().question).not.toBeNull()
    useQuestion.getState().question?.answer(true)
    expect(await allowed).toBe(true)
    for (const { name, bytes } of FILES) await place.write(name, bytes)
    expect([...folder.files]).toEqual([
      ['b.json', 'old'],
      ['a.jsonl', ''],
    ])
    await place.discard()
    expect([...folder.files]).toEqual([['b.json', 'old']])
  })

  test('names what was saved where the browser fails at the end', async () => {
    const folder = new Folder()
    folder.refuses = { name: 'b.json', what: 'close' }
    await expect(writeInto(folder.handle, FILES, signal())).rejects.toThrow(
      'b.json could not be written: The disk is full. Only a.jsonl was saved; choose another place.',
    )
    expect([...folder.files]).toEqual([['a.jsonl', 'new a.jsonl']])
  })

  test('asks whether it may replace only once the dialog is closed that a person is in', async () => {
    const folder = new Folder()
    folder.files.set('a.jsonl', 'old')
    openDialog('note')
    const written = writeInto(folder.handle, FILES, signal())
    await new Promise((done) => setTimeout(done))
    expect([useView.getState().dialog, useQuestion.getState().question]).toEqual(['note', null])
    openDialog(null)
    await expect.poll(() => useQuestion.getState().question?.title).toBe('Replace 1 file in exports?')
    useQuestion.getState().question?.answer(true)
    expect(await written).toBe(true)
    expect(folder.files.get('a.jsonl')).toBe('new a.jsonl')
  })

  test('is stopped while it waits to ask', async () => {
    const folder = new Folder()
    folder.files.set('a.jsonl', 'old')
    openDialog('note')
    const own = new AbortController()
    const written = writeInto(folder.handle, FILES, own.signal)
    own.abort(new Error('stopped'))
    await expect(written).rejects.toThrow('stopped')
    expect([useView.getState().dialog, [...folder.files]]).toEqual(['note', [['a.jsonl', 'old']]])
  })
})
