/** What kernel.wat exports. Addresses are offsets in `memory`. */
export interface KernelExports {
  readonly memory: WebAssembly.Memory
  plain(at: number, end: number, out: number): number
  readonly written: WebAssembly.Global<'i32'>
  stripes(at: number, end: number): void
  readonly low: WebAssembly.Global<'i32'>
  readonly high: WebAssembly.Global<'i32'>
  most(at: number, end: number): number
  maxima(at: number, end: number, out: number): number
  look(at: number, end: number, known: number, size: number): number
  sums(at: number, end: number, known: number, size: number, out: number): void
  lookOver(at: number, end: number, known: number, size: number, base: number, sums: number): number
  readonly lookedAt: WebAssembly.Global<'i32'>
  first(at: number, end: number, bound: number): number
  firstOver(at: number, end: number, bound: number, base: number, maxima: number): number
  find(at: number, end: number, value: number): number
  member(at: number, end: number, set: number, words: number): number
  narrow(at: number, end: number, out: number): void
  bag(at: number, end: number): number
  other(at: number, end: number, value: number): number
  count(at: number, end: number, value: number): number
  differ(at: number, end: number, other: number): number
  fill(at: number, end: number, value: number): void
  copy(at: number, end: number, out: number): void
}
