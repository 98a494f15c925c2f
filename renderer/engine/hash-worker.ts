import type { HashReply } from '../../shared/session/late-hashes.ts'
import type { BlobElsewhere } from './byte-sources.ts'
import { sha256OfFile } from './hash-file.ts'
import { fastSha256, slowSha256 } from './sha256.ts'
import { workerPort } from './worker-port.ts'

const port = workerPort()
port.onMessage(async (elsewhere: BlobElsewhere) => {
  const sha256 = await sha256OfFile(elsewhere, createSha256).catch(() => null)
  port.post({ sha256 } satisfies HashReply)
})

async function createSha256() {
  return ((await fastSha256()) ?? slowSha256)()
}
