/** Namespaces: prefixes, and a term builder for each vocabulary. */

import type { NamedNode } from '@rdfjs/types'
import { namedNode } from './terms.ts'

/** Prefix → namespace IRI in Turtle, TriG, N3, RDF/XML and JSON-LD answers. */
export const prefixes: Readonly<Record<string, string>> = {
  adms: 'http://www.w3.org/ns/adms#',
  ctl: 'urn:cartulary:control#',
  dc: 'http://purl.org/dc/elements/1.1/',
  dcat: 'http://www.w3.org/ns/dcat#',
  dcatap: 'http://data.europa.eu/r5r/',
  dcatde: 'http://dcat-ap.de/def/dcatde/',
  dct: 'http://purl.org/dc/terms/',
  dctype: 'http://purl.org/dc/dcmitype/',
  dqv: 'http://www.w3.org/ns/dqv#',
  eli: 'http://data.europa.eu/eli/ontology#',
  euvoc: 'http://publications.europa.eu/ontology/euvoc#',
  foaf: 'http://xmlns.com/foaf/0.1/',
  geo: 'http://www.w3.org/2003/01/geo/wgs84_pos#',
  geosparql: 'http://www.opengis.net/ont/geosparql#',
  hydra: 'http://www.w3.org/ns/hydra/core#',
  ldp: 'http://www.w3.org/ns/ldp#',
  locn: 'http://www.w3.org/ns/locn#',
  oa: 'http://www.w3.org/ns/oa#',
  odrl: 'http://www.w3.org/ns/odrl/2/',
  opauthority: 'http://publications.europa.eu/ontology/authority/',
  org: 'http://www.w3.org/ns/org#',
  owl: 'http://www.w3.org/2002/07/owl#',
  prof: 'urn:cartulary:profile#',
  prov: 'http://www.w3.org/ns/prov#',
  pv: 'https://piveau.eu/ns/voc#',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  schema: 'http://schema.org/',
  sd: 'http://www.w3.org/ns/sparql-service-description#',
  sh: 'http://www.w3.org/ns/shacl#',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  skosxl: 'http://www.w3.org/2008/05/skos-xl#',
  spdx: 'http://spdx.org/rdf/terms#',
  time: 'http://www.w3.org/2006/time#',
  vcard: 'http://www.w3.org/2006/vcard/ns#',
  void: 'http://rdfs.org/ns/void#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
}

/** Builds a term from its local name: `dcat('Dataset')`. */
export type Vocabulary = (localName: string) => NamedNode

function vocabulary(prefix: string): Vocabulary {
  const namespace = prefixes[prefix]
  if (namespace === undefined) throw new Error(`no namespace has the prefix ${prefix}`)
  const cache = new Map<string, NamedNode>()
  return (localName) => {
    let term = cache.get(localName)
    if (!term) cache.set(localName, (term = namedNode(namespace + localName)))
    return term
  }
}

// Term builders by their prefix in `prefixes`.
export const adms = vocabulary('adms')
/** Internal bookkeeping such as pending marks; never part of an answer. */
export const ctl = vocabulary('ctl')
export const dc = vocabulary('dc')
export const dcat = vocabulary('dcat')
export const dcatap = vocabulary('dcatap')
export const dct = vocabulary('dct')
export const dqv = vocabulary('dqv')
export const foaf = vocabulary('foaf')
export const geosparql = vocabulary('geosparql')
export const hydra = vocabulary('hydra')
export const locn = vocabulary('locn')
export const oa = vocabulary('oa')
export const opauthority = vocabulary('opauthority')
export const org = vocabulary('org')
export const owl = vocabulary('owl')
export const prov = vocabulary('prov')
/** Quality metrics and dimensions, in the namespace that clients and stored queries use. */
export const pv = vocabulary('pv')
export const rdf = vocabulary('rdf')
export const rdfs = vocabulary('rdfs')
export const sd = vocabulary('sd')
export const sh = vocabulary('sh')
export const skos = vocabulary('skos')
export const spdx = vocabulary('spdx')
export const vcard = vocabulary('vcard')
export const xsd = vocabulary('xsd')

/** `dqv:computedOn` and a common misspelling. */
export const computedOn: readonly string[] = [dqv('computedOn').value, dqv('computeOn').value]

/** Properties whose objects are addresses at the source. */
export const addressProperties: readonly NamedNode[] = [
  dcat('accessURL'),
  dcat('downloadURL'),
  dcat('landingPage'),
  dcat('endpointURL'),
  dcat('endpointDescription'),
  foaf('page'),
  foaf('homepage'),
  vcard('hasURL'),
  prov('used'),
]

/** Graph of pending marks and other bookkeeping. */
export const systemGraph = 'urn:cartulary:system'

const byNamespace = new Map(Object.entries(prefixes).map(([prefix, iri]) => [iri, prefix]))

// Subset of PN_LOCAL (Turtle 1.1, 6.5) that JSON-LD reads in the same way.
const localPattern = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?$/

/** Short names (`dct:title`) of the IRIs of one document. */
export type ShortNames = {
  /** Shortens an IRI to `dct:title`; `undefined` if it has no short name. */
  readonly shorten: (iri: string) => string | undefined
  /** Used prefixes in alphabetical order. */
  readonly usedPrefixes: () => readonly (readonly [prefix: string, namespace: string])[]
}

/** Creates the short names of one document. Prefixes in `without` are not used. */
export function shortNames(without: ReadonlySet<string> = new Set()): ShortNames {
  const cache = new Map<string, string | undefined>()
  const usedPrefixes = new Set<string>()
  const find = (iri: string): string | undefined => {
    const end = Math.max(iri.lastIndexOf('#'), iri.lastIndexOf('/')) + 1
    const prefix = byNamespace.get(iri.slice(0, end))
    const name = iri.slice(end)
    if (prefix === undefined || without.has(prefix) || !localPattern.test(name)) return undefined
    usedPrefixes.add(prefix)
    return `${prefix}:${name}`
  }
  return {
    shorten: (iri) => {
      let short = cache.get(iri)
      if (short === undefined && !cache.has(iri)) cache.set(iri, (short = find(iri)))
      return short
    },
    usedPrefixes: () =>
      [...usedPrefixes].sort().map((prefix) => [prefix, prefixes[prefix] ?? ''] as const),
  }
}
