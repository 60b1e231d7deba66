/** Form models: which fields a form has, and what each asks for, under several profiles. */

import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { type FormField, type FormModel, formModels } from '../../src/profile/form-model.ts'
import { loadProfile } from '../../src/profile/load-profile.ts'
import { directoryOf, smallProfile } from './small.ts'

const formsOf = async (directory?: string) => formModels(await loadProfile(directory))

const fieldsOf = (form: FormModel | undefined) =>
  form?.sections.flatMap(({ fields }) => fields) ?? []

function fieldIn(fields: readonly FormField[], name: string): FormField {
  const field = fields.find((candidate) => candidate.name === name)
  if (!field) throw new Error(`there is no field ${name}`)
  return field
}

const counts = (fields: readonly FormField[] = []) => [
  fields.length,
  fields.filter(({ need }) => need === 'required').length,
  fields.filter(({ need }) => need === 'recommended').length,
]

test('the built-in profile has all fields that a person can fill, and DCAT-AP says which are needed', async () => {
  const forms = await formsOf()
  const dataset = fieldsOf(forms('datasets'))
  const distribution = fieldIn(dataset, 'distributions').nested?.fields
  const service = fieldIn(distribution ?? [], 'access_service').nested?.fields
  expect(counts(dataset)).toEqual([46, 2, 7])
  expect(counts(distribution)).toEqual([24, 1, 4])
  expect(counts(service)).toEqual([13, 2, 3])
  expect(counts(fieldsOf(forms('catalogues')))).toEqual([16, 3, 7])
  expect(forms('stations')).toBeUndefined()
})

test('the sections of the built-in profile are its groups in order, then everything else by name', async () => {
  const sections = (await formsOf())('datasets')?.sections ?? []
  expect(sections.map(({ id, label }) => [id, label?.['de']])).toEqual([
    ['essentials', 'Das Wichtigste'],
    ['files', 'Dateien und Adressen'],
    ['coverage', 'Wo und wann'],
    ['origin', 'Herkunft und Beziehungen'],
    ['rest', undefined],
  ])
  expect(sections[0]?.fields.map(({ name }) => name)).toEqual([
    'title',
    'description',
    'keywords',
    'categories',
    'license',
    'publisher',
    'contact_point',
  ])
  const rest = sections[4]?.fields.map(({ name }) => name) ?? []
  expect(rest).toEqual(rest.toSorted())
})

test('a field says with which control, from which vocabulary and how often it is filled', async () => {
  const fields = fieldsOf((await formsOf())('datasets'))
  const { path, editor, single, eachOf, vocabulary } = fieldIn(fields, 'license')
  expect({ path, editor, single, eachOf, vocabulary }).toEqual({
    path: ['http://purl.org/dc/terms/license'],
    editor: 'licence',
    single: true,
    eachOf: 'http://www.w3.org/ns/dcat#distribution',
    vocabulary: 'http://publications.europa.eu/resource/authority/licence',
  })
  const format = fieldIn(fieldIn(fields, 'distributions').nested?.fields ?? [], 'format')
  expect(format).toMatchObject({ editor: 'concept', single: true, nodeKind: 'BlankNodeOrIRI' })
  expect(fieldIn(fields, 'temporal').nested).toMatchObject({
    class: 'http://purl.org/dc/terms/PeriodOfTime',
    fields: [
      { name: 'from', editor: 'date' },
      { name: 'until', editor: 'date' },
    ],
  })
  const { datatype } = fieldIn(fields, 'spatial_resolution_in_meters')
  expect(datatype).toEqual(['http://www.w3.org/2001/XMLSchema#decimal'])
})

test('a national profile of DCAT-AP has the form of its own shapes', async () => {
  const forms = await formsOf('test/profile/foreign/national')
  const fields = fieldsOf(forms('datasets'))
  expect(fields.map(({ name, editor, need }) => `${name} ${editor} ${need}`)).toMatchSnapshot()
})

test('a declared type has a form, with the names of its profile and nested shapes', async () => {
  const form = (await formsOf('test/profile/foreign/custom'))('station')
  expect(form?.class).toBe('https://water.example/def#Station')
  expect(form?.sections.map(({ id }) => id)).toEqual(['essentials', 'distributions', 'rest'])
  const fields = fieldsOf(form)
  expect(fieldIn(fields, 'title')).toMatchObject({ editor: 'texts', need: 'required' })
  expect(fieldIn(fields, 'zero')).toMatchObject({ editor: 'number', label: { en: 'Gauge datum' } })
  expect(fieldIn(fields, 'river')).toMatchObject({ editor: 'address', single: true })
  expect(fieldIn(fields, 'operator').nested?.class).toBe('http://xmlns.com/foaf/0.1/Agent')
})

const bare = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix ex: <https://example.org/def#> . @prefix dcat: <http://www.w3.org/ns/dcat#> .
ex:More a sh:NodeShape ; sh:targetClass dcat:Dataset ;
  sh:property [ sh:path ex:surveyed ; sh:name "Surveyed"@en , "Erhoben"@de ; sh:minCount 1 ; sh:maxCount 1 ; sh:datatype xsd:date ] ;
  sh:property [ sh:path ex:state ; sh:in ( "open" "closed" ) ; sh:severity sh:Warning ; sh:minCount 1 ] ;
  sh:property [ sh:path ex:code ; sh:pattern "^[A-Z]{3}$" ; sh:message "Three capital letters."@en ; sh:maxLength 3 ] ;
  sh:property [ sh:path ex:wrong ; sh:deactivated true ; sh:minCount 1 ] ;
  sh:property [ sh:path ex:survey ; sh:class ex:Survey ] .
ex:Survey a sh:NodeShape ; sh:targetClass ex:Survey ; sh:property [ sh:path ex:note ; sh:languageIn ( "de" "fr" ) ; sh:uniqueLang true ] .`

test('a SHACL file without annotations adds fields that its constraints describe', async () => {
  const entry = JSON.parse(await readFile('shapes/default/platform.json', 'utf8')) as object
  const file = { ...entry, id: 'bare', core: undefined }
  const forms = await formsOf(await directoryOf({ 'platform.json': file, 'more.ttl': bare }))
  const form = forms('datasets')
  const rest = form?.sections.find(({ id }) => id === 'rest')?.fields ?? []
  expect(fieldIn(rest, 'surveyed')).toMatchObject({
    editor: 'date',
    need: 'required',
    single: true,
  })
  expect(fieldIn(rest, 'surveyed').label).toEqual({ en: 'Surveyed', de: 'Erhoben' })
  expect(fieldIn(rest, 'state')).toMatchObject({
    editor: 'choice',
    need: 'recommended',
    in: ['"open"', '"closed"'],
  })
  expect(fieldIn(rest, 'code')).toMatchObject({ pattern: '^[A-Z]{3}$', bounds: { maxLength: 3 } })
  expect(fieldIn(rest, 'survey').nested?.fields).toMatchObject([
    { name: 'note', editor: 'texts', languages: ['de', 'fr'], uniqueLang: true },
  ])
  expect(rest.some(({ name }) => name === 'wrong')).toBe(false)
})

test('a field added to a profile appears without code, with the editor that it names', async () => {
  const added = `ex:Dataset a sh:NodeShape ; sh:property [
    sh:path ex:rain ; sh:name "Rain" ; m:mappingName "rain" ; m:mappingClass "StandardText" ; m:editor "number" ] ;`
  const forms = await formsOf(await smallProfile('ex:Dataset a sh:NodeShape ;', added))
  expect(fieldIn(fieldsOf(forms('datasets')), 'rain')).toMatchObject({
    editor: 'number',
    label: { '': 'Rain' },
    path: ['https://example.org/shapes#rain'],
  })
})
