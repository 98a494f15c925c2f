import { count } from './number-text.ts'

/** Ids are of any length in a dump; nobody reads more than a few rows of one. */
const LONGEST_NAME = 200

export function shortName(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}… (${count(name.length)} characters)` : name
}
