// The package has types for these, and its entry for modules does not name them.
declare module '@uwdata/flechette/src/encode/builder.js' {
  /** Who takes the bytes that are built. */
  export interface Sink {
    write(bytes: Uint8Array): void
    pad(byteCount: number): void
    finish(): Uint8Array | null
  }
  export class Builder {
    constructor(sink: Sink)
  }
}
declare module '@uwdata/flechette/src/encode/footer.js' {
  import type { Schema } from '@uwdata/flechette'
  import type { Builder } from '@uwdata/flechette/src/encode/builder.js'
  export function writeFooter(
    builder: Builder,
    schema: Schema,
    dictBlocks: readonly Block[],
    recordBlocks: readonly Block[],
    metadata: ReadonlyMap<string, string> | null,
  ): void
  interface Block {
    readonly offset: number
    readonly metadataLength: number
    readonly bodyLength: number
  }
}
