import { compactTokenizer } from '../../shared/tokens/compact/compact-tokenizer.ts'

/** When a bundled family was read, when ids could be shown, and when a text was encoded; milliseconds of `clock` from the asking. */
export interface ReadyTimes {
  readonly read: number
  readonly shows: number
  readonly encodes: number
}

/** In a thread that has done nothing yet, since most of what it measures is code that runs for the first time. */
export async function readyTimes(clock: () => number, read: () => Promise<Uint8Array>): Promise<ReadyTimes> {
  const start = clock()
  const file = await read()
  const wasRead = clock()
  const tokenizer = compactTokenizer(file, { id: 'x', title: 'x', origin: 'bundled' })
  const shows = clock()
  const ids = tokenizer.encode('Where does the river rise?', { specials: true })
  if (ids.length === 0) throw new Error('nothing was encoded')
  return { read: wasRead - start, shows: shows - start, encodes: clock() - start }
}
