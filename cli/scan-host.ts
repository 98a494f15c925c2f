import { closeSync, openSync, readSync } from 'node:fs'
import type { ScanWorkerHost } from '../shared/session/audit/scan-worker.ts'
import { WITHOUT_WAITING } from './byte-sources.ts'
import type { FileElsewhere } from './read-elsewhere.ts'
import { createSha256 } from './sha256.ts'

/** What Node lends a scan thread, which has nothing else to do until its bytes are there. */
export const scanHost: ScanWorkerHost = {
  createSha256,
  open(elsewhere) {
    const file = openSync((elsewhere as FileElsewhere).path, WITHOUT_WAITING)
    return {
      // Node's own kind of array: it finds a byte several times faster.
      seen: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
      read(start, into) {
        let filled = 0
        while (filled < into.length) {
          const read = readSync(file, into, filled, into.length - filled, start + filled)
          if (read === 0) break
          filled += read
        }
        return filled
      },
      close: () => closeSync(file),
    }
  },
}
