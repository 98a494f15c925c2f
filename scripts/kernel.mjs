import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import openWabt from 'wabt'

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'shared', 'containers', 'kernel')

const wabt = await openWabt()
const wat = readFileSync(join(folder, 'kernel.wat'), 'utf8')
/** The line of kernel.wat that gives a kernel memory of its own, and what stands for it where several threads have the same. */
const OWN_MEMORY = '(memory (export "memory") 200)'
const SHARED_MEMORY = '(memory (import "host" "memory") 200 65536 shared)'
if (!wat.includes(OWN_MEMORY)) throw new Error(`kernel.wat has no line ${OWN_MEMORY}`)

/** A module in base64, as a constant of a script. */
function assembled(name, described, source) {
  const parsed = wabt.parseWat('kernel.wat', source, { simd: true, mutable_globals: true, threads: true })
  const module = Buffer.from(parsed.toBinary({}).buffer)
  // The assembler's own check knows no shared memory.
  if (!WebAssembly.validate(module)) throw new Error(`${name} is no valid module`)
  const code = module.toString('base64')
  const lines = code.match(/.{1,110}/g).map((line) => `  '${line}'`)
  return `/** ${described} \`npm run kernel\` writes it. */\nexport const ${name} =\n${lines.join(' +\n')}\n`
}

const text = [
  assembled('KERNEL_MODULE', 'kernel.wat as a module, in base64.', wat),
  assembled('SHARED_KERNEL_MODULE', 'The same over memory that is handed in.', wat.replace(OWN_MEMORY, SHARED_MEMORY)),
].join('\n')

// A test holds what is there against what would be written.
if (process.argv.includes('--print')) process.stdout.write(text)
else writeFileSync(join(folder, 'kernel-module.ts'), text)
