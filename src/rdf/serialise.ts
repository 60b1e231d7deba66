/** A graph out as text of any format; what goes out parses back to the same graph, byte for byte in its literals. */
import type { Quad } from '@rdfjs/types'
import { inOwnTurn } from '../workers/event-loop.ts'
import { endedLines, fromLines } from './lines.ts'
import type { Format } from './media-types.ts'
import { inGraph } from './writing/document.ts'
import { jsonLd } from './writing/json-ld.ts'
import { turtlePart } from './writing/turtle.ts'
import { rdfXml } from './writing/xml.ts'

/**
 * Writes a graph that is there as lines of our own spelling, without doubles; where the format has lines too, nothing is parsed.
 * `graph` is its name in TriG and N-Quads. RDF/XML cannot hold every graph (predicates without a local name, control
 * characters): `Failure('not-acceptable')` then.
 */
export async function serialise(
  lines: string,
  format: Format,
  { graph }: { readonly graph?: string } = {},
): Promise<string> {
  switch (format) {
    case 'ntriples':
      return sortedLines(lines)
    case 'nquads':
      return inGraph(sortedLines(lines), graph)
    case 'turtle':
    case 'n3':
      return turtlePart(await quadsOf(lines), new Set())
    case 'trig':
      return turtlePart(await quadsOf(lines), new Set(), { graph })
    case 'jsonld':
      return jsonLd(await quadsOf(lines))
    case 'rdfxml':
      return rdfXml(await quadsOf(lines))
    default:
      throw new Error(`unknown format ${String(format satisfies never)}`)
  }
}

/** Others have a turn before what is read of a long text is written. */
async function quadsOf(lines: string): Promise<Quad[]> {
  const quads = fromLines(lines)
  await inOwnTurn(lines)
  return quads
}

/** Blank nodes that have come back stand elsewhere in the order than the IRIs that they were. */
function sortedLines(lines: string): string {
  const all = lines.split('\n')
  all.pop()
  return endedLines(all.sort())
}
