/**
 * Concepts of controlled vocabularies: their type, how they are read from a graph (SKOS Reference, W3C 2009), and the IRIs of the
 * vocabularies that the code uses.
 */

import type { Term } from '@rdfjs/types'
import { ctl, dc, dct, foaf, opauthority, owl, rdf, skos } from '../rdf/namespaces.ts'
import type { Graph } from '../rdf/read.ts'
import { compareCodePoints } from '../text/code-points.ts'
import { keyedTexts, tagOf } from './labels.ts'
import { localName } from '../rdf/iri.ts'

/** Properties of a concept in some vocabularies; the keys are those of the search service. */
type Extensions = {
  readonly foaf_homepage?: string
  readonly foaf_mbox?: string
  readonly foaf_type?: string
  readonly iso_31661_alpha2?: string
  readonly iso_6391_code?: string
  readonly licensing_assistant?: string
}

/** Entry of a controlled vocabulary. */
export type Concept = {
  readonly iri: string
  /** Code inside the vocabulary, otherwise the last segment of the IRI. */
  readonly id: string
  /** IRI of the concept scheme: that of the vocabulary, unless the concept names only others. */
  readonly scheme: string
  readonly deprecated: boolean
  /** Language key → label, sorted by key. */
  readonly prefLabel: Readonly<Record<string, string>>
  /** English label, otherwise the first by language; the id of a concept without labels. */
  readonly label: string
  /** Language key → alternative labels, sorted by code point. */
  readonly altLabel: Readonly<Record<string, readonly string[]>>
  /** Language key → labels that are searched and not shown; absent without any. */
  readonly hiddenLabel?: Readonly<Record<string, readonly string[]>>
  /** IRIs of concepts with the same and with a similar meaning, sorted by code point. */
  readonly exactMatch: readonly string[]
  readonly closeMatch: readonly string[]
  /** IRIs of broader and narrower concepts that the concept itself names. */
  readonly broader: readonly string[]
  readonly narrower: readonly string[]
  /** English definition. */
  readonly definition?: string
  readonly extensions: Extensions
  /** Registered media types and usual suffixes of a file type, in lower case. */
  readonly mediaTypes: readonly string[]
  readonly endings: readonly string[]
  /** Properties of a file type that metrics of metadata quality use. */
  readonly machineReadable: boolean
  readonly nonProprietary: boolean
}

/** IRI prefix of the vocabularies of the EU Publications Office. */
export const authorityBase = 'http://publications.europa.eu/resource/authority/'

/** Concept scheme IRIs of the vocabularies that the code uses, by short name. */
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
 * Whether the statements about a subject in the graph of the scheme say that it is a concept: by its type, or `skos:inScheme` or
 * `skos:topConceptOf` of the scheme; published files lack some of these. `skos:hasTopConcept` of the scheme is ignored.
 */
export const isConcept = (graph: Graph, subject: string, scheme: string): boolean =>
  subject !== scheme &&
  !subject.startsWith('_:') &&
  (graph.objects(subject, rdf('type')).some(({ value }) => value === skos('Concept').value) ||
    [skos('inScheme'), skos('topConceptOf')].some((predicate) =>
      graph.objects(subject, predicate).some(({ value }) => value === scheme),
    ))

function conceptIris(graph: Graph, scheme: string): readonly string[] {
  const iris = new Set(graph.objects(scheme, skos('hasTopConcept')).map(({ value }) => value))
  for (const subject of graph.subjects()) if (isConcept(graph, subject, scheme)) iris.add(subject)
  return [...iris].sort(compareCodePoints)
}

const sortedTexts = (terms: readonly Term[]) =>
  terms
    .map(({ value }) => value.trim())
    .filter((text) => text !== '')
    .sort(compareCodePoints)

/** `dc:identifier`, else `dct:identifier`, else the last segment of the IRI. */
function idOf(graph: Graph, iri: string): string {
  const [dcIdentifier] = sortedTexts(graph.objects(iri, dc('identifier')))
  const [dctIdentifier] = sortedTexts(graph.objects(iri, dct('identifier')))
  return dcIdentifier ?? dctIdentifier ?? localName(iri)
}

/** `scheme` if the concept is in it, otherwise the first scheme that the concept names. */
function schemeOf(graph: Graph, iri: string, scheme: string): string {
  const schemesNamed = sortedTexts(graph.objects(iri, skos('inScheme')))
  return schemesNamed.includes(scheme) ? scheme : (schemesNamed[0] ?? scheme)
}

function labelLists(terms: readonly Term[]): Readonly<Record<string, readonly string[]>> {
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

/** Key of the two-letter code in `extensions` of a scheme: ISO 3166-1 or ISO 639-1. */
function alpha2ExtensionName(scheme: string): keyof Extensions | undefined {
  if (scheme === schemes.country) return 'iso_31661_alpha2'
  return scheme === schemes.language ? 'iso_6391_code' : undefined
}

function extensionsOf(graph: Graph, iri: string, scheme: string): Extensions {
  const firstText = (predicate: Parameters<Graph['objects']>[1]) =>
    sortedTexts(graph.objects(iri, predicate))[0]
  const code = alpha2ExtensionName(scheme)
  const parts = {
    foaf_homepage: firstText(foaf('homepage')),
    foaf_mbox: firstText(foaf('mbox')),
    foaf_type: graph
      .objects(iri, rdf('type'))
      .map(({ value }) => value)
      .filter((type) => type.startsWith('http://xmlns.com/foaf/0.1/'))
      .sort(compareCodePoints)[0],
    licensing_assistant: firstText(ctl('assistant')),
    ...(code && { [code]: firstText(ctl('alpha2'))?.toLowerCase() }),
  }
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined))
}

const isTrue = (term: Term) => term.value === 'true' || term.value === '1'

/** Reads the concept with the IRI `iri`; `vocabulary` is the scheme of the vocabulary that contains it. */
export function conceptAt(graph: Graph, iri: string, vocabulary: string): Concept {
  const objects = (predicate: Parameters<Graph['objects']>[1]) => graph.objects(iri, predicate)
  const scheme = schemeOf(graph, iri, vocabulary)
  const labels = keyedTexts(objects(skos('prefLabel')), 'en')
  const prefLabel = Object.fromEntries(labels.map(({ key, text }) => [key, text]))
  const id = idOf(graph, iri)
  const definitions = keyedTexts(objects(skos('definition')), 'en')
  const hiddenLabels = objects(skos('hiddenLabel'))
  const definition = definitions.find(({ key }) => key === 'en')?.text
  return {
    iri,
    id,
    scheme,
    deprecated:
      objects(owl('deprecated')).some(isTrue) || objects(opauthority('deprecated')).some(isTrue),
    prefLabel,
    label: prefLabel['en'] ?? labels[0]?.text ?? id,
    altLabel: labelLists(objects(skos('altLabel'))),
    ...(hiddenLabels.length > 0 && { hiddenLabel: labelLists(hiddenLabels) }),
    exactMatch: sortedTexts(objects(skos('exactMatch'))),
    closeMatch: sortedTexts(objects(skos('closeMatch'))),
    broader: sortedTexts(objects(skos('broader'))),
    narrower: sortedTexts(objects(skos('narrower'))),
    definition,
    extensions: extensionsOf(graph, iri, scheme),
    mediaTypes: sortedTexts(objects(ctl('mediaType'))).map((text) => text.toLowerCase()),
    endings: sortedTexts(objects(ctl('ending'))).map((text) =>
      text.toLowerCase().replace(/^\./, ''),
    ),
    machineReadable: objects(ctl('machineReadable')).some(isTrue),
    nonProprietary: objects(ctl('nonProprietary')).some(isTrue),
  }
}

/** Concepts of a vocabulary, sorted by IRI; `scheme` is the IRI of its concept scheme. */
export const conceptsOf = (graph: Graph, scheme: string): readonly Concept[] =>
  conceptIris(graph, scheme).map((iri) => conceptAt(graph, iri, scheme))

const hasLabel = (graph: Graph, subject: string) =>
  graph.objects(subject, skos('prefLabel')).length > 0

/**
 * IRI of the concept scheme in a file: the resource of this type, otherwise the scheme of most concepts; `undefined` without any.
 */
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
