/** 16 hex digits; `crypto.randomUUID` is missing on pages that a server on the local network sends. */
export function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
