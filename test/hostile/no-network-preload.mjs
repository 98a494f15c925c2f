// Put before a command (`node --import`), in its worker threads too: every way out is told on standard error, and refused.
import { ChildProcess } from 'node:child_process'
import { Socket as Datagrams } from 'node:dgram'
import dns from 'node:dns'
import { writeSync } from 'node:fs'
import { Server, Socket } from 'node:net'

function shut(target, name, what) {
  target[name] = () => {
    writeSync(2, `NETWORK: ${what}\n`)
    throw new Error(`${what} was tried`)
  }
}

shut(Socket.prototype, 'connect', 'connect')
shut(Server.prototype, 'listen', 'listen')
shut(Datagrams.prototype, 'bind', 'bind')
shut(Datagrams.prototype, 'send', 'send')
shut(ChildProcess.prototype, 'spawn', 'spawn')
for (const name of ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveAny', 'reverse', 'lookupService']) {
  shut(dns, name, `dns.${name}`)
  if (dns.promises[name] !== undefined) shut(dns.promises, name, `dns.${name}`)
}
shut(globalThis, 'fetch', 'fetch')
