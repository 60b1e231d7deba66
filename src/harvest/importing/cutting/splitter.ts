/** Cuts one resource out of a spooled document: everything that can be reached from it, up to the next resource. */

import { joinLines, termText } from '../../../rdf/lines.ts'
import { dcat, rdf, skos } from '../../../rdf/namespaces.ts'
import { areOfAgent, type DescribedNode, type Spool } from './spool.ts'

/** A resource that was cut out of a document. */
export type ResourceExtract = {
  /** N-Triples, sorted, without doubles. */
  readonly body: string
  /** The lines of the root alone, as the document has them. */
  readonly own: string
  /** Blank nodes typed as dataset that stand inside this one. */
  readonly nested: readonly string[]
}

/** Bounds of a closure; unbounded where absent. */
export type ExtractBounds = {
  /** Steps from the root to the last node that is described. */
  readonly depth?: number
  /** The only predicates that are kept of a concept, as IRIs. */
  readonly ofConcepts?: ReadonlySet<string>
  /** Whether a node that the root's graph and the default graph do not describe is looked for in the other graphs. */
  readonly acrossGraphs?: boolean
}

/** Most triples that the repository takes for one resource. */
const mostTriples = 200_000
/** From so many datasets on, a data service names only the dataset that it is copied into. */
const manyDatasets = 100

const typeLine = (term: { termType: 'NamedNode'; value: string }) =>
  ` ${termText(rdf('type'))} <${term.value}> .\n`
const boundaries = [dcat('Catalog'), dcat('CatalogRecord'), skos('ConceptScheme')].map(typeLine)
const datasets = [dcat('Dataset'), dcat('DatasetSeries')].map(typeLine)
const concept = typeLine(skos('Concept'))
const servesDataset = ` ${termText(dcat('servesDataset'))} `

const holds = (lines: string, needles: readonly string[]) =>
  needles.some((needle) => lines.includes(needle))

/** The object of an N-Triples line when it is a node, else `undefined`. Subject and predicate hold no blanks. */
export function nodeOf(line: string): string | undefined {
  const start = line.indexOf(' ', line.indexOf(' ') + 1) + 1
  const first = line[start]
  return first === '<' || first === '_' ? line.slice(start, -2) : undefined
}

/**
 * The closure of a root over objects, in the root's graph and, where that says nothing, in the default graph, then, with
 * `acrossGraphs`, in another one. Other datasets, catalogues, records and concept schemes end it, concepts keep their own lines; what
 * several resources share is copied into each. `undefined` when it exceeds what a repository takes.
 */
export function extractResource(
  spool: Spool,
  root: DescribedNode,
  bounds: ExtractBounds = {},
): ResourceExtract | undefined {
  const own = spool.describe(root)
  const found = linesOf(own)
  const nested: string[] = []
  const queue = newNodes(found, new Set([root.term]))
  const seen = new Set([root.term, ...queue])
  const depths = queue.map(() => 1)
  for (const [at, term] of queue.entries()) {
    const near = describe(spool, term, root.graph)
    const lines = near === '' && bounds.acrossGraphs ? spool.describeInAny(term) : near
    if (lines === '' || isOtherResource(spool, term, lines)) continue
    if (term.startsWith('_') && holds(lines, datasets)) nested.push(term)
    const isConcept = lines.includes(concept)
    const about = without(isConcept ? ofConcept(linesOf(lines), bounds) : linesOf(lines), root.term)
    for (const line of about) found.push(line)
    if (found.length > mostTriples) return undefined
    const depth = (depths[at] ?? 0) + 1
    if (depth > (bounds.depth ?? Infinity)) continue
    for (const node of newNodes(about, seen)) {
      if (isConcept && node[0] !== '_') continue
      queue.push(node)
      depths.push(depth)
    }
  }
  return { body: joined(found), own, nested }
}

function describe(spool: Spool, term: string, graph: string): string {
  const lines = spool.describe({ term, graph })
  return lines === '' && graph !== '' ? spool.describe({ term, graph: '' }) : lines
}

/** Whether a node is a resource of its own. A blank dataset is one only when a catalogue links it. */
function isOtherResource(spool: Spool, term: string, lines: string): boolean {
  if (!holds(lines, boundaries) && !holds(lines, datasets)) return false
  const kind = spool.kindOf(term, lines)
  if (kind === 'distribution') return false
  if (kind === 'dataset') return !term.startsWith('_') || spool.cataloguesOf(term).length > 0
  // A publisher that is also a catalogue is described with each of its datasets.
  return !areOfAgent(lines)
}

function ofConcept(lines: string[], { ofConcepts }: ExtractBounds): string[] {
  if (!ofConcepts) return lines
  return lines.filter((line) => {
    const start = line.indexOf(' ') + 2
    return ofConcepts.has(line.slice(start, line.indexOf('>', start)))
  })
}

const linesOf = (lines: string): string[] => {
  const all = lines.split('\n')
  all.pop()
  return all
}

/** Nodes that lines point to and that nobody has seen yet; they count as seen from now on. */
function newNodes(lines: readonly string[], seen: Set<string>): string[] {
  const nodes: string[] = []
  for (const line of lines) {
    const node = nodeOf(line)
    if (node === undefined || seen.has(node)) continue
    seen.add(node)
    nodes.push(node)
  }
  return nodes
}

/** One map service of a thousand datasets would make a million links out of a thousand. */
function without(lines: string[], root: string): string[] {
  const isOther = (line: string) => line.includes(servesDataset) && nodeOf(line) !== root
  const others = lines.filter(isOther).length
  return others < manyDatasets ? lines : lines.filter((line) => !isOther(line))
}

function joined(lines: string[]): string {
  return joinLines(lines.sort().filter((line, at) => line !== lines[at - 1]))
}

// The datasets of a spooled document that stand by themselves, cut out one after the other.

/** Without a piece the dataset is larger than a repository takes. */
export type DatasetExtract = { readonly place: DescribedNode; readonly piece?: ResourceExtract }

/**
 * Every dataset, in the order of the document. Blank nodes come last and only when they stand by themselves: one that
 * another dataset contains travels with that one.
 */
export function* extractDatasets(
  spool: Spool,
  bounds?: ExtractBounds,
): Generator<DatasetExtract, void> {
  const catalogues = new Set(spool.catalogues().map((place) => place.term))
  const contained = new Set<string>()
  const blanks: DescribedNode[] = []
  const standing = (place: DescribedNode): DatasetExtract[] => {
    const piece = extractResource(spool, place, bounds)
    const own = piece?.own ?? spool.describe(place)
    if (spool.kindOf(place.term, own) !== 'dataset') return []
    for (const term of piece?.nested ?? []) contained.add(term)
    return [piece ? { place, piece } : { place }]
  }
  for (const place of spool.datasets()) {
    if (catalogues.has(place.term)) continue
    if (place.term.startsWith('_')) blanks.push(place)
    else yield* standing(place)
  }
  for (const place of blanks) if (!contained.has(place.term)) standing(place)
  for (const place of blanks) {
    const isLinked = spool.cataloguesOf(place.term).length > 0
    if (!contained.has(place.term) || isLinked) yield* standing(place)
  }
}
