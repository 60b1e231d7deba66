/** Graph of the metrics of a dataset, made from the body that was sent. */

import type { Quad, Quad_Subject, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { canonicalise } from '../../rdf/canonical.ts'
import { toLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { computedOn, dqv, prov, rdf } from '../../rdf/namespaces.ts'
import { closure, type Graph, graphOf, keyOf } from '../../rdf/read.ts'
import { skolemise } from '../../rdf/skolem.ts'
import { literal, namedNode, quad } from '../../rdf/terms.ts'
import { prune, tooManyTriples, restoreBlankNodes, rename } from './own-content.ts'
import type { RepositoryContext } from '../repository-context.ts'

/** IRI of the metrics graph, and the resources that it may measure: the dataset and its distributions. */
type MeasurableResources = { readonly iri: string; readonly resources: ReadonlySet<string> }

/** Factor of the limit of triples of a dataset: a measurement of a distribution with four triples has seventy and more. */
const measuresOfEach = 5

/** Metrics graph: the lines to store, and the triples as they were sent. */
type MetricsGraph = { readonly content: string; readonly scores: readonly Quad[] }

/**
 * Makes the graph; `described` is the stored dataset. Fails with `ambiguous-subject`, `invalid-content`, `too-large`, `too-
 * complex`.
 */
export async function metricsGraph(
  { names, triples, canonical }: Pick<RepositoryContext, 'names' | 'triples' | 'canonical'>,
  dataset: string,
  described: string,
  sent: readonly Quad[],
): Promise<MetricsGraph> {
  const iri = names.metrics(dataset)
  const measured = { iri, resources: resourcesIn(described, names.dataset(dataset), names) }
  const body = restoreBlankNodes(sent, names, [iri])
  const most = triples * measuresOfEach
  const quads = metricsContent(body, measured, names)
  if (quads.length > most) throw tooManyTriples(quads.length, most, `${measuresOfEach} times the `)
  const { labels } = await canonicalise(quads.map(withoutTime), { work: canonical?.work })
  const content = toLines(skolemise(quads, { genid: names.genid(iri), labels }))
  return { content, scores: quads }
}

/** Returns the dataset and its distributions, including those linked by `adms:sample`, from the lines without parsing them. */
function resourcesIn(described: string, dataset: string, names: Names): ReadonlySet<string> {
  const found = new Set([dataset])
  const start = `<${names.distribution('')}`
  for (let at = described.indexOf(start); at >= 0; at = described.indexOf(start, at + 1)) {
    const end = described.indexOf('>', at)
    // A literal may contain anything, but neither begins nor ends a line.
    const isSubject = at === 0 || described[at - 1] === '\n'
    const isObject = described[at - 1] === ' ' && described.startsWith('> .\n', end)
    const iri = described.slice(at + 1, end)
    if ((isSubject || isObject) && names.idOf('distribution', iri) !== undefined) found.add(iri)
  }
  return found
}

// Selection of the quality metadata of one dataset from a body (W3C Data Quality Vocabulary).

const type = rdf('type').value
const metadata = dqv('QualityMetadata').value
const measurementClass = dqv('QualityMeasurement').value
const has = dqv('hasQualityMetadata').value
const link = dqv('hasQualityMeasurement').value
const metric = dqv('isMeasurementOf').value

/**
 * Selects the graph of the metadata, under the platform's IRI and without measurements of other resources. Blank nodes are kept.
 * Fails with `ambiguous-subject`, and with `invalid-content` when nothing is left.
 */
function metricsContent(
  body: readonly Quad[],
  { iri, resources }: MeasurableResources,
  names: Names,
): Quad[] {
  const quads = singleGraph(body)
  const node = metadataNode(quads, iri, resources)
  const own = ownMeasurements(quads, names, { resources, node, iri })
  const graph = graphOf(own)
  const framed = new Set(node ? closure(graph, node) : [])
  // Metadata without a measurement counts as empty.
  if (own.every((q) => framed.has(q) || q.predicate.value === has)) throw noMeasurements()
  if (!node) return [...own, quad(namedNode(iri), rdf('type'), dqv('QualityMetadata'))]
  return rename(own, new Map([[keyOf(node), iri]]))
}

/** Returns the graph that holds the metadata node, else the only named graph, else the default graph. */
function singleGraph(body: readonly Quad[]): readonly Quad[] {
  const graphs = Map.groupBy(body, (q) => keyOf(q.graph))
  const holding = [...graphs].filter(([, quads]) => quads.some(isMetadata))
  if (holding.length > 1)
    throw ambiguousMetrics(`${holding.length} graphs hold a dqv:QualityMetadata`)
  const named = [...graphs].filter(
    ([, [first]]) => first && first.graph.termType !== 'DefaultGraph',
  )
  const only = named.length === 1 ? named[0] : undefined
  const fallback = only?.[1] ?? body.filter((q) => q.graph.termType === 'DefaultGraph')
  const quads = holding[0]?.[1] ?? fallback
  return quads.map((q) => quad(q.subject, q.predicate, q.object))
}

const isMetadata = ({ predicate, object }: Quad): boolean =>
  predicate.value === type && object.value === metadata

/** Returns the metadata node, if there is one; a measured resource cannot be the metadata node. */
function metadataNode(
  quads: readonly Quad[],
  iri: string,
  resources: ReadonlySet<string>,
): Quad_Subject | undefined {
  const nodes = new Map(quads.filter(isMetadata).map((q) => [keyOf(q.subject), q.subject]))
  for (const resource of resources) nodes.delete(resource)
  const found = nodes.get(iri)
  if (found || nodes.size === 0) return found
  const [only, ...more] = nodes.values()
  if (more.length > 0)
    throw ambiguousMetrics(`the body describes ${nodes.size} dqv:QualityMetadata nodes`)
  return only
}

/** Resources that may be measured, and the node of the metadata, which is kept, too. */
type OwnNodes = MeasurableResources & { readonly node: Term | undefined }

/** Returns the body without measurements and descriptions of other resources of the platform. */
function ownMeasurements(
  quads: readonly Quad[],
  names: Names,
  { resources, node, iri }: OwnNodes,
): Quad[] {
  const graph = graphOf(quads)
  const self = node && keyOf(node)
  const foreign = foreignMeasurements(quads, graph, resources)
  const isOthers = (key: string) =>
    names.owns(key) && key !== iri && key !== self && !resources.has(key)
  return prune(quads, ({ subject, predicate, object }) => {
    const key = keyOf(subject)
    if (predicate.value === has && !resources.has(key)) return true
    return foreign.has(key) || foreign.has(keyOf(object)) || isOthers(key)
  })
}

/** Finds measurements of other resources; one without a target belongs to the resource that links it. */
function foreignMeasurements(
  quads: readonly Quad[],
  graph: Graph,
  resources: ReadonlySet<string>,
): ReadonlySet<string> {
  const found = new Map<string, Set<string>>()
  const about = (measurement: string) => {
    const known = found.get(measurement) ?? new Set<string>()
    found.set(measurement, known)
    return known
  }
  for (const { subject, predicate, object } of quads) {
    if (predicate.value === link) about(keyOf(object)).add(keyOf(subject))
    const isOne = predicate.value === type && object.value === measurementClass
    if (isOne || predicate.value === metric) about(keyOf(subject))
  }
  const isForeign = (measurement: string, linking: ReadonlySet<string>) => {
    const targets = computedOn.flatMap((name) => graph.objects(measurement, name)).map(keyOf)
    return ![...(targets.length > 0 ? targets : linking)].some((target) => resources.has(target))
  }
  return new Set([...found].filter(([node, linking]) => isForeign(node, linking)).map(([k]) => k))
}

const ambiguousMetrics = (detail: string) =>
  new Failure('ambiguous-subject', `${detail}; a dataset has exactly one`)

const noMeasurements = () =>
  new Failure(
    'invalid-content',
    'the body measures neither this dataset nor one of its distributions',
  )

/** Predicates whose values change with every measuring. */
const fleeting: ReadonlySet<string> = new Set([prov('generatedAtTime').value, dqv('value').value])

/** Removes the values that change with every measuring, so that blank nodes get the same labels each time. */
const withoutTime = (one: Quad): Quad =>
  fleeting.has(one.predicate.value) && one.object.termType === 'Literal'
    ? quad(one.subject, one.predicate, literal(''))
    : one
