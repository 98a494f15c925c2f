import { setEngineFlags } from '../../cli/engine-flags.ts'
import { auditPasses, type PassesRequest } from './audit-passes.ts'

// As the command line does.
setEngineFlags()
console.log(JSON.stringify(await auditPasses(JSON.parse(process.argv[2] as string) as PassesRequest)))
