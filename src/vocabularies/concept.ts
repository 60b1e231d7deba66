/**
 * A concept of a vocabulary, the vocabularies that are asked for by name, and how concepts are read out of a graph (SKOS Reference,
 * W3C 2009).
 */

import type { Term } from '@rdfjs/types'
import { ctl, dc, dct, foaf, opauthority, owl, rdf, skos } from '../rdf/namespaces.ts'
import type { Graph } from '../rdf/read.ts'
import { compareCodePoints } from '../text/code-points.ts'
import { keyedTexts, tagOf } from './labels.ts'
import { localName } from '../rdf/iri.ts'

/** Properties of a concept besides its labels; the names are those of the search service. */
type Extensions = {
  readonly foaf_homepage?: string
  readonly foaf_mbox?: string
  readonly foaf_type?: string
  readonly iso_31661_alpha2?: string
  readonly iso_6391_code?: string
  readonly licensing_assistant?: string
}

export type Concept = {
  readonly iri: string
  /** Code inside the vocabulary. */
  readonly id: string
  /** IRI of the concept scheme. */
  readonly scheme: string
  readonly deprecated: boolean
  /** Language key → label, keys in order. */
  readonly prefLabel: Readonly<Record<string, string>>
  /** English, else the first by language; the id when there is no label at all. */
  readonly label: string
  /** Language key → all alternative labels by code point. */
  readonly altLabel: Readonly<Record<string, readonly string[]>>
  /** By code point. */
  readonly exactMatch: readonly string[]
  readonly closeMatch: readonly string[]
  /** IRIs of wider and of narrower concepts, as far as the concept names them itself. */
  readonly broader: readonly string[]
  readonly narrower: readonly string[]
  /** English definition. */
  readonly definition?: string
  readonly extensions: Extensions
  /** File types: registered media types and usual endings, lower case. */
  readonly mediaTypes: readonly string[]
  readonly endings: readonly string[]
  /** File types: what the assessment of metadata quality counts. */
  readonly machineReadable: boolean
  readonly nonProprietary: boolean
}

/** Where the tables of the EU Publications Office are. */
export const authorityBase = 'http://publications.europa.eu/resource/authority/'

/** Scheme IRIs of the tables that mapping classes look into. */
export const schemes = {
  accessRight: `${authorityBase}access-right`,
  admsStatus: 'http://purl.org/adms/status/1.0',
  continent: `${authorityBase}continent`,
  availability: `${authorityBase}planned-availability`,
  corporateBody: `${authorityBase}corporate-body`,
  country: `${authorityBase}country`,
  datasetType: `${authorityBase}dataset-type`,
  dataTheme: `${authorityBase}data-theme`,
  distributionStatus: `${authorityBase}distribution-status`,
  distributionType: `${authorityBase}distribution-type`,
  fileType: `${authorityBase}file-type`,
  frequency: `${authorityBase}frequency`,
  hvdCategory: 'http://data.europa.eu/bna/asd487ae75',
  language: `${authorityBase}language`,
  licence: `${authorityBase}licence`,
  place: `${authorityBase}place`,
  publisherType: 'http://purl.org/adms/publishertype/1.0',
} as const

/**
 * Whether a subject says of itself that it is a concept of the scheme: by its type, its scheme, or as a top concept; real
 * extracts lack one or the other. What only the scheme says of it (`skos:hasTopConcept`) is not looked at.
 */
export const isConcept = (graph: Graph, subject: string, scheme: string): boolean =>
  subject !== scheme &&
  !subject.startsWith('_:') &&
  (graph.objects(subject, rdf('type')).some(({ value }) => value === skos('Concept').value) ||
    [skos('inScheme'), skos('topConceptOf')].some((predicate) =>
      graph.objects(subject, predicate).some(({ value }) => value === scheme),
    ))

function conceptIris(graph: Graph, scheme: string): readonly string[] {
  const found = new Set(graph.objects(scheme, skos('hasTopConcept')).map(({ value }) => value))
  for (const subject of graph.subjects()) if (isConcept(graph, subject, scheme)) found.add(subject)
  return [...found].sort(compareCodePoints)
}

const sortedTexts = (terms: readonly Term[]) =>
  terms
    .map(({ value }) => value.trim())
    .filter((text) => text !== '')
    .sort(compareCodePoints)

/** `dc:identifier`, else `dct:identifier`, else the last segment of the IRI. */
function idOf(graph: Graph, iri: string): string {
  const [code] = sortedTexts(graph.objects(iri, dc('identifier')))
  const [other] = sortedTexts(graph.objects(iri, dct('identifier')))
  return code ?? other ?? localName(iri)
}

/** The own scheme when the concept says that it is in it, else the first that it names. */
function schemeOf(graph: Graph, iri: string, scheme: string): string {
  const given = sortedTexts(graph.objects(iri, skos('inScheme')))
  return given.includes(scheme) ? scheme : (given[0] ?? scheme)
}

function altLabels(terms: readonly Term[]): Readonly<Record<string, readonly string[]>> {
  const byLanguage = new Map<string, string[]>()
  for (const term of terms) {
    const text = term.value.trim()
    if (term.termType !== 'Literal' || text === '') continue
    const key = tagOf(term.language).primary || 'en'
    const labels = byLanguage.get(key)
    if (labels) labels.push(text)
    else byLanguage.set(key, [text])
  }
  const keys = [...byLanguage.keys()].sort(compareCodePoints)
  return Object.fromEntries(
    keys.map((key) => [key, byLanguage.get(key)?.sort(compareCodePoints) ?? []]),
  )
}

/** The code of ISO 3166 or ISO 639 has its own name per table. */
function alpha2ExtensionName(scheme: string): keyof Extensions | undefined {
  if (scheme === schemes.country) return 'iso_31661_alpha2'
  return scheme === schemes.language ? 'iso_6391_code' : undefined
}

function extensionsOf(graph: Graph, iri: string, scheme: string): Extensions {
  const one = (predicate: Parameters<Graph['objects']>[1]) =>
    sortedTexts(graph.objects(iri, predicate))[0]
  const code = alpha2ExtensionName(scheme)
  const parts = {
    foaf_homepage: one(foaf('homepage')),
    foaf_mbox: one(foaf('mbox')),
    foaf_type: graph
      .objects(iri, rdf('type'))
      .map(({ value }) => value)
      .filter((type) => type.startsWith('http://xmlns.com/foaf/0.1/'))
      .sort(compareCodePoints)[0],
    licensing_assistant: one(ctl('assistant')),
    ...(code && { [code]: one(ctl('alpha2'))?.toLowerCase() }),
  }
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined))
}

const isTrue = (term: Term) => term.value === 'true' || term.value === '1'

/** The concept that a subject describes; `own` is the scheme of its vocabulary. */
export function conceptAt(graph: Graph, iri: string, own: string): Concept {
  const all = (predicate: Parameters<Graph['objects']>[1]) => graph.objects(iri, predicate)
  const scheme = schemeOf(graph, iri, own)
  const labels = keyedTexts(all(skos('prefLabel')), 'en')
  const prefLabel = Object.fromEntries(labels.map(({ key, text }) => [key, text]))
  const id = idOf(graph, iri)
  const definitions = keyedTexts(all(skos('definition')), 'en')
  const definition = definitions.find(({ key }) => key === 'en')?.text
  return {
    iri,
    id,
    scheme,
    deprecated: all(owl('deprecated')).some(isTrue) || all(opauthority('deprecated')).some(isTrue),
    prefLabel,
    label: prefLabel['en'] ?? labels[0]?.text ?? id,
    altLabel: altLabels(all(skos('altLabel'))),
    exactMatch: sortedTexts(all(skos('exactMatch'))),
    closeMatch: sortedTexts(all(skos('closeMatch'))),
    broader: sortedTexts(all(skos('broader'))),
    narrower: sortedTexts(all(skos('narrower'))),
    definition,
    extensions: extensionsOf(graph, iri, scheme),
    mediaTypes: sortedTexts(all(ctl('mediaType'))).map((text) => text.toLowerCase()),
    endings: sortedTexts(all(ctl('ending'))).map((text) => text.toLowerCase().replace(/^\./, '')),
    machineReadable: all(ctl('machineReadable')).some(isTrue),
    nonProprietary: all(ctl('nonProprietary')).some(isTrue),
  }
}

/** All concepts of a vocabulary by IRI; `scheme` is the IRI of its concept scheme. */
export const conceptsOf = (graph: Graph, scheme: string): readonly Concept[] =>
  conceptIris(graph, scheme).map((iri) => conceptAt(graph, iri, scheme))

const hasLabel = (graph: Graph, subject: string) =>
  graph.objects(subject, skos('prefLabel')).length > 0

/** The scheme of a vocabulary file: the typed one, else the one that most concepts are in. */
export function schemeIn(graph: Graph): string | undefined {
  const counts = new Map<string, number>()
  for (const subject of graph.subjects()) {
    const types = graph.objects(subject, rdf('type'))
    if (types.some(({ value }) => value === skos('ConceptScheme').value)) return subject
    if (!hasLabel(graph, subject)) continue
    for (const { value } of graph.objects(subject, skos('inScheme')))
      counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return [...counts].sort(([a, m], [b, n]) => n - m || compareCodePoints(a, b))[0]?.[0]
}
