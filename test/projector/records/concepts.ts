/** Records with values from vocabularies, and concepts themselves. */

import { earthLabels, geospatialLabels } from '../hvd-labels.ts'
import { expect } from 'vitest'
import { eu, type Expected } from './record.ts'

const bna = (code: string) => `http://data.europa.eu/bna/${code}`

export const conceptRecords: readonly Expected[] = [
  {
    name: 'themes by IRI, by code, by label, of another vocabulary, and unknown ones',
    kind: 'dataset',
    turtle: `d:x dcat:theme theme:ENVI, "tran", <http://data.europa.eu/bna/c_dd313021>, ex:unknown, "Umwelt", "Kites", "" .`,
    record: {
      categories: [
        {
          id: 'c_dd313021',
          label: earthLabels,
          resource: bna('c_dd313021'),
        },
        {
          id: 'ENVI',
          label: expect.objectContaining({ de: 'Umwelt', en: 'Environment' }),
          resource: eu('data-theme/ENVI'),
        },
        {
          id: 'TRAN',
          label: expect.objectContaining({ de: 'Verkehr', en: 'Transport' }),
          resource: eu('data-theme/TRAN'),
        },
        {
          id: 'https://a.example/unknown',
          label: { en: 'unknown' },
          resource: 'https://a.example/unknown',
        },
        { id: 'kites', label: { en: 'Kites' } },
      ],
    },
    leftOut: [
      'categories unknown-concept https://a.example/unknown',
      'categories unknown-concept Kites',
    ],
  },
  {
    name: 'subjects of a vocabulary that is not installed, and high-value categories',
    kind: 'dataset',
    turtle: `d:x dct:subject <http://eurovoc.europa.eu/1754> ;
      dcatap:hvdCategory <http://data.europa.eu/bna/c_ac64a52d>, <https://data.europa.eu/bna/c_e1da4e07>, "statistics", "Kites" .`,
    record: {
      subject: [{ resource: 'http://eurovoc.europa.eu/1754' }],
      hvd_category: [
        { id: 'c_ac64a52d', label: geospatialLabels, resource: bna('c_ac64a52d') },
        {
          id: 'c_e1da4e07',
          label: { en: 'Statistics', de: 'Statistik', fr: 'Statistiques', it: 'Dati statistici' },
          resource: bna('c_e1da4e07'),
        },
        { id: 'kites', label: { en: 'Kites' } },
      ],
    },
    leftOut: [
      'subject unknown-concept http://eurovoc.europa.eu/1754',
      'hvd_category unknown-concept Kites',
    ],
  },
  {
    name: 'languages in all spellings',
    kind: 'dataset',
    turtle: `d:x dct:language lang:DEU, <http://id.loc.gov/vocabulary/iso639-1/fr>, "it", "sw", "tlh", ex:unknown,
      "German", <http://lexvo.org/id/iso639-3/eng> .`,
    record: {
      language: [
        { id: 'fr', label: 'French', resource: 'http://id.loc.gov/vocabulary/iso639-1/fr' },
        { id: 'en', label: 'English', resource: 'http://lexvo.org/id/iso639-3/eng' },
        { id: 'de', label: 'German', resource: eu('language/DEU') },
        { id: 'it', label: 'Italian', resource: eu('language/ITA') },
        { id: 'sw', label: 'Swahili', resource: eu('language/SWA') },
        { id: 'tlh', label: 'Klingon', resource: eu('language/TLH') },
        { resource: 'https://a.example/unknown' },
      ],
    },
    leftOut: ['language unknown-concept https://a.example/unknown'],
  },
  {
    name: 'access, frequency and type of the tables',
    kind: 'dataset',
    turtle:
      'd:x dct:accessRights right:PUBLIC ; dct:accrualPeriodicity "annual" ; dct:type kind:STATISTICAL .',
    record: {
      access_right: { id: 'PUBLIC', label: 'public', resource: eu('access-right/PUBLIC') },
      accrual_periodicity: { id: 'ANNUAL', label: 'annual', resource: eu('frequency/ANNUAL') },
      type: {
        id: 'STATISTICAL',
        label: 'Statistical data',
        resource: eu('dataset-type/STATISTICAL'),
      },
    },
  },
  {
    name: 'access, frequency and type of no table',
    kind: 'dataset',
    turtle:
      'd:x dct:accessRights "on request" ; dct:accrualPeriodicity ex:often ; dct:type "mine" .',
    record: {
      access_right: { id: 'on-request', label: 'on request' },
      accrual_periodicity: { resource: 'https://a.example/often' },
      type: { id: 'mine', label: 'mine' },
    },
    leftOut: [
      'access_right unknown-concept on request',
      'accrual_periodicity unknown-concept https://a.example/often',
      'type unknown-concept mine',
    ],
  },
  {
    name: 'a concept with all that is indexed of it',
    kind: 'concept',
    turtle: `<https://example.org/voc/publisher> a skos:ConceptScheme ; skos:prefLabel "Publishers"@en .
      <https://example.org/voc/publisher/acme> a skos:Concept ; dc11:identifier "ACME" ;
        skos:inScheme <https://example.org/voc/publisher> ; foaf:homepage <https://acme.example/> ;
        skos:prefLabel "Acme"@en, "Acme AG"@de ; skos:altLabel "ACM"@en .`,
    record: {
      id: 'ACME',
      resource: 'https://example.org/voc/publisher/acme',
      in_scheme: 'https://example.org/voc/publisher',
      pref_label: { de: 'Acme AG', en: 'Acme' },
      alt_label: { en: 'ACM' },
      extensions: { foaf_homepage: 'https://acme.example/' },
    },
  },
  {
    name: 'a concept without an identifier, with two labels in one language',
    kind: 'concept',
    turtle: `ex:scheme a skos:ConceptScheme . <https://a.example/scheme#one> skos:topConceptOf ex:scheme ;
      skos:prefLabel "b"@en, "a"@en, "c" ; skos:altLabel "y"@de-AT, "x"@de .`,
    record: {
      id: 'one',
      resource: 'https://a.example/scheme#one',
      in_scheme: 'https://a.example/scheme',
      pref_label: { en: 'a' },
      alt_label: { de: 'x' },
    },
  },
]
