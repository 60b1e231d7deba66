/** Reads graphs as they were written: content, spelling notes and the sign of an unfinished write in one query. */

import { Failure } from '../../errors.ts'
import { ctl, dcat, systemGraph } from '../../rdf/namespaces.ts'
import { inParallel } from '../../workers/in-parallel.ts'
import { checkGraph, prefixOf } from '../graph-lines.ts'
import type { Dialect, StoreEndpoint } from './dialect.ts'
import { linesOf, notedLine, respelled } from './spelling-notes.ts'

/** Whether a line (with or without its line end) is a link of the graph, and not content. */
export type LinkRule = (graph: string, line: string) => boolean

/** The predicates by which a catalogue names its members. */
export const linkPredicates: readonly string[] = [dcat('dataset').value, dcat('record').value]

/**
 * Every line of the system graph, and in a catalogue's graph the lines by which the catalogue itself names its datasets
 * and records.
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

/** What is in a graph, in our spelling. */
export type Content = {
  readonly lines: ReadonlySet<string>
  /** Lines that have a note. */
  readonly notes: readonly string[]
}

export type GraphReading = {
  readonly dialect: Dialect
  readonly endpoint: StoreEndpoint
  readonly isLink: LinkRule
  /** Lines from which an answer may have been cut. */
  readonly rows: number | undefined
  /** Finishes what a crash left of a graph; absent for those who may only wait for its writer. */
  readonly finish?: (graph: string) => Promise<unknown>
  /** Reads a graph while nobody writes it; absent where a read sees all of a write or nothing by itself. */
  readonly apart?: <T>(graph: string, read: () => Promise<T>) => Promise<T>
}

export type GraphRequest = { readonly graph: string; readonly links: boolean }

const [spelling, writing] = [ctl('spelling').value, ctl('writing').value]

const isOwnMember = (graph: string) =>
  `?s = <${graph}> && ?p IN (${linkPredicates.map((iri) => `<${iri}>`).join(', ')})`

/** The pattern of a graph; without its links where it may have some. */
function patternOf({ graph, links }: GraphRequest, isLink: LinkRule): string {
  const pattern = `GRAPH <${graph}> { ?s ?p ?o }`
  return links || !mayHaveLinks(graph, isLink)
    ? pattern
    : `${pattern} FILTER(!(${isOwnMember(graph)}))`
}

function queryOf(wanted: GraphRequest, { dialect, isLink }: GraphReading): string {
  const facts = [`<${wanted.graph}> <${spelling}> ?note`]
  if (dialect.stages) facts.push(`<${wanted.graph}> <${writing}> ?staging`)
  const noted = facts.map((fact) => `UNION { GRAPH <${systemGraph}> { ${fact} } }`)
  return (
    `CONSTRUCT { ?s ?p ?o . ${facts.join(' . ')} } ` +
    `WHERE { { ${patternOf(wanted, isLink)} } ${noted.join(' ')} }`
  )
}

const signOf = (graph: string) => `<${graph}> <${writing}> `

/** Tells content from notes; `undefined` when the graph is being written in several steps. */
function contentOf(
  graph: string,
  all: ReadonlySet<string>,
  { dialect }: Pick<GraphReading, 'dialect'>,
): Content | undefined {
  const { fidelity } = dialect
  const [lines, notes] = [new Set<string>(), new Array<string>()]
  const isPlain = graph !== systemGraph
  for (const line of all) {
    const note = line.includes(spelling) ? notedLine(graph, line) : undefined
    if (note !== undefined) notes.push(note)
    else if (dialect.stages && isPlain && line.startsWith(signOf(graph))) return undefined
    else if (isPlain || !prefixOf(line).endsWith(` <${spelling}> `))
      lines.add(fidelity.decode(line))
  }
  return { lines: respelled(lines, notes, fidelity), notes }
}

const waits = 50
const waitMs = 100

/** The content of a graph; waits up to 5 s for an unfinished write, then gives store-unavailable. */
export async function readContent(
  wanted: GraphRequest,
  reading: GraphReading,
  signal?: AbortSignal,
): Promise<Content> {
  checkGraph(wanted.graph)
  const query = queryOf(wanted, reading)
  const answer = () => wholeAnswer(query, reading, signal)
  const { apart = (_, read) => read() } = reading
  for (let left = waits; left > 0; left -= 1) {
    const content = contentOf(wanted.graph, await apart(wanted.graph, answer), reading)
    if (content) return content
    signal?.throwIfAborted()
    if (left === waits && reading.finish) await reading.finish(wanted.graph)
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

/** Content before links, each sorted, with line ends; `undefined` for nothing. */
export function contentText(
  { lines }: Content,
  { graph, links }: GraphRequest,
  isLink: LinkRule,
): string | undefined {
  if (lines.size === 0) return undefined
  const parts = Map.groupBy([...lines].sort(), (line) => isLink(graph, line))
  const kept = [...(parts.get(false) ?? []), ...(links ? (parts.get(true) ?? []) : [])]
  return kept.length === 0 ? undefined : `${kept.join('\n')}\n`
}

// Reads what is too long for one answer of a store that cuts answers without a word.

type Paging = { readonly page: number; readonly signal?: AbortSignal | undefined }

const tries = 3

/** `CONSTRUCT { template } WHERE { pattern }` of ours, which stands in the pages' sub-select. */
function partsOf(query: string) {
  const at = query.indexOf('WHERE {')
  return { template: query.slice(0, at), pattern: query.slice(at + 'WHERE '.length) }
}

const variables = '?s ?p ?o ?note ?staging'

// The limit stands outside: Virtuoso sorts any number of rows, but no more than 10,000 beside a limit.
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
 * All lines of one of our graph queries, page by page. They are complete when there are as many as the store counts before
 * and after; a graph that changes all the time is store-unavailable.
 */
export async function pagedGraph(
  query: string,
  endpoint: StoreEndpoint,
  { page, signal }: Paging,
): Promise<ReadonlySet<string>> {
  for (let left = tries; left > 0; left -= 1) {
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

// Reads many graphs at once: by one query of quads where the store answers that, else a few at a time.

type Many = { readonly graphs: readonly string[]; readonly links: boolean }

const perQuery = 100
const atOnce = 6

/** Graphs in one query of quads. */
function quadsQuery(graphs: readonly string[]): string {
  const values = `VALUES ?g { ${graphs.map((graph) => `<${graph}>`).join(' ')} }`
  const note = `?g <${ctl('spelling').value}> ?note`
  return (
    `CONSTRUCT { GRAPH ?g { ?s ?p ?o . ${note} } } ` +
    `WHERE { ${values} { GRAPH ?g { ?s ?p ?o } } UNION { GRAPH <${systemGraph}> { ${note} } } }`
  )
}

/** `<s> <p> o <g> .` as the graph's name and the line of the triple. */
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
  return [...lines].map(([graph, all]) => {
    return [graph, contentOf(graph, linesOf(all.join('\n')), reading)]
  })
}

/** The contents of graphs; absent ones have no line. */
export async function readMany(
  { graphs, links }: Many,
  reading: GraphReading,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Content>> {
  for (const graph of graphs) checkGraph(graph)
  const found = new Map<string, Content>()
  const { dialect, isLink } = reading
  const together = dialect.quads && !dialect.stages && reading.rows === undefined
  // Links must not come along: their number has no bound.
  const isQuick = (graph: string) => together && (links || !mayHaveLinks(graph, isLink))
  const { true: quick = [], false: single = [] } = Object.groupBy(new Set(graphs), (graph) =>
    isQuick(graph) ? 'true' : 'false',
  )
  const batches = Array.from({ length: Math.ceil(quick.length / perQuery) }, (_, at) =>
    quick.slice(at * perQuery, (at + 1) * perQuery),
  )
  const each = async <One>(all: readonly One[], work: (one: One) => Promise<void>) =>
    inParallel(all, work, { atOnce, signal })
  await each(batches, async (batch) => {
    for (const [graph, content] of await readQuads(batch, reading, signal)) {
      if (content) found.set(graph, content)
    }
  })
  await each(single, async (graph) => {
    found.set(graph, await readContent({ graph, links }, reading, signal))
  })
  return found
}
