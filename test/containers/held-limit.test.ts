import { expect, test } from 'vitest'
import { heldLimit } from '../../shared/containers/packed-bytes.ts'
import { memorySource } from './memory-source.ts'

const MiB = 1 << 20
const sized = (size: number) => ({ ...memorySource(new Uint8Array(1)), size })

test.each([
  ['a small file may give what its size allows in any case', 4 * MiB, null, 256 * MiB],
  ['a data frame of one batch is no bomb: it may give eight times its file', 200 * MiB, null, 1600 * MiB],
  ['a person may allow more, or less', 4 * MiB, 17, 17],
])('%s', (_, size, given, most) => {
  expect(heldLimit(sized(size), given)).toBe(most)
})
