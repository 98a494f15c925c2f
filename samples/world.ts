import {
  COMPANIES,
  FILM_COMPANIES,
  FILMS,
  INDUSTRIES,
  LANDMARKS,
  NOVELS,
  PEOPLE,
  PLOTS,
  PRIZES,
  PROFESSIONS,
  type Profession,
  REGIONS,
  RIVERS,
  SCHOOLS,
  TOWNS,
} from './names.ts'
import { Random } from './random.ts'

export type EntityKind = 'person' | 'town' | 'film' | 'company' | 'landmark' | 'novel'

/** Something a document is about. `facts` holds what a question may ask for, under the relation's name. */
export interface Entity {
  readonly kind: EntityKind
  readonly name: string
  readonly facts: Readonly<Record<string, string>>
  /** The document's one paragraph. It holds no double quote and no newline. */
  readonly text: string
}

const RNG = new Random('world')

interface Person {
  readonly name: string
  readonly she: boolean
  readonly profession: Profession
  readonly town: string
  readonly born: number
  readonly school: string
  readonly prize: string
}

const PERSONS: readonly Person[] = PEOPLE.map(({ name, she }, index) => ({
  name,
  she,
  profession: PROFESSIONS[index % PROFESSIONS.length] as Profession,
  town: RNG.pick(TOWNS),
  born: RNG.integer(1891, 1958),
  school: RNG.pick(SCHOOLS),
  prize: RNG.pick(PRIZES),
}))

function someone(profession: Profession): string {
  return RNG.pick(PERSONS.filter((person) => person.profession === profession)).name
}

function entity(kind: EntityKind, name: string, facts: Record<string, string>, sentences: readonly string[]): Entity {
  return { kind, name, facts, text: sentences.join(' ') }
}

function person({ name, she, profession, town, born, school, prize }: Person): Entity {
  const They = she ? 'She' : 'He'
  const their = she ? 'her' : 'his'
  const facts = { birthplace: town, 'year of birth': String(born), school, prize }
  return entity('person', name, facts, [
    RNG.pick([
      `${name} (born ${born} in ${town}) was a ${profession} whose work is still discussed today.`,
      `Born in ${town} in ${born}, ${name} became known as a ${profession}.`,
      `${name} was a ${profession}, born in ${town} in the spring of ${born}.`,
    ]),
    RNG.pick([
      `${They} studied at ${school}, where ${their} teachers thought ${their} early attempts careless but original.`,
      `After a short apprenticeship ${they(she)} enrolled at ${school} and stayed there for six years.`,
      `${Their(she)} education at ${school} was interrupted twice by illness.`,
    ]),
    RNG.pick([
      `In later life ${they(she)} was awarded ${prize}, the only public honour ${they(she)} ever accepted.`,
      `${They} received ${prize} for work that critics had ignored for a decade.`,
      `The jury of ${prize} named ${name} its laureate by a single vote.`,
    ]),
    RNG.pick([
      `${Their(she)} notebooks were printed after ${their} death and run to four volumes.`,
      `${They} kept bees, wrote long letters and disliked giving interviews.`,
      `A street near the old market was renamed in ${their} memory.`,
    ]),
  ])
}

function they(she: boolean): string {
  return she ? 'she' : 'he'
}

function Their(she: boolean): string {
  return she ? 'Her' : 'His'
}

function town(name: string, index: number): Entity {
  const river = RIVERS[index % RIVERS.length] as string
  const mayor = someone('civil servant')
  const founded = RNG.integer(1102, 1688)
  const region = RNG.pick(REGIONS)
  const facts = { river: `${river}`, mayor, 'founding year': String(founded) }
  return entity('town', name, facts, [
    RNG.pick([
      `${name} is a town in ${region} with about ${RNG.integer(11, 94)},000 inhabitants.`,
      `The town of ${name} lies in ${region}, two hours by train from the capital.`,
    ]),
    RNG.pick([
      `The river ${river} flows through its centre and divides the upper from the lower quarter.`,
      `It was built on both banks of the river ${river}, which still floods the meadows every March.`,
    ]),
    RNG.pick([
      `A charter of ${founded} is the founding document of the town and hangs in the council chamber.`,
      `It was founded in ${founded} by settlers who had been granted the right to hold a weekly market.`,
    ]),
    RNG.pick([
      `Its mayor, ${mayor}, was elected on a promise to reopen the harbour railway.`,
      `Since the last election ${mayor} has served as mayor.`,
    ]),
    `Visitors know it mostly for ${RNG.pick(INDUSTRIES)}.`,
  ])
}

function film(name: string, index: number): Entity {
  const director = someone('film director')
  const composer = someone('composer')
  const producer = COMPANIES[index % FILM_COMPANIES]?.name as string
  const year = RNG.integer(1931, 1979)
  return entity('film', name, { director, composer, producer }, [
    RNG.pick([
      `${name} is a film of ${year}, directed by ${director}.`,
      `${name}, directed by ${director}, opened in the autumn of ${year}.`,
    ]),
    `${RNG.pick(PLOTS)}.`,
    RNG.pick([
      `It was produced by ${producer} at a time when the studio was close to bankruptcy.`,
      `The production company was ${producer}, which had refused the script twice.`,
    ]),
    RNG.pick([
      `The score was written by ${composer} within nine days.`,
      `${composer} composed the music, scored for strings and a single horn.`,
    ]),
    RNG.pick([
      'Only one complete print is known to survive.',
      'Reviewers praised the photography and complained about the length.',
      'It ran for eleven weeks and was then forgotten until a retrospective.',
    ]),
  ])
}

function company({ name, product }: { name: string; product: string }): Entity {
  const founder = someone('industrialist')
  const seat = RNG.pick(TOWNS)
  const founded = RNG.integer(1868, 1934)
  return entity('company', name, { founder, headquarters: seat, 'founding year': String(founded) }, [
    RNG.pick([
      `${name} is a company that makes ${product}.`,
      `${name}, a maker of ${product}, has always been run as a family business.`,
    ]),
    RNG.pick([
      `It was founded in ${founded} by ${founder}, who had borrowed the money from a cousin.`,
      `${founder} founded the firm in ${founded} with four employees and one rented room.`,
    ]),
    RNG.pick([
      `The headquarters are in ${seat}, in a brick building that survived two fires.`,
      `From its headquarters in ${seat} it served customers in nine countries.`,
    ]),
    RNG.pick([
      'Its archive, open to the public since a few years, holds thousands of drawings and invoices.',
      'During the long strike the workers ran the business themselves for seven months.',
    ]),
  ])
}

function landmark(name: string): Entity {
  const architect = someone('architect')
  const place = RNG.pick(TOWNS)
  const year = RNG.integer(1911, 1969)
  return entity('landmark', name, { architect, location: place }, [
    RNG.pick([
      `The ${name} stands in ${place}, a short walk from the main square.`,
      `The ${name} is the best known building of ${place}.`,
    ]),
    RNG.pick([
      `It was designed by ${architect} and completed in ${year}.`,
      `${architect} drew the plans, and the doors opened in ${year}.`,
    ]),
    RNG.pick([
      'The roof is carried by twelve slender columns, no two of which are alike.',
      'Its staircase of pale stone appears in countless photographs.',
      'The facade was meant to be temporary and has been listed ever since.',
    ]),
    RNG.pick([
      'Restoration took almost as long as the building work had taken.',
      'Concerts are held there on the first Sunday of every month.',
    ]),
  ])
}

function novel(name: string): Entity {
  const author = someone('novelist')
  const year = RNG.integer(1922, 1981)
  return entity('novel', name, { author }, [
    RNG.pick([
      `${name} is a novel by ${author}, first printed in ${year}.`,
      `${author} published the novel ${name} in ${year}.`,
    ]),
    RNG.pick([
      'The story is told by three narrators who never meet.',
      'It was written in a borrowed flat over two winters.',
    ]),
    RNG.pick([
      `Large parts of it take place in ${RNG.pick(TOWNS)}, although the town is never named.`,
      'The first edition sold fewer than three hundred copies and is now much sought after.',
    ]),
    'School editions leave out the last chapter, against the wish that the will expressed.',
  ])
}

/** Every entity of the invented world, each with its document. */
export const WORLD: readonly Entity[] = [
  ...PERSONS.map(person),
  ...TOWNS.map(town),
  ...FILMS.map(film),
  ...COMPANIES.map(company),
  ...LANDMARKS.map(landmark),
  ...NOVELS.map(novel),
]

const BY_NAME = new Map(WORLD.map((one) => [one.name, one]))

export function entityNamed(name: string): Entity {
  const found = BY_NAME.get(name)
  if (!found) throw new RangeError(`no entity is called ${name}`)
  return found
}
