import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { builtScripts, KEPT } from './compiled/built-scripts.ts'
import { compileLess, setEngineFlags } from './engine-flags.ts'
import { type CommandIo, Exit } from './io.ts'

/** What the command line is mostly asked for. A function that none of it calls is compiled when it is called, as ever. */
const COMMANDS = (dump: string): readonly (readonly string[])[] => [
  ['--version'],
  ['--help'],
  ['checks'],
  ['inspect', dump, '--jobs', '1', '--json', '-', '--fail-on', 'none'],
  ['inspect', dump, '--jobs', '1', '--fail-on', 'none'],
  ['show', dump, '--index', '0', '--jobs', '1'],
]

/** Writes nowhere. */
const silent: CommandIo = {
  stdout: { write: () => true },
  stderr: { write: () => true },
  stdin: (async function* () {})(),
  env: {},
  directory: process.cwd(),
}

/** `node write-compiled.js FOLDER DUMP…`, a part of the build: runs commands on the dumps and keeps in FOLDER what V8 compiled for them. */
async function writeCompiled(compiled: string, dumps: readonly string[]): Promise<void> {
  setEngineFlags()
  // What ran once and long ago V8 forgets again, what scripts do when they are loaded first of all.
  setFlagsFromString('--no-flush-bytecode')
  const scripts = builtScripts(dirname(fileURLToPath(import.meta.url)), KEPT.alone)
  const { run } = scripts.load('command.js') as typeof import('./command.ts')
  for (const argv of dumps.flatMap(COMMANDS)) {
    const exit = await run(argv, silent)
    if (exit !== Exit.ok) throw new Error(`rollout-inspector ${argv.join(' ')} ended with ${exit}.`)
  }
  // Code is for the flags that hold when it is kept: those of a start, which judging has changed.
  setEngineFlags()
  setFlagsFromString('--flush-bytecode')
  scripts.keep(join(compiled, KEPT.alone))
  compileLess()
  scripts.keep(join(compiled, KEPT.besideThreads))
}

const [folder, ...dumps] = process.argv.slice(2)
if (folder === undefined || dumps.length === 0) throw new Error('Name the folder to write to, and dumps to read.')
void writeCompiled(folder, dumps)
