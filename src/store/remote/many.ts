/** Reads many graphs at once: by one query of quads where the store answers that, else a few at a time. */

import { ctl, systemGraph } from '../../rdf/namespaces.ts'
import { checkGraph } from '../lines.ts'
import { mayHaveLinks } from './links.ts'
import { contentOf, readContent, type Content, type Reading } from './reading.ts'
import { linesOf } from './values/respell.ts'

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
  reading: Reading,
  signal: AbortSignal | undefined,
): Promise<[string, Content | undefined][]> {
  const answer = await reading.door.construct(quadsQuery(graphs), signal)
  const lines = new Map(graphs.map((graph) => [graph, new Array<string>()]))
  for (const quad of answer.split('\n')) {
    const [graph, line] = splitQuad(quad)
    lines.get(graph)?.push(line)
  }
  return [...lines].map(([graph, all]) => {
    return [graph, contentOf(graph, linesOf(all.join('\n')), reading)]
  })
}

/** Runs `work` over all, a few at a time; stops at the first failure. */
async function few<One>(all: readonly One[], work: (one: One) => Promise<void>): Promise<void> {
  const left = [...all]
  const lane = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one)
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, lane))
  } finally {
    left.length = 0
  }
}

/** The contents of graphs; absent ones have no line. */
export async function readMany(
  { graphs, links }: Many,
  reading: Reading,
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
  await few(batches, async (batch) => {
    for (const [graph, content] of await readQuads(batch, reading, signal)) {
      if (content) found.set(graph, content)
    }
  })
  await few(single, async (graph) => {
    found.set(graph, await readContent({ graph, links }, reading, signal))
  })
  return found
}
