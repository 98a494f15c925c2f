import type { GroupDetail } from '../../../shared/session/requests/groups.ts'
import { observable } from '../../data/observable.ts'

/** The group on screen, for commands that are about it; null until it has been read. */
export const shownGroup = observable<GroupDetail | null>(null)
