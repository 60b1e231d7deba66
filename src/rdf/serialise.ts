/** Quads out as text of any format; what goes out parses back to the same graph, byte for byte in its literals. */
import type { Quad } from '@rdfjs/types'
import { bracketed, endedLines, fromLines, termText, toLine, toLines } from './lines.ts'
import type { Format } from './media-types.ts'
import { namedNode, quad } from './terms.ts'
import { jsonLd } from './writing/json-ld.ts'
import { turtle } from './writing/turtle.ts'
import { rdfXml } from './writing/xml.ts'

/**
 * Writes a document. `graph` names the graph of triples that have none, in TriG and N-Quads; the other formats write
 * the union of all graphs. RDF/XML cannot hold every graph (predicates without a local name, control characters):
 * `Failure('not-acceptable')` then.
 */
export async function serialise(
  quads: Iterable<Quad>,
  format: Format,
  options: { readonly graph?: string } = {},
): Promise<string> {
  switch (format) {
    case 'ntriples':
      return toLines(quads)
    case 'nquads':
      return quadLines(named(quads, options.graph))
    case 'turtle':
    case 'n3':
      return turtle(unnamed(quads))
    case 'trig':
      return turtle(named(quads, options.graph))
    case 'jsonld':
      return jsonLd(quads)
    case 'rdfxml':
      return rdfXml(quads)
    default:
      throw new Error(`unknown format ${String(format satisfies never)}`)
  }
}

/** The same for a graph that is there as lines of our own spelling: where the format has lines too, nothing is parsed. */
export async function serialiseLines(
  lines: string,
  format: Format,
  { graph }: { readonly graph?: string } = {},
): Promise<string> {
  if (format === 'ntriples') return sortedLines(lines)
  if (format === 'nquads') {
    const all = sortedLines(lines)
    return graph === undefined ? all : all.replace(/\.$/gm, `${bracketed(graph)} .`)
  }
  return serialise(fromLines(lines), format, graph === undefined ? {} : { graph })
}

/** Blank nodes that have come back stand elsewhere in the order than the IRIs that they were. */
function sortedLines(lines: string): string {
  const all = lines.split('\n')
  all.pop()
  return endedLines(all.sort())
}

function* named(quads: Iterable<Quad>, graph: string | undefined): Iterable<Quad> {
  const name = graph === undefined ? undefined : namedNode(graph)
  for (const one of quads) {
    const { subject, predicate, object } = one
    yield name && one.graph.termType === 'DefaultGraph'
      ? quad(subject, predicate, object, name)
      : one
  }
}

function* unnamed(quads: Iterable<Quad>): Iterable<Quad> {
  for (const { subject, predicate, object } of quads) yield quad(subject, predicate, object)
}

function quadLines(quads: Iterable<Quad>): string {
  const lines = new Set<string>()
  for (const one of quads) {
    const line = toLine(one)
    const { graph } = one
    lines.add(graph.termType === 'DefaultGraph' ? line : `${line.slice(0, -1)}${termText(graph)} .`)
  }
  return endedLines([...lines].sort())
}
