import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import openWabt from 'wabt'

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'shared', 'containers', 'kernel')

const wabt = await openWabt()
const parsed = wabt.parseWat('kernel.wat', readFileSync(join(folder, 'kernel.wat'), 'utf8'), {
  simd: true,
  mutable_globals: true,
})
parsed.validate()
const code = Buffer.from(parsed.toBinary({}).buffer).toString('base64')
const lines = code.match(/.{1,110}/g).map((line) => `  '${line}'`)
const text = `/** kernel.wat as a module, in base64. \`npm run kernel\` writes it. */\nexport const KERNEL_MODULE =\n${lines.join(' +\n')}\n`

// A test holds what is there against what would be written.
if (process.argv.includes('--print')) process.stdout.write(text)
else writeFileSync(join(folder, 'kernel-module.ts'), text)
