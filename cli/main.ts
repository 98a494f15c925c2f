#!/usr/bin/env node
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtScripts, KEPT } from './compiled/built-scripts.ts'
import { setEngineFlags } from './engine-flags.ts'

// Before any of it is compiled: what was compiled before is for these flags.
setEngineFlags()
const { command } = builtScripts(dirname(fileURLToPath(import.meta.url)), KEPT.alone).load(
  'command.js',
) as typeof import('./command.ts')
void command(process.argv.slice(2))
