import { workerPort } from '../../renderer/engine/worker-port.ts'
import { readyTimes } from './ready.ts'

const port = workerPort()
port.onMessage((address: string) => {
  const read = async () => new Uint8Array(await (await fetch(address)).arrayBuffer())
  void readyTimes(() => performance.now(), read).then((times) => port.post(times))
})
