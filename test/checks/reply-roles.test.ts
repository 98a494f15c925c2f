import { expect, it } from 'vitest'
import { replyRoles, shareReplyRole } from '../../shared/checks/texts/reply-roles.ts'
import type { Segmentation } from '../../shared/model/tokens.ts'

const rolesOf = (...turns: readonly (readonly [kind: string, role: string])[]) =>
  replyRoles({ turns: turns.map(([kind, role]) => ({ kind, role, header: 'present' })) } as unknown as Segmentation)

it('tells the roles of replies alone, each once and without the name of the tool', () => {
  expect(rolesOf(['user', 'user'], ['assistant', 'assistant'], ['user', 'user'])).toBeNull()
  expect(rolesOf(['user', 'user'], ['tool', 'tool name=search'], ['tool', 'tool'], ['tool', 'user'])).toBe('tool user')
  expect(replyRoles(null)).toBeNull()
})

it('takes runs for alike that share a role', () => {
  expect(shareReplyRole('tool user', 'user')).toBe(true)
  expect(shareReplyRole('tool', 'user')).toBe(false)
})
