/** The invented names that the sample world is made of. None of them is meant to exist. */

export const PEOPLE: readonly { readonly name: string; readonly she: boolean }[] = [
  { name: 'Lenora Vaskell', she: true },
  { name: 'Tobin Orrindale', she: false },
  { name: 'Maris Tarnquist', she: true },
  { name: 'Corwin Mellowick', she: false },
  { name: 'Edda Dunmarrow', she: true },
  { name: 'Anselm Hestrand', she: false },
  { name: 'Petra Quillon', she: true },
  { name: 'Osric Rosmere', she: false },
  { name: 'Junia Abelund', she: true },
  { name: 'Halvar Farrowby', she: false },
  { name: 'Sabine Castellor', she: true },
  { name: 'Dorian Wyntersea', she: false },
  { name: 'Wilma Skarholt', she: true },
  { name: 'Ruven Peverin', she: false },
  { name: 'Odile Lomasz', she: true },
  { name: 'Casimir Inglebrook', she: false },
  { name: 'Thea Draskov', she: true },
  { name: 'Bertil Thornevale', she: false },
  { name: 'Yara Ravelin', she: true },
  { name: 'Emeric Osterby', she: false },
  { name: 'Linnea Mirelle', she: true },
  { name: 'Gareth Cawdrey', she: false },
  { name: 'Noemi Falkenau', she: true },
  { name: 'Ivo Bellisand', she: false },
]

/** Person i has profession i modulo the number of professions. */
export const PROFESSIONS = [
  'film director',
  'composer',
  'architect',
  'industrialist',
  'civil servant',
  'novelist',
] as const
export type Profession = (typeof PROFESSIONS)[number]

export const TOWNS = [
  'Veltham',
  'Ordana',
  'Kesmark',
  'Port Alder',
  'Brunholm',
  'Saint Iwen',
  'Lakemere',
  'Torvin',
  'Greyfold',
  'Askeby',
  'Mirandel',
  'Quarrow',
] as const

export const RIVERS = [
  'Ilver',
  'Dorn Water',
  'Hask',
  'Little Merrow',
  'Tavelle',
  'Upper Sull',
  'Nethe Brook',
  'Garrel',
  'Wendle',
  'Ostra',
  'Black Fenn',
  'Camber',
] as const

export const REGIONS = ['the northern lowlands', 'the lake country', 'the western coast', 'the chalk hills'] as const

export const INDUSTRIES = [
  'its glass workshops',
  'the annual herring fair',
  'its printing houses',
  'the weaving of sailcloth',
  'its walled orchards',
  'the making of clocks',
] as const

export const SCHOOLS = [
  'the Academy of Ordana',
  'Lakemere College',
  'the Torvin School of Arts',
  'the Royal Institute in Kesmark',
  'Greyfold University',
  'the Alder Conservatory',
] as const

export const PRIZES = [
  'the Silver Heron',
  'the Marble Laurel',
  'the Ostra Prize',
  'the Lantern Medal',
  'the Hask Award',
  'the Golden Sextant',
] as const

export const FILMS = [
  'The Salt Orchard',
  'Winter on the Causeway',
  'A Map of Quiet Rooms',
  'The Lantern Keeper',
  'Eleven Bridges',
  'Smoke over Askeby',
  'The Last Ferry Home',
  'Paper Harbour',
  'Letters to the Tide',
  'The Clockmaker and the Crow',
] as const

export const PLOTS = [
  'It follows two sisters who inherit a failing farm and an unpaid debt',
  'It tells of a postman who opens one letter and cannot close it again',
  'It is set during a single night in which a dam is expected to break',
  'It portrays a retired teacher who walks the length of a frozen canal',
  'It concerns a forger who is asked to restore his own forgery',
] as const

/** The first three make films, the others do not. */
export const COMPANIES: readonly { readonly name: string; readonly product: string }[] = [
  { name: 'Northlight Pictures', product: 'feature films' },
  { name: 'Causeway Studio', product: 'feature films' },
  { name: 'Halcyon Reel', product: 'feature films' },
  { name: 'Halden Loom Works', product: 'mechanical looms' },
  { name: 'Ferrow and Daughters', product: 'marine paint' },
  { name: 'Aurel Instruments', product: 'surveying instruments' },
  { name: 'Kestrel Foundry', product: 'church bells' },
  { name: 'Bluegate Shipping', product: 'river barges' },
]
export const FILM_COMPANIES = 3

export const LANDMARKS = [
  'Orchard Museum',
  'Tidewater Observatory',
  'Hallorand Library',
  'Old Customs House',
  'Winter Garden',
  'Merrow Street Theatre',
  'Linden Clock Tower',
  'Ropemakers Hall',
] as const

export const NOVELS = [
  'The Cartographer in Spring',
  'Nine Empty Chairs',
  'What the Ferryman Owed',
  'A Ledger of Small Storms',
  'The House with Two Doors',
  'Under the Same Lamp',
] as const
