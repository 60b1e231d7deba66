/** Extracts resources from a document in a spool: all nodes reachable from each, up to the next resource. */

import { joinDistinct, termText } from '../../../rdf/lines.ts'
import { dcat, rdf, skos } from '../../../rdf/namespaces.ts'
import { areOfAgent, type DescribedNode, type Spool } from './spool.ts'

/** A resource extracted from a document. */
export type ResourceExtract = {
  /** Sorted, distinct N-Triples. */
  readonly body: string
  /** Lines of the root node alone, as in the document. */
  readonly rootLines: string
  /** Nested blank nodes typed as dataset. */
  readonly nested: readonly string[]
}

/** Bounds of an extract; unbounded by default. */
export type ExtractBounds = {
  /** Maximum number of steps from the root to a described node. */
  readonly depth?: number
  /** IRIs of the predicates that are kept of concepts. */
  readonly conceptPredicates?: ReadonlySet<string>
  /** Whether to search other graphs for nodes that neither the root's graph nor the default graph describe. */
  readonly acrossGraphs?: boolean
}

/** Maximum number of triples that the repository accepts for one resource. */
const mostTriples = 200_000
/** Number of datasets from which a data service keeps only the link to the current dataset. */
const manyDatasets = 100

const typeLine = (term: { termType: 'NamedNode'; value: string }) =>
  ` ${termText(rdf('type'))} <${term.value}> .\n`
const boundaryTypes = [dcat('Catalog'), dcat('CatalogRecord'), skos('ConceptScheme')].map(typeLine)
const datasetTypes = [dcat('Dataset'), dcat('DatasetSeries')].map(typeLine)
const conceptType = typeLine(skos('Concept'))
const servesDataset = ` ${termText(dcat('servesDataset'))} `

const hasAny = (lines: string, needles: readonly string[]) =>
  needles.some((needle) => lines.includes(needle))

/** Object of an N-Triples line if it is a node, else `undefined`. Subject and predicate contain no blanks. */
export function nodeOf(line: string): string | undefined {
  const start = line.indexOf(' ', line.indexOf(' ') + 1) + 1
  const first = line[start]
  return first === '<' || first === '_' ? line.slice(start, -2) : undefined
}

/**
 * Extracts the nodes reachable from a root, from the root's graph, else the default graph, else (with `acrossGraphs`) another
 * one. Other datasets, catalogues, records and concept schemes end it; concepts keep their own lines; shared nodes are
 * copied. `undefined` if it exceeds what a repository accepts.
 */
export function extractResource(
  spool: Spool,
  root: DescribedNode,
  bounds: ExtractBounds = {},
): ResourceExtract | undefined {
  const rootLines = spool.describe(root)
  const bodyLines = linesOf(rootLines)
  const nested: string[] = []
  const queue = newNodes(bodyLines, new Set([root.term]))
  const visited = new Set([root.term, ...queue])
  const depths = queue.map(() => 1)
  for (const [index, term] of queue.entries()) {
    const nearLines = describe(spool, term, root.graph)
    const lines = nearLines === '' && bounds.acrossGraphs ? spool.describeInAny(term) : nearLines
    if (lines === '' || isOtherResource(spool, term, lines)) continue
    if (term.startsWith('_') && hasAny(lines, datasetTypes)) nested.push(term)
    const isConcept = lines.includes(conceptType)
    const kept = withoutOtherLinks(
      isConcept ? conceptLines(linesOf(lines), bounds) : linesOf(lines),
      root.term,
    )
    for (const line of kept) bodyLines.push(line)
    if (bodyLines.length > mostTriples) return undefined
    const depth = (depths[index] ?? 0) + 1
    if (depth > (bounds.depth ?? Infinity)) continue
    for (const node of newNodes(kept, visited)) {
      if (isConcept && node[0] !== '_') continue
      queue.push(node)
      depths.push(depth)
    }
  }
  return { body: joinDistinct(bodyLines), rootLines, nested }
}

function describe(spool: Spool, term: string, graph: string): string {
  const lines = spool.describe({ term, graph })
  return lines === '' && graph !== '' ? spool.describe({ term, graph: '' }) : lines
}

/** Whether a node is another resource. A blank dataset is one only if a catalogue links it. */
function isOtherResource(spool: Spool, term: string, lines: string): boolean {
  if (!hasAny(lines, boundaryTypes) && !hasAny(lines, datasetTypes)) return false
  const kind = spool.kindOf(term, lines)
  if (kind === 'distribution') return false
  if (kind === 'dataset') return !term.startsWith('_') || spool.cataloguesOf(term).length > 0
  // A publisher that is also typed as catalogue is copied into each of its datasets.
  return !areOfAgent(lines)
}

function conceptLines(lines: string[], { conceptPredicates }: ExtractBounds): string[] {
  if (!conceptPredicates) return lines
  return lines.filter((line) => {
    const start = line.indexOf(' ') + 2
    return conceptPredicates.has(line.slice(start, line.indexOf('>', start)))
  })
}

const linesOf = (lines: string): string[] => {
  const split = lines.split('\n')
  split.pop()
  return split
}

/** Nodes referenced by lines that were not seen before; marks them as seen. */
function newNodes(lines: readonly string[], visited: Set<string>): string[] {
  const nodes: string[] = []
  for (const line of lines) {
    const node = nodeOf(line)
    if (node === undefined || visited.has(node)) continue
    visited.add(node)
    nodes.push(node)
  }
  return nodes
}

/** Removes links of a service to other datasets: a service of a thousand datasets would otherwise add a million links. */
function withoutOtherLinks(lines: string[], root: string): string[] {
  const isOtherLink = (line: string) => line.includes(servesDataset) && nodeOf(line) !== root
  const otherLinks = lines.filter(isOtherLink).length
  return otherLinks < manyDatasets ? lines : lines.filter((line) => !isOtherLink(line))
}

// Extraction of all datasets.

/** A dataset and its extract; without `piece` it is larger than a repository accepts. */
export type DatasetExtract = { readonly place: DescribedNode; readonly piece?: ResourceExtract }

/**
 * Extracts every dataset in document order. Blank nodes come last, and only if they are not nested in another dataset or a
 * catalogue links them.
 */
export function* extractDatasets(
  spool: Spool,
  bounds?: ExtractBounds,
): Generator<DatasetExtract, void> {
  const catalogues = new Set(spool.catalogues().map((place) => place.term))
  const nestedTerms = new Set<string>()
  const blanks: DescribedNode[] = []
  const extractsAt = (place: DescribedNode): DatasetExtract[] => {
    const piece = extractResource(spool, place, bounds)
    const rootLines = piece?.rootLines ?? spool.describe(place)
    if (spool.kindOf(place.term, rootLines) !== 'dataset') return []
    for (const term of piece?.nested ?? []) nestedTerms.add(term)
    return [piece ? { place, piece } : { place }]
  }
  for (const place of spool.datasets()) {
    if (catalogues.has(place.term)) continue
    if (place.term.startsWith('_')) blanks.push(place)
    else yield* extractsAt(place)
  }
  for (const place of blanks) if (!nestedTerms.has(place.term)) extractsAt(place)
  for (const place of blanks) {
    const isLinked = spool.cataloguesOf(place.term).length > 0
    if (!nestedTerms.has(place.term) || isLinked) yield* extractsAt(place)
  }
}
