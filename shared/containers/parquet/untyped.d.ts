// The package's own entry compiles WebAssembly when it is imported, which a page's content policy refuses.
declare module 'hyparquet-compressors/src/brotli.js' {
  export function decompressBrotli(input: Uint8Array, outputLength: number): Uint8Array
}
declare module 'hyparquet-compressors/src/brotli.streams.js' {
  export class BrotliOutput {
    buffer: Uint8Array
  }
}
