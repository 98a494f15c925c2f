import { ChildProcess } from 'node:child_process'
import { Socket as DatagramSocket } from 'node:dgram'
import { Server, Socket } from 'node:net'

/** Everything that a process reaches out by: connections, listening, datagrams, other programs. */
const WAYS_OUT: readonly [target: object, name: string][] = [
  [Socket.prototype, 'connect'],
  [Server.prototype, 'listen'],
  [DatagramSocket.prototype, 'bind'],
  [DatagramSocket.prototype, 'send'],
  [ChildProcess.prototype, 'spawn'],
]

/** Makes every way out throw and be counted, in this process. `restore` puts them back. */
export function closeNetwork(): { readonly tried: string[]; restore(): void } {
  const tried: string[] = []
  const kept = WAYS_OUT.map(([target, name]) => Reflect.get(target, name) as unknown)
  for (const [target, name] of WAYS_OUT) {
    Reflect.set(target, name, () => {
      tried.push(name)
      throw new Error(`${name} was tried`)
    })
  }
  return {
    tried,
    restore() {
      for (const [at, [target, name]] of WAYS_OUT.entries()) Reflect.set(target, name, kept[at])
    },
  }
}
