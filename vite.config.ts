import { builtinModules } from 'node:module'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { asCommonJs } from './scripts/as-common-js.ts'
import { bundledPackages } from './scripts/bundled-packages.ts'

/** What comes soon comes late where a whole suite runs beside it: a test waits for it, as long as it waits for an element. Milliseconds. */
const WAITS = { poll: { timeout: 20_000 } }

const nodeBuiltins = [...builtinModules, ...builtinModules.map((name) => `node:${name}`)]

/** Decoders are loaded when a container needs them; that some hosts need one from the start is no reason to warn. */
const checks = { ineffectiveDynamicImport: false, bundlerTimings: false }

/** Scripts of CommonJS, and how they are named. */
function commonJs(extension: 'js' | 'cjs') {
  const names = { entryFileNames: `[name].${extension}`, chunkFileNames: `assets/[name]-[hash].${extension}` }
  return { format: 'cjs', strict: true, ...names } as const
}

/** One entry for everything that runs in Node: bundled whole, so that `dist/` needs no `node_modules`. */
function nodeBuild(
  input: Record<string, string>,
  outDir: string,
  output: ReturnType<typeof commonJs> | { format: 'es'; entryFileNames: string } = {
    format: 'es',
    entryFileNames: '[name].js',
  },
  plugins: ReturnType<typeof asCommonJs>[] = [],
) {
  return {
    plugins: [bundledPackages(), ...plugins],
    ssr: { noExternal: true as const, external: ['electron', 'playwright-core'] },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: true,
      target: 'node20',
      minify: false,
      rolldownOptions: {
        input,
        external: ['electron', 'playwright-core', ...nodeBuiltins],
        checks,
        output,
      },
    },
  }
}

export default defineConfig(({ mode }) => {
  if (mode === 'main') return nodeBuild({ main: 'electron/main.ts' }, 'dist/electron')
  if (mode === 'preload') return nodeBuild({ preload: 'electron/preload.ts' }, 'dist/preload', commonJs('cjs'))
  if (mode === 'cli') {
    const entries = {
      main: 'cli/main.ts',
      command: 'cli/command.ts',
      thread: 'cli/thread.ts',
      'audit-worker': 'cli/audit-worker.ts',
      'scan-worker': 'cli/scan-worker.ts',
      start: 'cli/server/start.ts',
      'write-compiled': 'cli/write-compiled.ts',
    }
    return nodeBuild(entries, 'dist/cli', commonJs('js'), [asCommonJs()])
  }
  // What the bench of checks measures, loaded as the command line is.
  if (mode === 'passes')
    return nodeBuild({ 'audit-passes': 'test/bench/audit-passes.ts' }, 'dist/passes', commonJs('js'), [asCommonJs()])
  if (mode === 'tools') {
    const entries = {
      samples: 'samples/make.ts',
      bench: 'test/bench/main.ts',
      'audit-passes': 'test/bench/audit-passes-process.ts',
      'ready-process': 'test/bench/ready-process.ts',
      'ready-worker': 'test/bench/ready-worker.ts',
      docs: 'test/docs/make.ts',
    }
    return nodeBuild(entries, 'dist/tools')
  }
  return {
    root: 'renderer',
    base: './',
    plugins: [react(), bundledPackages()],
    worker: {
      format: 'es' as const,
      plugins: () => [bundledPackages()],
      // A folder of their own: what lies there is handed out under a content policy of its own (cli/server/site.ts).
      rolldownOptions: { checks, output: { entryFileNames: 'workers/[name]-[hash].js' } },
    },
    build: { outDir: '../dist/renderer', emptyOutDir: true, target: 'chrome130', rolldownOptions: { checks } },
    test: {
      root: '.',
      projects: [
        {
          extends: true,
          test: {
            name: 'unit',
            include: ['test/**/*.test.ts'],
            exclude: [
              'test/browser/**',
              'test/electron/**',
              'test/fuzz/**',
              'test/planted/**',
              'test/**/*.browser.test.ts',
            ],
            environment: 'node',
            expect: WAITS,
            testTimeout: 60_000,
            hookTimeout: 120_000,
          },
        },
        {
          extends: true,
          test: {
            name: 'planted',
            include: ['test/planted/**/*.test.ts'],
            // Other dumps at every run, so that each run holds the checks against some that nobody has seen. All other tests draw alike.
            env: { PLANTED_SEED: process.env.PLANTED_SEED ?? String(Math.floor(Math.random() * 1e9)) },
            environment: 'node',
            testTimeout: 60_000,
            hookTimeout: 120_000,
          },
        },
        {
          extends: true,
          test: {
            name: 'browser',
            include: ['test/browser/**/*.test.ts', 'test/electron/**/*.test.ts', 'test/**/*.browser.test.ts'],
            environment: 'node',
            expect: WAITS,
            testTimeout: 60_000,
            hookTimeout: 120_000,
            fileParallelism: false,
            // A browser beside a whole suite is late at times. What failed once is named at the end (scripts/not-run-reporter.mjs).
            retry: 1,
          },
        },
        {
          extends: true,
          test: {
            name: 'fuzz',
            include: ['test/fuzz/**/*.test.ts'],
            environment: 'node',
            testTimeout: 600_000,
          },
        },
      ],
    },
  }
})
