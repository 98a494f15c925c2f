/** The same bytes, filling a buffer of their own, so that it may be transferred or looked at without its view. */
export function wholeBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) return bytes as Uint8Array<ArrayBuffer>
  // A Node Buffer's own `slice` would share memory.
  return new Uint8Array(bytes)
}
