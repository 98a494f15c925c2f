import { createHash } from 'node:crypto'
import type { Sha256 } from '../shared/session/host.ts'

export function createSha256(): Sha256 {
  const hash = createHash('sha256')
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('hex') }
}
