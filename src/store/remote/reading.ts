/** Reads graphs of a remote store as they were written: content, spelling notes and the mark of an unfinished write in one query. */

import { Failure } from '../../errors.ts'
import { ctl, dcat, systemGraph } from '../../rdf/namespaces.ts'
import { inParallel } from '../../workers/in-parallel.ts'
import { checkGraph, prefixOf } from '../graph-lines.ts'
import type { Dialect, StoreEndpoint } from './dialect.ts'
import { applyNotes, digestOf, linesOf, noteIn } from './spelling-notes.ts'

/** Whether a line (with or without its line end) is a link of the graph, and not content. */
export type LinkRule = (graph: string, line: string) => boolean

/** IRIs of the predicates by which a catalogue links its members. */
export const linkPredicates: readonly string[] = [dcat('dataset').value, dcat('record').value]

/**
 * Rule for links: every line of the system graph, and in the graph of a catalogue its links to datasets and records.
 */
export function linkRule(isCatalogue: (graph: string) => boolean): LinkRule {
  return (graph, line) => {
    if (graph === systemGraph) return true
    if (!isCatalogue(graph)) return false
    return linkPredicates.some((predicate) => line.startsWith(`<${graph}> <${predicate}> <`))
  }
}

/** Whether a graph can have links, so that reading its content alone has to leave them out. */
const mayHaveLinks = (graph: string, isLink: LinkRule): boolean =>
  isLink(graph, `<${graph}> <${linkPredicates[0]}> <urn:x> .`)

/** Lines of a graph as the platform wrote them, with the links if these were requested. */
export type Content = {
  readonly lines: ReadonlySet<string>
  /** Notes of the graph (`spelling-notes.ts`). */
  readonly notes: readonly string[]
}

type Lines = ReadonlySet<string>

/** Dependencies for reading graphs. */
export type GraphReading = {
  readonly dialect: Dialect
  readonly endpoint: StoreEndpoint
  readonly isLink: LinkRule
  /** Lines from which an answer may be truncated; `undefined` if it never is. */
  readonly rows: number | undefined
  /** Finishes interrupted writes of a graph; absent for readers, which wait for its writer. */
  readonly finish?: (graph: string) => Promise<unknown>
  /** Reads a graph while no write of it runs; absent where commits are atomic for readers, and for writers. */
  readonly withoutWriters?: (graph: string, read: () => Promise<Lines>) => Promise<Lines>
  /** Whether parts of a commit of another process may be read, so that a content is compared with its digest. */
  readonly isChecked?: boolean
}

/** Graph to be read, with or without its links. */
export type GraphRequest = { readonly graph: string; readonly links: boolean }

const [spellingProperty, writingProperty] = [ctl('spelling').value, ctl('writing').value]

const memberLinkCondition = (graph: string) =>
  `?s = <${graph}> && ?p IN (${linkPredicates.map((iri) => `<${iri}>`).join(', ')})`

/** SPARQL pattern of a graph, with a filter for its links unless these are requested. */
function patternOf({ graph, links }: GraphRequest, isLink: LinkRule): string {
  const pattern = `GRAPH <${graph}> { ?s ?p ?o }`
  return links || !mayHaveLinks(graph, isLink)
    ? pattern
    : `${pattern} FILTER(!(${memberLinkCondition(graph)}))`
}

function queryOf(request: GraphRequest, { dialect, isLink }: GraphReading): string {
  const facts = [`<${request.graph}> <${spellingProperty}> ?note`]
  if (dialect.usesStaging) facts.push(`<${request.graph}> <${writingProperty}> ?staging`)
  const factPatterns = facts.map((fact) => `UNION { GRAPH <${systemGraph}> { ${fact} } }`)
  return (
    `CONSTRUCT { ?s ?p ?o . ${facts.join(' . ')} } ` +
    `WHERE { { ${patternOf(request, isLink)} } ${factPatterns.join(' ')} }`
  )
}

const writingMarkPrefix = (graph: string) => `<${graph}> <${writingProperty}> `

/** Separates content and notes; `undefined` while a staged write of the graph is unfinished. */
function contentOf(
  graph: string,
  answerLines: ReadonlySet<string>,
  { dialect }: Pick<GraphReading, 'dialect'>,
): Content | undefined {
  const { fidelity } = dialect
  const [lines, notes] = [new Set<string>(), new Array<string>()]
  const isPlain = graph !== systemGraph
  for (const line of answerLines) {
    const note = line.includes(spellingProperty) ? noteIn(graph, line) : undefined
    if (note !== undefined) notes.push(note)
    else if (dialect.usesStaging && isPlain && line.startsWith(writingMarkPrefix(graph)))
      return undefined
    else if (isPlain || !prefixOf(line).endsWith(` <${spellingProperty}> `))
      lines.add(fidelity.decode(line))
  }
  return { lines: applyNotes(lines, notes, fidelity), notes }
}

/** Most attempts to read a graph that is being written, and milliseconds between two of them. */
const maxWaits = 50
const waitMs = 100

/** Whether a content is as one write left it. */
function isWhole(graph: string, { lines, notes }: Content, { isChecked, isLink }: GraphReading) {
  if (!isChecked || graph === systemGraph) return true
  return notes.includes(digestOf([...lines].filter((line) => !isLink(graph, line))))
}

/** Equal readings in a row after which a content without a fitting digest is taken as whole: another program has written it. */
const enoughReadings = 3

/**
 * Reads the content of a graph; waits about 5 s for an unfinished write or for a commit of another process, then throws
 * `store-unavailable`.
 */
export async function readContent(
  request: GraphRequest,
  reading: GraphReading,
  signal?: AbortSignal,
): Promise<Content> {
  checkGraph(request.graph)
  const query = queryOf(request, reading)
  const answer = () => wholeAnswer(query, reading, signal)
  const { withoutWriters = (_, read) => read() } = reading
  let [before, equalReadings]: [Content | undefined, number] = [undefined, 1]
  for (let remainingWaits = maxWaits; remainingWaits > 0; remainingWaits -= 1) {
    const content = contentOf(request.graph, await withoutWriters(request.graph, answer), reading)
    if (content && isWhole(request.graph, content, reading)) return content
    equalReadings = content && before && haveEqualLines(content, before) ? equalReadings + 1 : 1
    if (content && equalReadings === enoughReadings) return content
    before = content
    signal?.throwIfAborted()
    if (remainingWaits === maxWaits && reading.finish) await reading.finish(request.graph)
    else await reading.endpoint.pause(waitMs)
  }
  throw new Failure('store-unavailable', 'The graph is being written.', { retryAfter: 2 })
}

async function wholeAnswer(
  query: string,
  reading: GraphReading,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const lines = linesOf(await reading.endpoint.construct(query, signal))
  const { rows } = reading
  if (rows === undefined || lines.size < rows) return lines
  return pagedGraph(query, reading.endpoint, { page: Math.ceil(rows / 2), signal })
}

const haveEqualLines = ({ lines }: Content, other: Content) =>
  lines.size === other.lines.size && lines.isSubsetOf(other.lines)

/** Text of a graph: content before links (if `links`), each sorted; `undefined` if there is no such line. */
export function contentText(
  { lines }: Content,
  { graph, links }: GraphRequest,
  isLink: LinkRule,
): string | undefined {
  if (lines.size === 0) return undefined
  const parts = Map.groupBy([...lines].sort(), (line) => isLink(graph, line))
  const lineList = [...(parts.get(false) ?? []), ...(links ? (parts.get(true) ?? []) : [])]
  return lineList.length === 0 ? undefined : `${lineList.join('\n')}\n`
}

// Reads graphs that are too long for one answer of a store that truncates answers silently.

/** Size of a page in rows. */
type Paging = { readonly page: number; readonly signal?: AbortSignal | undefined }

const maxTries = 3

/** Template and pattern of a query by `queryOf`. */
function partsOf(query: string) {
  const at = query.indexOf('WHERE {')
  return { template: query.slice(0, at), pattern: query.slice(at + 'WHERE '.length) }
}

const variables = '?s ?p ?o ?note ?staging'

// The limit is outside of the sub-select, because Virtuoso sorts at most 10,000 rows together with a limit.
function pageOf(query: string, limit: number, offset: number): string {
  const { template, pattern } = partsOf(query)
  const ordered = `SELECT ${variables} WHERE ${pattern} ORDER BY ${variables}`
  return `${template} WHERE { { ${ordered} } } LIMIT ${limit} OFFSET ${offset}`
}

async function countOf(
  query: string,
  { endpoint, signal }: { endpoint: StoreEndpoint } & Paging,
): Promise<number> {
  const count = `SELECT (COUNT(*) AS ?n) WHERE ${partsOf(query).pattern}`
  const [row] = await endpoint.select(count, signal)
  return Number(row?.['n']?.value)
}

/**
 * Reads all lines of a query by `queryOf` in pages. They are complete when the store counts as many lines before and after. Throws
 * `store-unavailable` for a graph that keeps changing.
 */
export async function pagedGraph(
  query: string,
  endpoint: StoreEndpoint,
  { page, signal }: Paging,
): Promise<ReadonlySet<string>> {
  for (let remainingTries = maxTries; remainingTries > 0; remainingTries -= 1) {
    const before = await countOf(query, { endpoint, page, signal })
    const lines = new Set<string>()
    for (let offset = 0; offset < before; offset += page) {
      for (const line of linesOf(await endpoint.construct(pageOf(query, page, offset), signal))) {
        lines.add(line)
      }
    }
    const after = await countOf(query, { endpoint, page, signal })
    if (before === after && lines.size === after) return lines
  }
  throw new Failure('store-unavailable', 'The graph changes while it is read.', { retryAfter: 1 })
}

// Reads many graphs: by queries for the quads of many where the store supports it, otherwise each by a query, a few at a time.

type GraphsRequest = { readonly graphs: readonly string[]; readonly links: boolean }

/** Most graphs of one query of quads, and most reads at the same time. */
const maxGraphsPerQuery = 100
const maxReadsAtOnce = 6

/** Query for the quads of several graphs. */
function quadsQuery(graphs: readonly string[]): string {
  const values = `VALUES ?g { ${graphs.map((graph) => `<${graph}>`).join(' ')} }`
  const note = `?g <${ctl('spelling').value}> ?note`
  return (
    `CONSTRUCT { GRAPH ?g { ?s ?p ?o . ${note} } } ` +
    `WHERE { ${values} { GRAPH ?g { ?s ?p ?o } } UNION { GRAPH <${systemGraph}> { ${note} } } }`
  )
}

/** Splits `<s> <p> o <g> .` into the name of the graph and the line of the triple. */
function splitQuad(line: string): readonly [graph: string, triple: string] {
  const at = line.lastIndexOf(' <')
  return [line.slice(at + 2, -3), `${line.slice(0, at)} .`]
}

async function readQuads(
  graphs: readonly string[],
  reading: GraphReading,
  signal: AbortSignal | undefined,
): Promise<[string, Content | undefined][]> {
  const answer = await reading.endpoint.construct(quadsQuery(graphs), signal)
  const lines = new Map(graphs.map((graph) => [graph, new Array<string>()]))
  for (const quad of answer.split('\n')) {
    const [graph, line] = splitQuad(quad)
    lines.get(graph)?.push(line)
  }
  return [...lines].map(([graph, graphLines]) => {
    return [graph, contentOf(graph, linesOf(graphLines.join('\n')), reading)]
  })
}

/** Reads the contents of graphs; absent graphs have no lines. */
export async function readMany(
  { graphs, links }: GraphsRequest,
  reading: GraphReading,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Content>> {
  for (const graph of graphs) checkGraph(graph)
  const contents = new Map<string, Content>()
  const { dialect, isLink } = reading
  const hasQuadQueries =
    dialect.constructsQuads && !dialect.usesStaging && reading.rows === undefined
  // Graphs whose links are to be left out are read alone, because the number of links has no limit.
  const isReadWithOthers = (graph: string) =>
    hasQuadQueries && (links || !mayHaveLinks(graph, isLink))
  const { true: combined = [], false: single = [] } = Object.groupBy(new Set(graphs), (graph) =>
    isReadWithOthers(graph) ? 'true' : 'false',
  )
  const batches = Array.from({ length: Math.ceil(combined.length / maxGraphsPerQuery) }, (_, at) =>
    combined.slice(at * maxGraphsPerQuery, (at + 1) * maxGraphsPerQuery),
  )
  const forEachInParallel = async <Item>(
    items: readonly Item[],
    work: (item: Item) => Promise<void>,
  ) => inParallel(items, work, { atOnce: maxReadsAtOnce, signal })
  await forEachInParallel(batches, async (batch) => {
    for (const [graph, content] of await readQuads(batch, reading, signal)) {
      if (content) contents.set(graph, content)
    }
  })
  await forEachInParallel(single, async (graph) => {
    contents.set(graph, await readContent({ graph, links }, reading, signal))
  })
  return contents
}
