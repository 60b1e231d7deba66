/** Reads graphs as they were written: content, spelling notes and the sign of an unfinished write in one query. */

import { Failure } from '../../errors.ts'
import { ctl, systemGraph } from '../../rdf/namespaces.ts'
import { checkGraph } from '../lines.ts'
import type { Dialect, Door } from './dialect.ts'
import { linkPredicates, mayHaveLinks, type LinkRule } from './links.ts'
import { pagedGraph } from './pages.ts'
import { notedLine, respelled } from './values/notes.ts'
import { linesOf } from './values/respell.ts'

/** What is in a graph, in our spelling. */
export type Content = {
  readonly lines: ReadonlySet<string>
  /** Lines that have a note. */
  readonly notes: readonly string[]
}

export type Reading = {
  readonly dialect: Dialect
  readonly door: Door
  readonly isLink: LinkRule
  /** Lines from which an answer may have been cut. */
  readonly rows: number | undefined
  /** Finishes what a crash left of a graph; absent for those who may only wait for its writer. */
  readonly finish?: (graph: string) => Promise<unknown>
  /** Reads a graph while nobody writes it; absent where a read sees all of a write or nothing by itself. */
  readonly apart?: <T>(graph: string, read: () => Promise<T>) => Promise<T>
}

export type Wanted = { readonly graph: string; readonly links: boolean }

const [spelling, writing] = [ctl('spelling').value, ctl('writing').value]

const isOwnMember = (graph: string) =>
  `?s = <${graph}> && ?p IN (${linkPredicates.map((iri) => `<${iri}>`).join(', ')})`

/** The pattern of a graph; without its links where it may have some. */
function patternOf({ graph, links }: Wanted, isLink: LinkRule): string {
  const pattern = `GRAPH <${graph}> { ?s ?p ?o }`
  return links || !mayHaveLinks(graph, isLink)
    ? pattern
    : `${pattern} FILTER(!(${isOwnMember(graph)}))`
}

function queryOf(wanted: Wanted, { dialect, isLink }: Reading): string {
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
export function contentOf(
  graph: string,
  all: ReadonlySet<string>,
  { dialect }: Pick<Reading, 'dialect'>,
): Content | undefined {
  const { fidelity } = dialect
  const [lines, notes] = [new Set<string>(), new Array<string>()]
  const isPlain = graph !== systemGraph
  for (const line of all) {
    const note = line.includes(spelling) ? notedLine(graph, line) : undefined
    if (note !== undefined) notes.push(note)
    else if (dialect.stages && isPlain && line.startsWith(signOf(graph))) return undefined
    else if (isPlain || !line.includes(`> <${spelling}> "`)) lines.add(fidelity.decode(line))
  }
  return { lines: respelled(lines, notes, fidelity), notes }
}

const waits = 50
const waitMs = 100

/** The content of a graph; waits up to 5 s for an unfinished write, then gives store-unavailable. */
export async function readContent(
  wanted: Wanted,
  reading: Reading,
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
    else await reading.door.pause(waitMs)
  }
  throw new Failure('store-unavailable', 'The graph is being written.', { retryAfter: 2 })
}

async function wholeAnswer(
  query: string,
  reading: Reading,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const lines = linesOf(await reading.door.construct(query, signal))
  const { rows } = reading
  if (rows === undefined || lines.size < rows) return lines
  return pagedGraph(query, reading.door, { page: Math.ceil(rows / 2), signal })
}

/** Content before links, each sorted, with line ends; `undefined` for nothing. */
export function textOf(
  { lines }: Content,
  { graph, links }: Wanted,
  isLink: LinkRule,
): string | undefined {
  if (lines.size === 0) return undefined
  const parts = Map.groupBy([...lines].sort(), (line) => isLink(graph, line))
  const kept = [...(parts.get(false) ?? []), ...(links ? (parts.get(true) ?? []) : [])]
  return kept.length === 0 ? undefined : `${kept.join('\n')}\n`
}
