/** Makes the graph of the quality metrics of a dataset from a body: one `dqv:QualityMetadata` with its measurements. */

import type { Quad, Quad_Subject, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { canonicalLabels } from '../../rdf/canonical.ts'
import { toLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { computedOn, dqv, prov, rdf } from '../../rdf/namespaces.ts'
import { closure, type Graph, graphOf, keyOf } from '../../rdf/read.ts'
import { skolemise } from '../../rdf/skolem.ts'
import { inDefaultGraph, literal, namedNode, quad } from '../../rdf/terms.ts'
import { prune, tooManyTriples, restoreBlankNodes, rename } from './own-content.ts'
import type { RepositoryContext } from '../repository-context.ts'

/** IRI of the metrics graph, and the resources that it may measure: the dataset and its distributions. */
type MeasurableResources = { readonly iri: string; readonly resources: ReadonlySet<string> }

/** Metrics may have five times the triples of a dataset: those of a distribution of four triples are more than seventy. */
const triplesFactor = 5

/** Metrics graph: the lines to store, and the same triples with blank nodes. */
type MetricsGraph = { readonly content: string; readonly scores: readonly Quad[] }

/**
 * Makes the graph; `datasetLines` is the stored graph of the dataset as N-Triples. Fails with `ambiguous-subject`,
 * `invalid-content`, `too-large` and `too-complex`.
 */
export async function metricsGraph(
  { names, triples, canonical }: Pick<RepositoryContext, 'names' | 'triples' | 'canonical'>,
  dataset: string,
  datasetLines: string,
  sent: readonly Quad[],
): Promise<MetricsGraph> {
  const iri = names.metrics(dataset)
  const measured = { iri, resources: resourcesIn(datasetLines, names.dataset(dataset), names) }
  const body = restoreBlankNodes(sent, names, [iri])
  const maxTriples = triples * triplesFactor
  const quads = metricsContent(body, measured, names)
  if (quads.length > maxTriples)
    throw tooManyTriples(quads.length, maxTriples, `${triplesFactor} times the `)
  const labels = await canonicalLabels(quads.map(withoutVolatileValue), { work: canonical?.work })
  const content = toLines(skolemise(quads, { genid: names.genid(iri), labels }))
  return { content, scores: quads }
}

/** Returns the dataset and its distributions, including those linked by `adms:sample`, from the lines without parsing them. */
function resourcesIn(lines: string, dataset: string, names: Names): ReadonlySet<string> {
  const resources = new Set([dataset])
  const start = `<${names.distribution('')}`
  for (let at = lines.indexOf(start); at >= 0; at = lines.indexOf(start, at + 1)) {
    const end = lines.indexOf('>', at)
    // A literal may contain anything, but neither begins nor ends a line.
    const isSubject = at === 0 || lines[at - 1] === '\n'
    const isObject = lines[at - 1] === ' ' && lines.startsWith('> .\n', end)
    const iri = lines.slice(at + 1, end)
    if ((isSubject || isObject) && names.idOf('distribution', iri) !== undefined) resources.add(iri)
  }
  return resources
}

// Selection of the quality metadata of one dataset from a body (W3C Data Quality Vocabulary).

const type = rdf('type').value
const metadataClass = dqv('QualityMetadata').value
const measurementClass = dqv('QualityMeasurement').value
const hasMetadata = dqv('hasQualityMetadata').value
const hasMeasurement = dqv('hasQualityMeasurement').value
const isMeasurementOf = dqv('isMeasurementOf').value

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
  const graph = graphOf(quads)
  const selected = ownMeasurements(graph, names, { resources, node, iri })
  const ownGraph = selected.length === quads.length ? graph : graphOf(selected)
  const metadataQuads = new Set(node ? closure(ownGraph, node) : [])
  // Metadata without a measurement counts as empty.
  if (selected.every((q) => metadataQuads.has(q) || q.predicate.value === hasMetadata))
    throw noMeasurements()
  if (!node) return [...selected, quad(namedNode(iri), rdf('type'), dqv('QualityMetadata'))]
  return rename(selected, new Map([[keyOf(node), iri]]))
}

/** Returns the only graph with a metadata node, else the only named graph, else the default graph; may be `ambiguous-subject`. */
function singleGraph(body: readonly Quad[]): readonly Quad[] {
  const graphs = Map.groupBy(body, (q) => keyOf(q.graph))
  const graphsWithMetadata = [...graphs].filter(([, quads]) => quads.some(isMetadata))
  if (graphsWithMetadata.length > 1)
    throw ambiguousMetrics(`${graphsWithMetadata.length} graphs hold a dqv:QualityMetadata`)
  const named = [...graphs].filter(
    ([, [first]]) => first && first.graph.termType !== 'DefaultGraph',
  )
  const onlyNamed = named.length === 1 ? named[0] : undefined
  const fallback = onlyNamed?.[1] ?? body.filter((q) => q.graph.termType === 'DefaultGraph')
  const quads = graphsWithMetadata[0]?.[1] ?? fallback
  return quads.map(inDefaultGraph)
}

const isMetadata = ({ predicate, object }: Quad): boolean =>
  predicate.value === type && object.value === metadataClass

/** Returns the metadata node, if any, of several the one with `iri`; a measured resource cannot be the metadata node. */
function metadataNode(
  quads: readonly Quad[],
  iri: string,
  resources: ReadonlySet<string>,
): Quad_Subject | undefined {
  const nodes = new Map(quads.filter(isMetadata).map((q) => [keyOf(q.subject), q.subject]))
  for (const resource of resources) nodes.delete(resource)
  const platformNode = nodes.get(iri)
  if (platformNode || nodes.size === 0) return platformNode
  const [only, ...others] = nodes.values()
  if (others.length > 0)
    throw ambiguousMetrics(`the body describes ${nodes.size} dqv:QualityMetadata nodes`)
  return only
}

/** Resources that may be measured, and the node of the metadata, if the body has one; statements about these are kept. */
type MetricsNodes = MeasurableResources & { readonly node: Term | undefined }

/** Returns the body without measurements and descriptions of other resources of the platform. */
function ownMeasurements(
  graph: Graph,
  names: Names,
  { resources, node, iri }: MetricsNodes,
): Quad[] {
  const quads = graph.quads()
  const nodeKey = node && keyOf(node)
  const foreign = foreignMeasurements(quads, graph, resources)
  const isOtherResource = (key: string) =>
    names.owns(key) && key !== iri && key !== nodeKey && !resources.has(key)
  return prune(quads, ({ subject, predicate, object }) => {
    const key = keyOf(subject)
    if (predicate.value === hasMetadata && !resources.has(key)) return true
    return foreign.has(key) || foreign.has(keyOf(object)) || isOtherResource(key)
  })
}

/** Finds measurements of other resources; one without a target belongs to the resource that links it. */
function foreignMeasurements(
  quads: readonly Quad[],
  graph: Graph,
  resources: ReadonlySet<string>,
): ReadonlySet<string> {
  const linkingByMeasurement = new Map<string, Set<string>>()
  const linkingNodes = (measurement: string) => {
    const nodes = linkingByMeasurement.get(measurement) ?? new Set<string>()
    linkingByMeasurement.set(measurement, nodes)
    return nodes
  }
  for (const { subject, predicate, object } of quads) {
    if (predicate.value === hasMeasurement) linkingNodes(keyOf(object)).add(keyOf(subject))
    const isTyped = predicate.value === type && object.value === measurementClass
    if (isTyped || predicate.value === isMeasurementOf) linkingNodes(keyOf(subject))
  }
  const isForeign = (measurement: string, linking: ReadonlySet<string>) => {
    const targets = computedOn.flatMap((name) => graph.objects(measurement, name)).map(keyOf)
    return ![...(targets.length > 0 ? targets : linking)].some((target) => resources.has(target))
  }
  return new Set(
    [...linkingByMeasurement].filter(([node, linking]) => isForeign(node, linking)).map(([k]) => k),
  )
}

const ambiguousMetrics = (detail: string) =>
  new Failure('ambiguous-subject', `${detail}; a dataset has exactly one`)

const noMeasurements = () =>
  new Failure(
    'invalid-content',
    'the body measures neither this dataset nor one of its distributions',
  )

/** Predicates whose values change from one measurement to the next. */
const volatilePredicates: ReadonlySet<string> = new Set([
  prov('generatedAtTime').value,
  dqv('value').value,
])

const emptied = literal('')

/** Empties a value that changes from one measurement to the next, so that blank nodes get the same labels each time. */
const withoutVolatileValue = (q: Quad): Quad =>
  volatilePredicates.has(q.predicate.value) && q.object.termType === 'Literal'
    ? quad(q.subject, q.predicate, emptied)
    : q
