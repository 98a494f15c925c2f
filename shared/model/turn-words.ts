import type { Turn } from './tokens.ts'

/** The role of a turn as its ids spell it. A sequence that begins inside a turn does not have its role. */
export function roleText({ role, header }: Pick<Turn, 'role' | 'header'>): string {
  if (role !== '') return role
  return header === 'cut' ? 'beginning cut' : 'no role'
}
