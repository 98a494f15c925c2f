import { setFlagsFromString } from 'node:v8'

/**
 * What makes V8 compile functions for speed later than it does by itself, by its major version; each has other names for it. In V8 11 (Node 20) a
 * function runs 132,000 bytes of bytecode before, in V8 12 (Node 22) it is called 3,000 times; V8 13 (Node 24) gains nothing by it.
 */
const FLAGS: Readonly<Record<string, string>> = {
  11: '--interrupt-budget=1000000',
  12: '--invocation-count-for-turbofan=12000',
}

/** Null where nothing is to be changed. */
export function laterCompiling(v8: string): string | null {
  return FLAGS[v8.split('.')[0] as string] ?? null
}

/**
 * Has code compiled for speed later: a run goes through thousands of functions, most of them for less than a second, and compiling them took a third
 * of all processor time, on the cores that the workers need (docs/performance.md). Holds for the whole process with its worker threads. Call
 * before anything is read.
 */
export function compileLater(): void {
  const flag = laterCompiling(process.versions.v8)
  if (flag !== null) setFlagsFromString(flag)
}
