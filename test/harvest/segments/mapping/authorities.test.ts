/** What sources call formats, licences, frequencies, languages, countries, themes and access. */

import { beforeAll, describe, expect, it } from 'vitest'
import { type Authorities, shippedAuthorities } from '../../../../src/vocabularies/authorities.ts'
import {
  formatIri,
  formatOfAddress,
  isDataAddress,
  mediaTypeIri,
} from '../../../../src/vocabularies/formats.ts'
import {
  languageOf,
  defaultTextTag,
  themesOf,
  themesOfTopic,
  accessRightOf,
  countryOf,
  frequencyOf,
} from '../../../../src/vocabularies/coded-values.ts'
import { licenceOf } from '../../../../src/vocabularies/licences.ts'

let all: Authorities
beforeAll(async () => {
  all = await shippedAuthorities()
})
const codeOf = (iri: string | undefined) => iri?.replace(/^.*\/authority\/[^/]*\//, '')

describe('formats', () => {
  it.each([
    ['csv', 'CSV'],
    ['.CSV', 'CSV'],
    ['text/csv; charset=utf-8', 'CSV'],
    ['excel', 'XLS'],
    ['Excel (xlsx)', 'XLSX'],
    ['application/vnd.ms-excel', 'XLS'],
    ['json-ld', 'JSON_LD'],
    ['GeoJSON', 'GEOJSON'],
    ['GPX', 'XML'],
    ['ESRI Shapefile', 'SHP'],
    ['OGC:WMS', 'WMS_SRVC'],
    ['ArcGIS GeoServices REST API', 'MAP_SRVC'],
    ['ttl', 'RDF_TURTLE'],
    ['jpg', 'JPEG'],
    ['tgz', 'TAR_GZ'],
    ['https://www.iana.org/assignments/media-types/application/json', 'JSON'],
    ['http://publications.europa.eu/resource/authority/file-type/PDF', 'PDF'],
    ['parquet', undefined],
    ['sensor dump', undefined],
    ['n/a', undefined],
  ])('%j is %j', (name, code) => {
    expect(codeOf(formatIri(name, all))).toBe(code)
  })

  it('are told by what a download address ends in', () => {
    expect(codeOf(formatOfAddress('https://a.example/x.geojson?y', all))).toBe('GEOJSON')
    expect(isDataAddress('https://a.example/x.csv', all)).toBe(true)
    expect(isDataAddress('https://a.example/x.html', all)).toBe(false)
    expect(isDataAddress('https://a.example/csv', all)).toBe(false)
  })

  it('have a media type only when it is registered', () => {
    const prefix = 'https://www.iana.org/assignments/media-types/'
    expect(mediaTypeIri('TEXT/CSV; charset=utf-8', all)).toBe(`${prefix}text/csv`)
    expect(mediaTypeIri('parquet', all)).toBe(`${prefix}application/vnd.apache.parquet`)
    expect(mediaTypeIri('application/x-made-up', all)).toBeUndefined()
  })
})

describe('licences', () => {
  it.each([
    ['cc-zero', 'CC0'],
    ['CC BY 4.0', 'CC_BY_4_0'],
    ['cc-by-nc-sa-3.0', 'CC_BYNCSA_3_0'],
    ['cc-by', 'CC_BY'],
    ['https://creativecommons.org/licenses/by/4.0/legalcode.de', 'CC_BY_4_0'],
    ['http://creativecommons.org/licenses/by-sa/3.0/deed.fr', 'CC_BYSA_3_0'],
    ['http://www.opendefinition.org/licenses/odc-odbl', 'ODC_BL'],
    ['dl-de/by-2-0', 'DLDE_BY_2_0'],
    ['https://www.govdata.de/dl-de/zero-2-0', 'DLDE_ZERO_2_0'],
    ['uk-ogl', 'OGL_3_0'],
    ['eupl-1.2', 'EUPL_1_2'],
    ['gfdl', 'GNU_FDL'],
    ['NLOD-2.0', 'NLOD_2_0'],
    ['http://publications.europa.eu/resource/authority/licence/CC_BY_4_0', 'CC_BY_4_0'],
    ['Creative Commons Namensnennung 4.0 International', 'CC_BY_4_0'],
    ['Creative Commons Reconocimiento 4.0', 'CC_BY_4_0'],
    ['Naamsvermelding-GelijkDelen 4.0 Internationaal (CC BY-SA 4.0)', 'CC_BYSA_4_0'],
    ['Attribution - Partage dans les Mêmes Conditions 4.0 International', 'CC_BYSA_4_0'],
    ['Datenlizenz Deutschland – Namensnennung – Version 2.0', 'DLDE_BY_2_0'],
    ['Domaine public', 'CC_PDM_1_0'],
    ['lov2', 'ETALAB_2_0'],
    ['http://dcat-ap.de/def/licenses/dl-by-de/2.0', 'DLDE_BY_2_0'],
    ['https://www.dcat-ap.de/def/licenses/dl-zero-de/2.0/', 'DLDE_ZERO_2_0'],
    ['http://dcat-ap.de/def/licenses/cc-by/4.0', 'CC_BY_4_0'],
    ['http://dcat-ap.de/def/licenses/cc-zero', 'CC0'],
    ['http://dcat-ap.de/def/licenses/cc-pdm/1.0', 'CC_PDM_1_0'],
    ['http://dcat-ap.de/def/licenses/odby', 'ODC_BY'],
    ['http://dcat-ap.de/def/licenses/dl-by-nc-de/1.0', 'DLDE_BYNC_1_0'],
    ['http://govdata.de/dl-de/by-2-0/', 'DLDE_BY_2_0'],
    ['https://spdx.org/licenses/CC-BY-4.0.html', 'CC_BY_4_0'],
    ['http://spdx.org/licenses/ODbL-1.0', 'ODC_BL'],
    ['https://spdx.org/licenses/GPL-3.0-only.html', 'GPL_3_0'],
    ['https://opendefinition.org/licenses/cc-by/', 'CC_BY'],
    ['https://opendatacommons.org/licenses/odbl/1-0/', 'ODC_BL'],
    ['https://opendatacommons.org/licenses/by/1-0/', 'ODC_BY'],
    ['https://data.norge.no/nlod/no/2.0', 'NLOD_2_0'],
    ['https://creativecommons.org/publicdomain/zero/1.0/legalcode', 'CC0'],
    ['http://dcat-ap.de/def/licenses/other-closed', 'http://dcat-ap.de/def/licenses/other-closed'],
    ['HTTPS://WWW.Example.org/Licence/', 'HTTPS://WWW.Example.org/Licence/'],
  ])('%j is %j', (id, code) => {
    const found = licenceOf({ id }, all)
    expect(found?.kind === 'iri' ? codeOf(found.iri) : found).toBe(code)
  })

  it('are the first that is known, whichever way it is said', () => {
    const found = licenceOf({ url: 'https://a.example/our-terms', id: 'cc-by-4.0' }, all)
    expect(found).toMatchObject({ kind: 'iri', iri: expect.stringMatching(/CC_BY_4_0$/) })
  })

  it('of which only the name is known are names', () => {
    expect(licenceOf({ id: 'house', title: 'House licence' }, all)).toEqual({
      kind: 'label',
      label: 'House licence',
    })
  })

  it('are never invented', () => {
    for (const id of [
      'notspecified',
      'other-open',
      'other-at',
      'none',
      'k.A.',
      'N/A',
      'Keine Angabe',
      'sans licence',
      'http://www.opendefinition.org/licenses/notspecified',
      'https://www.dcat-ap.de/def/licenses/unknown',
      'unbekannt',
      'unknown',
      '',
      null,
      {},
    ])
      expect(licenceOf({ id, title: 'License not specified' }, all)).toBeUndefined()
    expect(licenceOf({ id: 'other-closed', title: 'Ask the desk' }, all)).toEqual({
      kind: 'rights',
      text: 'Ask the desk',
    })
  })
})

it.each([
  ['R/P1Y', 'ANNUAL'],
  ['P7D', 'WEEKLY'],
  ['R/PT1S', 'UPDATE_CONT'],
  ['R/P0.33W', 'WEEKLY_3'],
  ['P6M', 'ANNUAL_2'],
  ['täglich', 'DAILY'],
  ['biannual', 'ANNUAL_2'],
  ['threeTimesAWeek', 'WEEKLY_3'],
  ['punctual', 'AS_NEEDED'],
  ['http://publications.europa.eu/resource/authority/frequency/BIENNIAL', 'BIENNIAL'],
  ['now and then', undefined],
])('the frequency %j is %j', (text, code) => {
  expect(codeOf(frequencyOf(text, all))).toBe(code)
})

it.each([
  ['de', 'DEU'],
  ['ger', 'DEU'],
  ['fre', 'FRA'],
  ['de-CH', 'DEU'],
  ['en_GB', 'ENG'],
  ['no', 'NOR'],
  ['nb', 'NOB'],
  ['German', 'DEU'],
  ['français', 'FRA'],
  ['slo', 'SLK'],
  ['http://publications.europa.eu/resource/authority/language/ITA', 'ITA'],
  ['http://id.loc.gov/vocabulary/iso639-1/el', 'ELL'],
  ['und', undefined],
  ['xx', undefined],
  ['constructor', undefined],
])('the language %j is %j', (text, code) => {
  expect(codeOf(languageOf(text, all))).toBe(code)
})

it('tells the tag of text when there is one language', () => {
  expect(defaultTextTag(['http://publications.europa.eu/resource/authority/language/DEU'])).toBe(
    'de',
  )
  expect(defaultTextTag(['pt-BR'])).toBe('pt-BR')
  expect(defaultTextTag(['de', 'fr'])).toBeUndefined()
  expect(defaultTextTag(['who knows'])).toBeUndefined()
})

it.each([
  ['de', 'DEU'],
  ['UK', 'GBR'],
  ['EL', 'GRC'],
  ['gr', 'GRC'],
  ['AUT', 'AUT'],
  ['Österreich', 'AUT'],
  ['xk', '1A0'],
  ['Atlantis', undefined],
])('the country %j is %j', (text, code) => {
  expect(codeOf(countryOf(text, all))).toBe(code)
})

it.each([
  ['ENVI', ['ENVI']],
  ['envi', ['ENVI']],
  ['Umwelt', ['ENVI']],
  ['http://publications.europa.eu/resource/authority/data-theme/TRAN', ['TRAN']],
  ['http://inspire.ec.europa.eu/theme/mr', ['ENVI', 'ECON', 'ENER']],
  ['http://inspire.ec.europa.eu/metadata-codelist/TopicCategory/economy', ['ECON']],
  ['Economy', ['ECON']],
  ['economics', ['ECON']],
  ['inlandWaters', []],
  ['miscellany', []],
])('the subject %j is %j', (text, codes) => {
  expect(themesOf(text, all).map(codeOf)).toEqual(codes)
})

it.each([
  ['inlandWaters', ['ENVI', 'TECH']],
  ['economy', ['ECON']],
  ['society', ['SOCI']],
  ['structure', ['REGI', 'ENVI', 'ECON']],
  ['ENVI', ['ENVI']],
])('the ISO topic %j is %j', (text, codes) => {
  expect(themesOfTopic(text, all).map(codeOf)).toEqual(codes)
})

it.each([
  ['public', 'PUBLIC'],
  ['open', 'PUBLIC'],
  ['restricted public', 'RESTRICTED'],
  ['non-public', 'NON_PUBLIC'],
  ['confidential', 'NON_PUBLIC'],
  ['http://publications.europa.eu/resource/authority/access-right/CONFIDENTIAL', 'CONFIDENTIAL'],
  ['perhaps', undefined],
])('the access %j is %j', (text, code) => {
  expect(codeOf(accessRightOf(text, all))).toBe(code)
})
