import type { CheckStory } from '../../shared/checks/reporting/stories.ts'
import type { CheckFixture } from '../fixtures/checks/fixture.ts'
import type { DefectFixture } from '../fixtures/defects/fixture.ts'

const checks = import.meta.glob<CheckFixture>('../fixtures/checks/[A-Z][0-9][0-9].ts', {
  eager: true,
  import: 'default',
})
const defects = import.meta.glob<DefectFixture>('../fixtures/defects/[A-Z]*.ts', { eager: true, import: 'default' })

/** What the fixtures of each check and defect say of themselves, by code. */
export function storiesOfFixtures(): Record<string, CheckStory> {
  const stories = Object.entries(checks).map(([path, { trips, nearMiss }]): [string, CheckStory] => {
    const code = path.slice(-6, -3)
    const shownBy = Object.values(defects).filter(({ shows }) => shows.symptoms.includes(code))
    const ids = [...new Set(shownBy.map(({ id }) => id))].sort()
    return [code, { trips: trips.story, nearMiss: nearMiss.story, ...(ids.length > 0 && { defects: ids }) }]
  })
  return Object.fromEntries(stories.sort(([a], [b]) => (a < b ? -1 : 1)))
}
