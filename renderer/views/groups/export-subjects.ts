import { ask } from '../../engine/engine.ts'
import type { ExportSubject } from '../../state/exporting.ts'
import { groupList } from './group-list-data.ts'
import { groupsWords, queryWords } from './group-words.ts'
import { groupsPlace } from './groups-place.ts'
import { shownGroup } from './shown-group.ts'

/** The rollouts of the group on screen, and those of all groups that are listed. */
export function groupSubjects(): ExportSubject[] {
  const group = shownGroup.get()
  const listed = groupList.get()
  return [
    ...(group === null
      ? []
      : [
          {
            id: 'group',
            title: 'The group on screen',
            says: group.row.id,
            rollouts: group.indices.length,
            why: `group ${group.row.id}`,
            indices: () => group.indices,
          },
        ]),
    ...(listed.length === 0
      ? []
      : [
          {
            id: 'listed-groups',
            title: `All ${groupsWords(listed.length)} of the list`,
            says: queryWords(groupsPlace().query),
            rollouts: null,
            why: `the rollouts of ${groupsWords(listed.length)}`,
            indices: async () => (await ask('groupMembers', { positions: [...listed] })).indices,
          },
        ]),
  ]
}
