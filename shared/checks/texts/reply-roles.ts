import type { Segmentation } from '../../model/tokens.ts'

const BETWEEN = ' '

/** Roles under which the ids put the replies of tools before the model (`tool`, or `user` with tags around the reply), each once; null without a reply. */
export function replyRoles(segmentation: Segmentation | null): string | null {
  let roles: string | null = null
  for (const { kind, header, role } of segmentation?.turns ?? []) {
    if (kind !== 'tool' || header !== 'present') continue
    // What stands behind the name is that of the tool.
    const name = (/^[^\s:=]+/.exec(role)?.[0] ?? role).toLowerCase()
    if (roles === null) roles = name
    else if (roles !== name && !roles.split(BETWEEN).includes(name)) roles += `${BETWEEN}${name}`
  }
  return roles
}

export function shareReplyRole(a: string, b: string): boolean {
  const others = b.split(BETWEEN)
  return a.split(BETWEEN).some((role) => others.includes(role))
}
