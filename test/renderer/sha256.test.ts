import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fastSha256, slowSha256 } from '../../renderer/engine/sha256.ts'
import type { Sha256 } from '../../shared/session/host.ts'

const hashedInPieces = (create: () => Sha256) =>
  fc.property(
    fc.array(fc.record({ file: fc.nat({ max: 3 }), piece: fc.uint8Array({ maxLength: 300 }) }), { maxLength: 40 }),
    (pieces) => {
      const files = Array.from({ length: 4 }, () => ({ own: create(), theirs: createHash('sha256') }))
      for (const { file, piece } of pieces) {
        files[file]?.own.update(piece)
        files[file]?.theirs.update(piece)
      }
      for (const { own, theirs } of files) expect(own.digest()).toBe(theirs.digest('hex'))
    },
  )

describe('SHA-256 of files that are read side by side, in pieces, is that of Node', () => {
  test('in WebAssembly', async () => {
    const create = await fastSha256()
    if (create === null) throw new Error('this machine runs no WebAssembly')
    fc.assert(hashedInPieces(create))
    const long = new Uint8Array(3_000_001).map((_, at) => at * 31)
    const hash = create()
    hash.update(long)
    expect(hash.digest()).toBe(createHash('sha256').update(long).digest('hex'))
  })

  test('in the script', () => {
    fc.assert(hashedInPieces(slowSha256))
  })
})
