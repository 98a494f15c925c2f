import type { HashReply } from '../../shared/session/late-hashes.ts'
import type { BlobElsewhere } from './byte-sources.ts'
import { sha256OfFile } from './hash-file.ts'
import { fastSha256, slowSha256 } from './sha256.ts'
import { workerPort } from './worker-port.ts'

const port = workerPort()
const creating = fastSha256()
port.onMessage(async (elsewhere: BlobElsewhere) => {
  const create = (await creating) ?? slowSha256
  const sha256 = await sha256OfFile(elsewhere, create()).catch(() => null)
  port.post({ sha256 } satisfies HashReply)
})
