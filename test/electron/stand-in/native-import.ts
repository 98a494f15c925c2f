import { register } from 'node:module'
import { pathToFileURL } from 'node:url'
import { constants, Script } from 'node:vm'

/** What `import … from 'electron'` gives the main process, by the number of the instance that imports it. */
const standIns: Record<string, object> = {}
Object.assign(globalThis, { electronStandIns: standIns })

const NAMES = [
  'app',
  'BrowserWindow',
  'dialog',
  'ipcMain',
  'Menu',
  'nativeTheme',
  'protocol',
  'screen',
  'session',
  'shell',
]

const HOOKS = `
export async function resolve(specifier, context, next) {
  if (specifier !== 'electron') return next(specifier, context)
  const instance = new URL(context.parentURL).searchParams.get('instance')
  return { url: 'electron-stand-in:' + instance, format: 'module', shortCircuit: true }
}
export async function load(url, context, next) {
  if (!url.startsWith('electron-stand-in:')) return next(url, context)
  const instance = url.slice('electron-stand-in:'.length)
  const source = 'export const { ${NAMES.join(', ')} } = globalThis.electronStandIns[' + JSON.stringify(instance) + ']'
  return { format: 'module', source, shortCircuit: true }
}`

let registered = false
let instances = 0

/**
 * Runs a built main process by Node's own loader, unchanged, with `module` in the place of `electron`. Each call is an
 * instance of its own. The test runner would rewrite an `import` it sees; the script hides this one from it.
 */
export async function runMain(file: string, module: object): Promise<void> {
  if (!registered) register(`data:text/javascript,${encodeURIComponent(HOOKS)}`)
  registered = true
  instances++
  standIns[instances] = module
  const url = pathToFileURL(file)
  url.searchParams.set('instance', String(instances))
  const nativeImport = new Script('(url) => import(url)', {
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  }).runInThisContext() as (url: string) => Promise<unknown>
  await nativeImport(url.href)
}
