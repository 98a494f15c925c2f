import { inlineLess } from '../../cli/inlining.ts'
import { auditPasses, type PassesRequest } from './audit-passes.ts'

// As the command line does.
inlineLess()
console.log(JSON.stringify(await auditPasses(JSON.parse(process.argv[2] as string) as PassesRequest)))
