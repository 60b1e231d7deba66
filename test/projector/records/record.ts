/** A hand-written record and the document that the contract asks for; and how records become documents here. */

import { expect } from 'vitest'
import type { ResourceType } from '../../../src/profile/profile.ts'
import type { BuiltDocument } from '../../../src/projector/building/document.ts'
import { documentBuilder } from '../../../src/projector/building/document.ts'
import { schemeIn } from '../../../src/vocabularies/concept.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { graphOf, type Graph } from '../../../src/rdf/read.ts'
import type { Quad } from '@rdfjs/types'
import { concepts, iris, profile } from '../built.ts'
import { field } from '../mappings/mapped.ts'

export type Expected = {
  /** What is special in it. */
  readonly name: string
  /** A dataset `d:x`, a catalogue `c:cat`, a thing `t:x`, or a vocabulary. */
  readonly kind: 'dataset' | 'catalogue' | 'thing' | 'concept'
  readonly turtle: string
  /** The catalogue of a dataset or thing. */
  readonly catalogue?: string
  readonly metrics?: string
  /** The fields beside those that every record of the kind has. */
  readonly record: Readonly<Record<string, unknown>>
  /** `field problem value` of everything that is left out. */
  readonly leftOut?: readonly string[]
  /** Without the title and description that datasets get here by themselves. */
  readonly bare?: true
}

const prefixes = `
@prefix adms: <http://www.w3.org/ns/adms#> . @prefix dc11: <http://purl.org/dc/elements/1.1/> .
@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dcatap: <http://data.europa.eu/r5r/> .
@prefix dct: <http://purl.org/dc/terms/> . @prefix dext: <https://data.europa.eu/ns/ext#> .
@prefix dqv: <http://www.w3.org/ns/dqv#> . @prefix ex: <https://a.example/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix geo: <http://www.opengis.net/ont/geosparql#> .
@prefix locn: <http://www.w3.org/ns/locn#> . @prefix odrl: <http://www.w3.org/ns/odrl/2/> .
@prefix org: <http://www.w3.org/ns/org#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix prov: <http://www.w3.org/ns/prov#> . @prefix pv: <https://piveau.eu/ns/voc#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix schema: <http://schema.org/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix spdx: <http://spdx.org/rdf/terms#> .
@prefix stat: <http://data.europa.eu/s1n/> . @prefix time: <http://www.w3.org/2006/time#> .
@prefix vcard: <http://www.w3.org/2006/vcard/ns#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix c: <http://localhost:8080/id/catalogue/> . @prefix d: <http://localhost:8080/set/data/> .
@prefix r: <http://localhost:8080/set/record/> . @prefix s: <http://localhost:8080/set/distribution/> .
@prefix t: <http://localhost:8080/set/resource/thing/> .
@prefix theme: <http://publications.europa.eu/resource/authority/data-theme/> .
@prefix lang: <http://publications.europa.eu/resource/authority/language/> .
@prefix country: <http://publications.europa.eu/resource/authority/country/> .
@prefix place: <http://publications.europa.eu/resource/authority/place/> .
@prefix right: <http://publications.europa.eu/resource/authority/access-right/> .
@prefix freq: <http://publications.europa.eu/resource/authority/frequency/> .
@prefix kind: <http://publications.europa.eu/resource/authority/dataset-type/> .
@prefix file: <http://publications.europa.eu/resource/authority/file-type/> .
@prefix lic: <http://publications.europa.eu/resource/authority/licence/> .
`

export const eu = (path: string) => `http://publications.europa.eu/resource/authority/${path}`

const ex = 'https://a.example/'

/** Embedded by a link, as custom types like to do; filled by nothing but what the platform knows. */
const inner = [field('id', 'StandardText'), field('resource', 'StandardKeyword')]

/** A type with the classes that the default profile has no field for. */
export const thing: ResourceType = {
  id: 'thing',
  name: 'Thing',
  description: '',
  path: 'thing.ttl',
  shapeUri: `${ex}Thing_Shape`,
  typeUri: `${ex}Thing`,
  inCatalogue: true,
  shape: {
    iri: `${ex}Thing_Shape`,
    targetClass: `${ex}Thing`,
    name: 'Thing',
    description: '',
    fields: [
      field('id', 'StandardText'),
      field('title', 'SimpleMultiLangTitle', { paths: [`${ex}title`], required: true }),
      field('catalog', 'Nested', { children: [field('id', 'StandardText')] }),
      field('height', 'Numeric', { paths: [`${ex}height`] }),
      field('open', 'Boolean', { paths: [`${ex}open`] }),
      field('owner', 'AgentMultiLang', { paths: [`${ex}owner`], single: false }),
      field('checked', 'FrequencyMultiLang', { paths: [`${ex}checked`] }),
      field('parts', 'Nested', { paths: [`${ex}part`], single: false, children: inner }),
      field('meta', 'TranslationMeta'),
    ],
  },
  search: {
    facetSize: 50,
    window: 10_000,
    facets: [
      { name: 'owner', title: 'Owners', path: 'owner' },
      { name: 'checked', title: 'Checked', path: 'checked.id' },
      { name: 'open', title: 'Open', path: 'open' },
      { name: 'home', title: 'Catalogues', path: 'catalog' },
      { name: 'lost', title: 'Lost', path: 'nowhere' },
    ],
  },
}

export const withThings = { ...profile, resources: [thing] }
export const builder = documentBuilder({ profile: withThings, concepts, names: iris })

const oneLanguage = {
  full_available_languages: ['en'],
  details: { en: { machine_translated: false } },
  status: 'unknown',
}

/** Only datasets must tell their languages; a profile may ask for it elsewhere. */
const tellsLanguages = profile.catalogue.fields.some(({ mapping }) => mapping === 'TranslationMeta')

const always: Readonly<Record<Expected['kind'], Readonly<Record<string, unknown>>>> = {
  dataset: {
    id: 'x',
    resource: 'http://localhost:8080/set/data/x',
    title: { en: 'T' },
    description: { en: 'D' },
    distributions: [],
    is_hvd: false,
    translation_meta: oneLanguage,
    catalog: { id: 'cat' },
  },
  catalogue: {
    id: 'cat',
    resource: 'http://localhost:8080/id/catalogue/cat',
    ...(tellsLanguages && { translation_meta: expect.anything() as unknown }),
  },
  thing: { id: 'x', catalog: { id: 'cat' } },
  concept: {},
}

/** The whole document that a record shall become; a field that is `undefined` shall not be there. */
export const wanted = ({ kind, record }: Expected) => {
  const whole = Object.entries({ ...always[kind], ...record })
  return Object.fromEntries(whole.filter(([, value]) => value !== undefined))
}

export const quadsOf = (turtle: string): Promise<Quad[]> =>
  parse(prefixes + turtle, 'turtle', { baseIri: 'http://localhost:8080/' })

const titled = 'd:x a dcat:Dataset ; dct:title "T"@en ; dct:description "D"@en .'

/** The graphs of a record, as the store would hold them. */
async function graphsOf({ kind, turtle, catalogue, metrics, bare }: Expected) {
  const own = kind === 'dataset' && !bare ? `${titled} ${turtle}` : turtle
  return {
    own: await quadsOf(own),
    catalogue: await quadsOf(catalogue ?? 'c:cat a dcat:Catalog ; dct:title "Cat"@en .'),
    ...(metrics !== undefined && { metrics: await quadsOf(metrics) }),
  }
}

type Graphs = { readonly own: Graph; readonly catalogue: Graph; readonly metrics?: Graph }

/** The documents out of the graphs of a record. */
function documentsOf(kind: Expected['kind'], { own, catalogue, metrics }: Graphs): BuiltDocument[] {
  const input = { id: 'x', version: 1, hash: 'h', graph: own }
  const around = { id: 'cat', graph: catalogue }
  const scores = metrics ? { metrics } : {}
  switch (kind) {
    case 'dataset':
      return [builder.dataset({ ...input, iri: iris.dataset('x'), catalogue: around, ...scores })]
    case 'catalogue':
      return [builder.catalogue({ ...input, id: 'cat', iri: iris.catalogue('cat') })]
    case 'thing':
      return [
        builder.resource(thing, { ...input, iri: iris.resource('thing', 'x'), catalogue: around }),
      ]
    default: {
      const scheme = schemeIn(own) ?? ''
      return builder.concepts({ ...input, vocabulary: 'v', scheme })
    }
  }
}

/** The document of a record as it stands in the table. */
export async function builtFrom(expected: Expected): Promise<BuiltDocument> {
  const { own, catalogue, metrics } = await graphsOf(expected)
  const graphs = { own: graphOf(own), catalogue: graphOf(catalogue) }
  const [built] = documentsOf(
    expected.kind,
    metrics ? { ...graphs, metrics: graphOf(metrics) } : graphs,
  )
  if (!built) throw new Error(`${expected.name} became no document`)
  return built
}
