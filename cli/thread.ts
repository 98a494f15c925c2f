import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { workerData } from 'node:worker_threads'
import { builtScripts, KEPT } from './compiled/built-scripts.ts'

/** Entry of every thread: runs the script of the build that `workerData` names. */
builtScripts(dirname(fileURLToPath(import.meta.url)), KEPT.besideThreads).load(workerData as string)
