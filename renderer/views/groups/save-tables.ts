import type { GroupQuery } from '../../../shared/session/requests/groups.ts'
import { saveTable, textOfAnswer } from '../../data/exporting.ts'
import { ask } from '../../engine/engine.ts'
import { counted } from '../../text/numbers.ts'
import { groupsWords } from './group-words.ts'

/** Asks how the groups of a query are to be saved. */
export function saveGroups(query: GroupQuery, groups: number): void {
  saveTable({
    what: groupsWords(groups),
    stem: 'groups',
    make: (as, signal) => textOfAnswer(ask('groupTable', { query, as }, signal)),
  })
}

/** The same of the rollouts of one group, with their advantages. */
export function saveSiblings({ position, rollouts }: { readonly position: number; readonly rollouts: number }): void {
  saveTable({
    what: `${counted(rollouts, 'rollout')} of the group`,
    stem: 'group',
    make: (as, signal) => textOfAnswer(ask('siblingTable', { position, as }, signal)),
  })
}
