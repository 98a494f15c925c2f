import type { ParquetParsers } from 'hyparquet'

/** Times as ISO 8601 texts (nothing about a rollout is finer than milliseconds), everything else that is text as text. */
export const parsers: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (value) => time(Number(value)),
  timestampFromMicroseconds: (value) => time(Number(value / 1000n)),
  timestampFromNanoseconds: (value) => time(Number(value / 1_000_000n)),
  dateFromDays: (days) =>
    days === undefined || days === null ? null : (time(days * 86_400_000)?.slice(0, 10) ?? null),
  jsonFromBytes: (bytes) => text(bytes),
  stringFromBytes: (bytes) => text(bytes),
  geometryFromBytes: (bytes) => bytes,
  geographyFromBytes: (bytes) => bytes,
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

function text(bytes: Uint8Array | undefined): string | undefined {
  return bytes && decoder.decode(bytes)
}

function time(milliseconds: number): string | null {
  return Math.abs(milliseconds) <= 8.64e15 ? new Date(milliseconds).toISOString() : null
}
