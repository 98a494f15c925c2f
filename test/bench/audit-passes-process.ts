import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { BuiltScripts } from '../../cli/compiled/built-scripts.ts'
import { setEngineFlags } from '../../cli/engine-flags.ts'
import { packageRoot } from '../../cli/package-root.ts'
import type { PassesRequest } from './audit-passes.ts'

// `COMPILED REQUEST` makes passes with the code that was kept in a folder, `--keep COMPILED DUMP…` keeps what V8 compiled of one over each dump: a
// command has such code from its build, and nobody waits for it to be compiled (decision 28).
const keeps = process.argv[2] === '--keep'
const [compiled, ...asked] = process.argv.slice(keeps ? 3 : 2) as [string, ...string[]]
setEngineFlags()
const scripts = new BuiltScripts(join(packageRoot(), 'dist', 'passes'), compiled)
const { auditPasses } = scripts.load('audit-passes.js') as typeof import('./audit-passes.ts')
if (keeps) {
  setFlagsFromString('--no-flush-bytecode')
  for (const path of asked) await auditPasses({ path, checks: true, passes: 1, parses: 0 })
  setFlagsFromString('--flush-bytecode')
  scripts.keep(compiled)
} else {
  for (const request of asked) console.log(JSON.stringify(await auditPasses(JSON.parse(request) as PassesRequest)))
}
