import { auditPasses, type PassesRequest } from './audit-passes.ts'

console.log(JSON.stringify(await auditPasses(JSON.parse(process.argv[2] as string) as PassesRequest)))
