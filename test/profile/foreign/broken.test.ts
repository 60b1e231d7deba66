/** Foreign profiles with faults: one message names each of them with its file and line. */

import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadProfile } from '../../../src/profile/load-profile.ts'

type Fault = {
  readonly file: string
  readonly from: string
  readonly to: string
  /** Text on the line that is named; by default what was put in. */
  readonly at?: string
  /** The file that is named, where it is another. */
  readonly in?: string
  readonly message: string
}

const land = 'shape <https://land.example/shapes#'
const water = 'shape <https://water.example/shapes#'

const inNational: readonly Fault[] = [
  {
    file: 'piveau.json',
    from: '"version": "1"',
    to: '"version": "3"',
    message: 'property version: version must be "1", the only one there is',
  },
  {
    file: 'katalog.ttl',
    from: 'voc:mappingClass voc:Agent',
    to: 'voc:mappingClass voc:Actor',
    message: `${land}Katalog_Shape>, property ressort: unknown mapping class "Actor"`,
  },
  {
    file: 'katalog.ttl',
    from: '[ sh:path dcat:dataset ;',
    to: '[ sh:path dcat:catalog ;',
    at: 'land:Katalog_Shape a sh:NodeShape',
    message: `${land}Katalog_Shape>, property dcat:dataset: is missing; a property with this sh:path must be there`,
  },
  {
    file: 'datensatz.ttl',
    from: '; voc:mappingName "titel"\n  ;',
    to: ';',
    at: '; voc:mappingClass "TrimmedMultiLangTitle"',
    message: `${land}Datensatz_Shape>, property http://purl.org/dc/terms/title: has mappingClass "TrimmedMultiLangTitle" but no mappingName`,
  },
  {
    file: 'datensatz.ttl',
    from: 'voc:mappingName "gebiet" ;',
    to: 'voc:mappingName "schlagwort" ;',
    at: 'sh:path dcatde:geocodingDescription ;\n      voc:mappingName "schlagwort"',
    message: `${land}Datensatz_Shape>, property schlagwort: is given twice`,
  },
  {
    file: 'datensatz.ttl',
    from: 'sh:path dcatde:contributorID',
    to: 'sh:path ( dcatde:contributorID dct:title )',
    message: `${land}Datensatz_Shape>, property datenbereitsteller: sh:path must be a predicate or an sh:alternativePath of predicates`,
  },
  {
    file: 'datensatz.ttl',
    from: 'voc:mappingClass "StandardResourceKeyword"',
    to: 'voc:klasse "StandardResourceKeyword"',
    at: 'voc:mappingName "datenbereitsteller"',
    message: `${land}Datensatz_Shape>, property datenbereitsteller: has mappingName but no mappingClass`,
  },
  {
    file: 'datensatz.ttl',
    from: 'voc:mappingName "country" ; voc:mappingClass "SpatialResource"',
    to: 'voc:mappingName "country" ; voc:mappingClass "StandardKeyword"',
    message: `${land}Datensatz_Shape>, property country: has class StandardKeyword; it must be SpatialResource`,
  },
  {
    file: 'distribution.ttl',
    from: '[ sh:maxCount 1 ; voc:mappingName "id"',
    to: '[ voc:mappingName "id"',
    message: `${land}Distribution_Shape>, property ressourcen.id: needs sh:maxCount 1`,
  },
  {
    file: 'distribution.ttl',
    from: 'voc:mappingLink land:Dienst_Shape',
    to: 'voc:mappingLink land:Service_Shape',
    message: `${land}Distribution_Shape>, property dienst: mappingLink <https://land.example/shapes#Service_Shape> is not a sh:NodeShape of the profile`,
  },
  {
    file: 'distribution.ttl',
    from: 'voc:mappingName "groesse"',
    to: 'voc:mappingName "größe"',
    message: `${land}Distribution_Shape>, property größe: a name is a letter and up to 63 letters, digits, _ or -`,
  },
  {
    file: 'profil.ttl',
    from: 'voc:profileVersion "1"',
    to: 'voc:profileVersion "2"',
    message: 'property profileVersion: is "2"; "1" is the only one there is',
  },
]

const inCustom: readonly Fault[] = [
  {
    file: 'platform.json',
    from: '"id": "station"',
    to: '"id": "Dataset"',
    message: 'property resources "Dataset": is the id of a core index',
  },
  {
    file: 'platform.json',
    from: '"id": "Show-Case-2"',
    to: '"id": "dataSET"',
    message: 'property resources "dataSET": is given twice',
  },
  {
    file: 'platform.json',
    from: '"https://water.example/def#Showcase"',
    to: '"def:Showcase"',
    message:
      'property resources "dataSET": typeUri "def:Showcase" is a prefixed name, not a full IRI',
  },
  {
    file: 'platform.json',
    from: '"path": "operator.name" }',
    to: '"path": "operator.name" }, { "name": "river", "path": "river" }',
    message: 'property resources "Dataset": facet "river" is given twice',
  },
  {
    file: 'platform.json',
    from: 'shapes#ShowcaseShape',
    to: 'shapes#ShowShape',
    message:
      'property resources "dataSET": there is no such sh:NodeShape: <https://water.example/shapes#ShowShape>',
  },
  {
    file: 'platform.json',
    from: '"resources": [',
    to: '"resources": [\n  { "id": "a b", "path": 7, "shapeUri": "x:y:z", "typeUri": "x:y:z" },',
    at: '"id": "a b"',
    message: 'property resources.0.path: Invalid input: expected string, received number',
  },
  {
    file: 'station.ttl',
    from: 'sh:maxCount 1 ; pv:mappingName "catalog"',
    to: 'pv:mappingName "catalog"',
    message: `${water}StationShape>, property catalog: needs sh:maxCount 1`,
  },
  {
    file: 'station.ttl',
    from: '[ sh:maxCount 1 ; pv:mappingName "id" ; pv:mappingClass "StandardText" ]',
    to: '[ sh:maxCount 1 ; pv:mappingName "id" ; pv:mappingClass "StandardKeyword" ]',
    message: `${water}StationShape>, property id: has class StandardKeyword; it must be StandardText`,
  },
  {
    file: 'station.ttl',
    from: 'pv:mappingClass "Nested" ;\n    pv:mappingLink dcatap:Distribution_Shape',
    to: 'pv:mappingClass "Nested"',
    at: 'pv:mappingName "distributions" ; pv:mappingClass "Nested"',
    message: `${water}StationShape>, property distributions: Nested needs mappingLink or mappingProperty`,
  },
  {
    file: 'concept.ttl',
    from: 'pv:mappingClass "SimpleMultiLang"',
    to: 'pv:mappingClass "MultiLanguage"',
    message: `${water}ConceptShape>, property label: unknown mapping class "MultiLanguage"`,
  },
]

const lineOf = (text: string, part: string): number => {
  const offset = text.indexOf(part)
  if (offset < 0) throw new Error(`${part} is not there`)
  return text.slice(0, offset + part.trimEnd().length).split('\n').length
}

/** The profile with the faults, and the lines that its message must have. */
async function broken(profile: string, faults: readonly Fault[]) {
  const directory = await mkdtemp(join(tmpdir(), 'profile-'))
  await cp(`test/profile/foreign/${profile}`, directory, { recursive: true })
  for (const { file, from, to } of faults) {
    const text = await readFile(join(directory, file), 'utf8')
    if (!text.includes(from)) throw new Error(`${file} has no ${from}`)
    await writeFile(
      join(directory, file),
      text.replace(from, () => to),
    )
  }
  const expected = await Promise.all(
    faults.map(async ({ file, to, at = to, in: named = file, message }) => {
      const text = await readFile(join(directory, named), 'utf8')
      return `- ${named}:${lineOf(text, at)}, ${message}`
    }),
  )
  const message = await loadProfile(directory).then(
    () => 'loads',
    (cause: unknown) => String(cause),
  )
  return { expected, told: message.split('\n').filter((line) => line.startsWith('- ')) }
}

test.each(inNational)('$message', async (fault) => {
  const { expected, told } = await broken('national', [fault])
  expect(told).toEqual(expect.arrayContaining(expected))
})

test('all faults of a national profile stand in one message, each once, by file and line', async () => {
  const { expected, told } = await broken('national', inNational)
  expect(told.toSorted()).toEqual(expected.toSorted())
})

test('all faults of declared types stand in one message', async () => {
  const { expected, told } = await broken('custom', inCustom)
  const more = [
    '- platform.json:5, property resources.0.id: an id is up to 64 letters, digits and -',
    '- platform.json:25, property resources "dataSET": is the id of a core index',
  ]
  expect(told.toSorted()).toEqual([...expected, ...more].toSorted())
})

test.each([
  ['datensatz.ttl', 'sh:closed false ;', 'sh:closed false', 'datensatz.ttl:17: '],
  ['piveau.json', '"core": [', '"core" [', 'piveau.json:4: '],
  ['piveau.json', '"katalog.ttl"', '"kataloge.ttl"', 'piveau.json:16, property core "catalog": '],
  ['piveau.json', '"katalog.ttl"', '"../katalog.ttl"', 'piveau.json:16, property core "catalog": '],
  ['piveau.json', '#Katalog_Shape', '#Katalog', 'piveau.json:17, property core "catalog": '],
  ['piveau.json', '"id": "catalog"', '"id": "katalog"', 'piveau.json:4, property core: has no'],
])('%s with %s → %s', async (file, from, to, place) => {
  const { told } = await broken('national', [{ file, from, to, message: '' }])
  expect(told.filter((line) => line.startsWith(`- ${place}`))).toHaveLength(1)
})
