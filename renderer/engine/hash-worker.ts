import { type HashQueue, serveHashes } from './hashes-behind.ts'
import { fastSha256 } from './sha256.ts'
import { workerPort } from './worker-port.ts'

const port = workerPort()
fastSha256().then((createSha256) => {
  // Thrown outside of the promise, where whoever started this worker hears of it.
  if (createSha256 === null) setTimeout(refuse)
  else port.onMessage((queue: HashQueue) => serveHashes(queue, createSha256))
})

function refuse(): never {
  throw new Error('no WebAssembly may run in it')
}
