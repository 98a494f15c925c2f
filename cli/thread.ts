import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parentPort } from 'node:worker_threads'
import { builtScripts, KEPT } from './compiled/built-scripts.ts'

/** Entry of every thread: runs the script of the build that the first message names, which listens for those that follow. */
const scripts = builtScripts(dirname(fileURLToPath(import.meta.url)), KEPT.besideThreads)
parentPort?.once('message', (script: string) => void scripts.load(script))
