/** A form changes what was changed in it and nothing else, over the datasets of the demonstration and, where they are, real ones. */

import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import * as fc from 'fast-check'
import type { Quad, Quad_Subject } from '@rdfjs/types'
import { beforeAll, expect, test } from 'vitest'
import { shippedConcepts } from '../../../src/portal/desk/concepts.ts'
import type { Typed } from '../../../src/portal/desk/form-names.ts'
import { type FormChange, savedForm } from '../../../src/portal/desk/form-post.ts'
import { type FormRow, type FormRows, rowsOf } from '../../../src/portal/desk/form-rows.ts'
import { type FormField, type FormModel, formModels } from '../../../src/profile/form-model.ts'
import { loadProfile } from '../../../src/profile/load-profile.ts'
import { toLine } from '../../../src/rdf/lines.ts'
import { dcat } from '../../../src/rdf/namespaces.ts'
import type { Format } from '../../../src/rdf/media-types.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { closure, graphOf, instances } from '../../../src/rdf/read.ts'
import { namedNode } from '../../../src/rdf/terms.ts'

type Record = { readonly node: Quad_Subject; readonly quads: readonly Quad[] }

const concepts = await shippedConcepts()
let records: readonly Record[]
let model: FormModel

/** Real catalogues, which are beside the checkout of those who develop it. */
const samples = new URL('../../../../shared/data/samples/', import.meta.url).pathname

const formatOf = new Map([
  ['.ttl', 'turtle'],
  ['.jsonld', 'jsonld'],
  ['.rdf', 'rdfxml'],
] as const satisfies readonly (readonly [string, Format])[]) as ReadonlyMap<string, Format>

const parsed = async (file: string, format: Format) =>
  parse(await readFile(file, 'utf8'), format, { baseIri: 'https://demo.example/' })

beforeAll(async () => {
  const form = (await formModels(await loadProfile()))('datasets')
  if (!form) throw new Error('datasets have no form')
  model = form
  const folders = ['semic', 'dcat-ap-de'].map((name) => join(samples, name)).filter(existsSync)
  const real = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(folder, { recursive: true })
      return names.map((name) => join(folder, name))
    }),
  )
  const all = ['pipes/demo/auenfeld.ttl', 'pipes/demo/montreval.jsonld', ...real.flat()]
  const graphs = await Promise.all(
    all.map(async (file) => {
      const format = formatOf.get(extname(file))
      // Two of the real files are no Turtle.
      return format ? parsed(file, format).catch(() => []) : []
    }),
  )
  records = graphs.flatMap((quads) => {
    const graph = graphOf(quads)
    const isPart = ({ predicate }: Quad) => predicate.equals(dcat('distribution'))
    return instances(graph, dcat('Dataset'))
      .filter((iri) => !iri.startsWith('_:'))
      .map((iri) => ({ node: namedNode(iri), quads: closure(graph, iri, isPart) }))
  })
})

const pageLanguage = 'de'

const fieldsOf = (section?: string): readonly FormField[] =>
  model.sections
    .filter(({ id }) => section === undefined || id === section)
    .flatMap(({ fields }) => fields)

const formOf = (
  { node, quads }: Record,
  fields = fieldsOf(),
  typed: readonly Typed[] = [],
  added: readonly string[] = [],
) =>
  rowsOf(
    { graph: graphOf(quads), typed, pageLanguage, languages: ['en', 'de'], added },
    node,
    fields,
  )

/** The controls that a browser would send. */
function controlsOf(forms: readonly FormRows[]): FormRow[] {
  return forms.flatMap(({ rows }) =>
    rows.flatMap((row) => (row.parts ? controlsOf(row.parts) : [row])),
  )
}

type Change = {
  readonly values?: Readonly<{ [name: string]: string }>
  readonly pressed?: string
  readonly typed?: readonly Typed[]
}

function post(
  record: Record,
  { values = {}, pressed = 'save', typed = [] }: Change = {},
): FormChange {
  const sent = new Map(
    controlsOf(formOf(record, fieldsOf(), typed)).map(({ name, text }) => [name, text]),
  )
  for (const [name, value] of Object.entries(values)) sent.set(name, value)
  // Browsers send every line break as CRLF.
  const entries = [...sent].map(
    ([name, text]) => [name, text.replaceAll(/\r?\n/g, '\r\n')] as const,
  )
  return savedForm({
    ...record,
    fields: fieldsOf(),
    typed,
    entries,
    pressed,
    pageLanguage,
    concepts,
  })
}

const nothing: FormChange = { removed: [], added: [], typed: [], made: new Map() }
const lines = (quads: readonly Quad[]) => quads.map(toLine)

const recordOf = async (turtle: string): Promise<Record> => ({
  node: namedNode('https://demo.example/a'),
  quads: await parse(
    `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> . @prefix vcard: <http://www.w3.org/2006/vcard/ns#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . <https://demo.example/a> a dcat:Dataset ; ${turtle} .`,
    'turtle',
    { baseIri: 'https://demo.example/' },
  ),
})

const nameOf = (record: Record, field: string, index = 0): string => {
  const rows = formOf(record).find((form) => form.field.name === field)?.rows ?? []
  return rows[index]?.name ?? 'missing'
}

test('saving without a change writes nothing, whatever odd values a record has', async () => {
  expect(records.length).toBeGreaterThan(15)
  for (const record of records) expect(post(record)).toEqual(nothing)
  const odd =
    await recordOf(`dct:title "  a\\r\\nb "@EN-gb , "\\nfirst" , 5 ; dct:issued "soon" , "2020"^^xsd:gYear ;
    dct:language "de" ; dcat:theme "Environment" ; dct:publisher "City" ; dct:temporal "2020" ; dcat:byteSize "1.0E3"^^xsd:double ;
    dcat:landingPage " https://a.example/ä " , <https://b.example/> ; dct:spatial "somewhere" , [ a dct:Location ] ;
    dct:accessRights <http://publications.europa.eu/resource/authority/access-right/PUBLIC/>`)
  expect(post(odd)).toEqual(nothing)
})

test('random edits leave every statement that no field shows, and undo themselves when they are taken back', () => {
  const texts = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom('2021-05', 'https://x.example/', 'ENVI', ''),
  )
  fc.assert(
    fc.property(fc.nat(), fc.nat(), texts, (which, control, text) => {
      const record = records[which % records.length]
      if (!record) return
      const controls = controlsOf(formOf(record))
      const chosen = controls[control % controls.length]
      if (!chosen) return
      const { removed, added, typed } = post(record, { values: { [chosen.name]: text } })
      // One control is one statement, or all that led to it.
      const shown = new Set(
        lines(record.quads.filter(({ object }) => chosen.term?.equals(object) === true)),
      )
      const gone = lines(removed).filter((line) => !shown.has(line))
      const isDescribed = removed.some(({ object }) => object.termType !== 'Literal')
      expect(isDescribed ? [] : gone).toEqual([])
      expect(typed.length).toBeLessThanOrEqual(1)
      const isSame = chosen.term !== undefined && text === chosen.text
      expect(isSame ? [...removed, ...added] : []).toEqual([])
    }),
    // By hand: `ROUND_TRIP_RUNS=10000`.
    { numRuns: Number(process.env['ROUND_TRIP_RUNS'] ?? 1000) },
  )
})

test('a changed text replaces its own statement and keeps its language', async () => {
  const record = await recordOf('dct:title "Old"@en , "Alt"@de')
  const { removed, added } = post(record, { values: { [nameOf(record, 'title')]: 'New' } })
  expect(lines(removed)).toEqual([
    '<https://demo.example/a> <http://purl.org/dc/terms/title> "Old"@en .',
  ])
  expect(lines(added)).toEqual([
    '<https://demo.example/a> <http://purl.org/dc/terms/title> "New"@en .',
  ])
})

test('a text takes the place of a machine translation, whether that is edited or a new one is written', async () => {
  const record = await recordOf('dct:title "Lakes"@en , "Seen"@de-t-en-t0-mt')
  const row = formOf(record)
    .find(({ field }) => field.name === 'title')
    ?.rows.find(({ text }) => text === 'Seen')
  for (const name of [row?.name ?? '', 'title.+de']) {
    const { removed, added } = post(record, { values: { [name]: 'Seen und Weiher' } })
    expect(lines(removed)).toEqual([
      '<https://demo.example/a> <http://purl.org/dc/terms/title> "Seen"@de-t-en-t0-mt .',
    ])
    expect(lines(added)).toEqual([
      '<https://demo.example/a> <http://purl.org/dc/terms/title> "Seen und Weiher"@de .',
    ])
  }
})

test('a described value is edited in place, and removed with what only it leads to', async () => {
  const record = await recordOf(
    'dcat:contactPoint [ a vcard:Kind ; vcard:fn "Office" ; vcard:note "kept" ]',
  )
  const name = nameOf(record, 'contact_point')
  const part = formOf(record).find(({ field }) => field.name === 'contact_point')?.rows[0]
    ?.parts?.[0]?.rows[0]?.name
  const edited = post(record, { values: { [part ?? '']: 'Water Office' } })
  expect([edited.removed.length, edited.added.length]).toEqual([1, 1])
  expect(edited.added[0]?.subject).toEqual(edited.removed[0]?.subject)
  expect(post(record, { pressed: `remove:${name}` }).removed).toHaveLength(4)
})

test('typed text that is no value is kept, shown again, and gone when it is corrected', async () => {
  const record = await recordOf('dct:issued "2020-05-04"^^xsd:date')
  const first = post(record, { values: { [nameOf(record, 'issued')]: 'soon' } })
  expect(first.typed).toMatchObject([
    { text: 'soon', message: 'no-date', node: 'https://demo.example/a' },
  ])
  const without = { ...record, quads: record.quads.slice(0, 1) }
  expect(post(without, { typed: first.typed })).toEqual({ ...nothing, typed: first.typed })
  const rows = formOf(without, fieldsOf(), first.typed).find(
    ({ field }) => field.name === 'issued',
  )?.rows
  expect(rows?.[0]).toMatchObject({ text: 'soon', message: 'no-date' })
  const second = post(without, {
    typed: first.typed,
    values: { [rows?.[0]?.name ?? '']: '4.5.2020' },
  })
  expect(second.typed).toEqual([])
  expect(lines(second.added)[0]).toContain('"2020-05-04"^^<http://www.w3.org/2001/XMLSchema#date>')
})

test('labels, codes and keywords become concepts and texts, and mistakes get a suggestion', async () => {
  const record = await recordOf('dct:title "A"')
  const { added, typed } = post(record, {
    values: {
      'categories.+0': 'Umwelt',
      'accrual_periodicity.+0': 'WEEKLY',
      'keywords.+0': 'lake, bathing water\nswimming',
      'keywords.@': 'en',
      'language.+0': 'Germn',
      'temporal.+0.from.+0': '2026-05',
    },
  })
  const text = lines(added).join('\n')
  expect(text).toContain('<http://publications.europa.eu/resource/authority/data-theme/ENVI>')
  expect(text).toContain('<http://publications.europa.eu/resource/authority/frequency/WEEKLY>')
  for (const word of ['lake', 'bathing water', 'swimming']) expect(text).toContain(`"${word}"@en`)
  expect(text).toContain('"2026-05"^^<http://www.w3.org/2001/XMLSchema#gYearMonth>')
  expect(typed).toMatchObject([{ text: 'Germn', message: 'no-concept' }])
  const used = post(
    { ...record },
    {
      typed,
      pressed: `use:${nameWith(record, typed)}=http://publications.europa.eu/resource/authority/language/DEU`,
    },
  )
  expect(lines(used.added)[0]).toContain('language/DEU')
  expect(used.typed).toEqual([])
})

const nameWith = (record: Record, typed: readonly Typed[]) =>
  formOf(record, fieldsOf(), typed).find(({ field }) => field.name === 'language')?.rows[0]?.name ??
  ''

test('languages have their names in the language of the page, by which they are found', () => {
  const german = 'http://publications.europa.eu/resource/authority/language/DEU'
  const scheme = 'http://publications.europa.eu/resource/authority/language'
  for (const [language, name] of [
    ['de', 'Deutsch'],
    ['fr', 'allemand'],
    ['it', 'tedesco'],
    ['en', 'German'],
  ] as const) {
    expect(concepts.label(german, language)).toBe(name)
    expect(concepts.find(scheme, name)).toBe(german)
  }
})

test('a licence is given to each file that has none, and to those that had the one it replaces', async () => {
  const licence = (name: string) =>
    `<http://publications.europa.eu/resource/authority/licence/${name}>`
  const record =
    await recordOf(`dcat:distribution <https://demo.example/d1> , <https://demo.example/d2> .
    <https://demo.example/d1> a dcat:Distribution . <https://demo.example/d2> dct:license ${licence('CC0')}`)
  const { added, removed } = post(record, { values: { 'license.+0': 'CC BY 4.0' } })
  expect(lines(added).map((line) => line.split(' ')[0])).toEqual([
    '<https://demo.example/a>',
    '<https://demo.example/d1>',
  ])
  expect(removed).toEqual([])
  const licensed = { ...record, quads: [...record.quads, ...added] }
  const made = post(licensed, {
    values: { 'distributions.+0.access_url.+0': 'https://demo.example/3.csv' },
  })
  expect(lines(made.added).join('\n')).toContain('licence/CC_BY_4_0')
})

test('refuses what would run or hide: schemes of scripts, controls, and marks that turn the direction', async () => {
  const record = await recordOf('dct:title "A"')
  const hostile = [
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'https://a b/',
    '\u202eabc',
  ]
  for (const value of hostile) {
    const { added, typed } = post(record, { values: { 'landing_page.+0': value } })
    expect([added.length, typed[0]?.text]).toEqual([0, value])
  }
  const { typed } = post(record, { values: { 'identifier.+0': 'a\u202eb' } })
  expect(typed[0]?.message).toBe('hidden-characters')
})

test('names of controls that no form has change nothing', async () => {
  const record = await recordOf('dct:title "A"')
  const values = {
    'title.~': 'x',
    '__proto__.+0': 'x',
    constructor: 'x',
    'title.+0.x.y.z.+1': 'x',
    '....': 'x',
  }
  const { removed } = post(record, { values })
  expect(removed).toEqual([])
})
