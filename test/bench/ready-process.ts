import { readFile } from 'node:fs/promises'
import { readyTimes } from './ready.ts'

/** Time that this process ran, which other programs on the machine do not lengthen as much. */
const clock = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
console.log(JSON.stringify(await readyTimes(clock, () => readFile(process.argv[2] as string))))
