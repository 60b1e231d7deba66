/** The tables that we ship, and what a stored vocabulary adds to them. */

import { expect, it } from 'vitest'
import { loadValueTests, valueTests } from '../../../src/metrics/measure/measured-values.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { graphOf } from '../../../src/rdf/read.ts'
import { toLines } from '../../../src/rdf/lines.ts'
import { literal, namedNode } from '../../../src/rdf/terms.ts'
import { never, noStore, prefixes, defaultValues } from '../pipe/segment-fixture.ts'

const eu = 'http://publications.europa.eu/resource/authority/'
const iana = 'https://www.iana.org/assignments/media-types/'
const none = graphOf([])
const values = await (await defaultValues())(never)
const format = (code: string) => namedNode(`${eu}file-type/${code}`)
const given = (formats: readonly string[], mediaTypes: readonly string[]) => ({
  formats: formats.map((one) => (one.includes(':') ? namedNode(one) : literal(one))),
  mediaTypes: mediaTypes.map((one) => (one.includes(':') ? namedNode(one) : literal(one))),
})

const machineReadable =
  'CSV GEOJSON ICS JSON JSON_LD KML KMZ NETCDF ODS RDFA RDF_N_QUADS RDF_N_TRIPLES RDF_TRIG RDF_TURTLE RDF_XML RSS SHP XLS XLSX XML'
const nonProprietary =
  'BMP CSV DBF ETSI_XML GEOJSON GPKG GZIP HTML ICS JPEG2000 JSON JSON_LD KML KMZ NETCDF ODS PNG RDF_N_QUADS RDF_N_TRIPLES RDF_TRIG RDF_TURTLE RDF_XML RSS RTF TAR TIFF TSV TXT WMS_SRVC XML ZIP'

it('20 file types are machine readable and 31 non-proprietary, as IRIs and as codes in any case', () => {
  const codes = new Set(`${machineReadable} ${nonProprietary} PDF DOCX WFS_SRVC EXE`.split(' '))
  for (const code of codes) {
    for (const term of [
      format(code),
      namedNode(format(code).value.replace('http:', 'https:')),
      literal(code),
      literal(` ${code.toLowerCase()} `),
    ]) {
      const one = { formats: [term], mediaTypes: [] }
      expect(values.isMachineReadable(one)).toBe(machineReadable.split(' ').includes(code))
      expect(values.isNonProprietary(one)).toBe(nonProprietary.split(' ').includes(code))
    }
  }
})

it.each([
  [['pdf'], ['text/csv'], true],
  [['csv'], ['application/pdf'], true],
  [['application/csv'], ['csv'], true],
  [['kites'], ['csv'], false],
  [['JSON-LD'], [], true],
  [[], [`${iana}text/csv`], true],
  [[], [], false],
])('a list is hit by formats %j or media types %j: %s', (formats, mediaTypes, expected) => {
  expect(values.isMachineReadable(given(formats, mediaTypes))).toBe(expected)
})

it('formats given as text count only where the operator lets them', async () => {
  const options = { licenceSchemes: [], read: noStore }
  const opened = await loadValueTests({ ...options, literalFormats: false })
  const strict = await opened(never)
  for (const one of [given(['csv'], []), given([], ['text/csv'])]) {
    expect([values.isMachineReadable(one), strict.isMachineReadable(one)]).toEqual([true, false])
    expect([values.isNonProprietary(one), strict.isNonProprietary(one)]).toEqual([true, false])
    expect([values.isAligned(one), strict.isAligned(one)]).toEqual([false, false])
  }
  const byIri = given([`${eu}file-type/CSV`], [`${iana}text/csv`])
  expect([strict.isMachineReadable(byIri), strict.isAligned(byIri)]).toEqual([true, true])
})

it.each([
  [[`${eu}file-type/CSV`], [`${iana}text/csv`], true],
  [[`${eu}file-type/CSV`, `${eu}file-type/ZIP`], [`${iana}text/csv`], true],
  [[`${eu}file-type/CSV`], [`${iana}Text/CSV;header=present`], true],
  [[`${eu}file-type/CSV`, 'csv'], [`${iana}text/csv`], false],
  [[`${eu}file-type/csv`], [`${iana}text/csv`], true],
  [[`${eu}file-type/CSV`], [`${iana}text/csv`, `${iana}text/nothing`], false],
  [[`${eu}file-type/CSV`], ['text/csv'], false],
  [['csv'], [`${iana}text/csv`], false],
  [[`${eu}file-type/CSV`], [], false],
  [[], [`${iana}text/csv`], false],
])('formats %j and media types %j are aligned: %s', (formats, mediaTypes, expected) => {
  expect(values.isAligned(given(formats, mediaTypes))).toBe(expected)
})

it('six access rights are in the table, as IRIs', () => {
  for (const code of 'PUBLIC RESTRICTED NON_PUBLIC CONFIDENTIAL NORMAL SENSITIVE'.split(' ')) {
    expect(values.isAccessRight(namedNode(`${eu}access-right/${code}`), none)).toBe(true)
    expect(values.isAccessRight(namedNode(`https${eu.slice(4)}access-right/${code}`), none)).toBe(
      true,
    )
    expect(values.isAccessRight(literal(code), none)).toBe(false)
  }
  expect(values.isAccessRight(namedNode(`${eu}access-right/OPEN`), none)).toBe(false)
})

it('licences are known by the shipped table, deprecated ones and those of the older list too', () => {
  for (const iri of [
    `${eu}licence/CC_BY`,
    'https://creativecommons.org/licenses/by-sa/3.0/nl/deed.nl',
    'https://www.govdata.de/dl-de/by-2-0',
    'http://europeandataportal.eu/ontologies/od-licenses#OGL3.0',
  ]) {
    expect(values.isKnownLicence(namedNode(iri), none)).toBe(true)
  }
  expect(values.isKnownLicence(namedNode('https://example.org/licence/house'), none)).toBe(false)
})

it('what is stored counts from the next call on: newer tables, and licences of a configured scheme', async () => {
  const stored = new Map<string, string>()
  const store = async (graph: string, text: string) =>
    stored.set(graph, toLines(await parse(prefixes + text, 'turtle', { baseIri: 'urn:x:' })))
  const read = (graph: string) => Promise.resolve(stored.get(graph))
  const licenceSchemes = ['https://example.org/licence']
  const opened = await loadValueTests({
    licenceSchemes,
    literalFormats: true,
    read,
  })
  const newer = given([`${eu}file-type/NEWER`], [`${iana}text/csv`])
  const house = namedNode('https://example.org/terms/')
  const known = async () => {
    const now = await opened(never)
    return [now.isAligned(newer), now.isKnownLicence(house, none)]
  }
  expect(await known()).toEqual([false, false])
  await store(
    `${eu}file-type`,
    '<http://publications.europa.eu/resource/authority/file-type/NEWER> a skos:Concept .',
  )
  await store('https://example.org/licence', ':house a skos:Concept ; skos:exactMatch :terms .')
  await store('https://example.org/other', ':other a skos:Concept .')
  expect(await known()).toEqual([true, true])
  const now = await opened(never)
  expect(now.isKnownLicence(namedNode('https://example.org/other'), none)).toBe(false)
})

it('nothing is in empty tables', () => {
  const nothing = { accessRights: [], fileTypes: [], licences: [], furtherLicences: [] }
  const empty = valueTests({ ...nothing, literalFormats: true, isRegistered: () => false })
  expect(empty.isAligned(given([`${eu}file-type/CSV`], [`${iana}text/csv`]))).toBe(false)
  expect(empty.isKnownLicence(literal(''), none)).toBe(false)
})
