import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import { builtScripts, KEPT } from './compiled/built-scripts.ts'

/** Entry of every thread: runs the script of the build that the first message names, which listens for those that follow. */
const scripts = builtScripts(dirname(fileURLToPath(import.meta.url)), KEPT.besideThreads)
const load = (script: string) => scripts.load(script) as { readonly serve: () => void }

parentPort?.once('message', (script: string) => load(script).serve())

// The one that it will most likely be is there by the time it is named. If it cannot be loaded, that is said where it is wanted.
if (typeof workerData === 'string') {
  try {
    load(workerData)
  } catch {}
}
