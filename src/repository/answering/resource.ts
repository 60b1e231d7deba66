/** Answers a resource of its own with what leads on from it: its IRI, its relatives, its other formats (RFC 8288). */

import type { AppContext } from '../../http/app.ts'
import { formats, type Format } from '../../rdf/media-types.ts'
import { answerGraph, asciiUri } from './answers.ts'

export type Resource = {
  /** As it is stored: lines of `toLines`, skolemised. */
  readonly lines: string
  readonly iri: string
  /** Name of the graph in TriG and N-Quads. */
  readonly graph: string
  /** Path below the service, without suffix: `/datasets/x`. */
  readonly path: string
  readonly id: string
  readonly hash: string | undefined
  readonly modified: Date | undefined
  /** Relation → IRI, beside `canonical` and `alternate`. */
  readonly links?: Readonly<Record<string, string | undefined>>
}

type Answering = {
  readonly names: { readonly genidPrefix: string }
}

/** 200 or 304 in the format of the suffix or of `Accept`; `not-acceptable` when there is none. */
export function answerResource(
  c: AppContext,
  resource: Resource,
  { names }: Answering,
  suffix: Format | undefined,
): Promise<Response> {
  const { lines, graph, id, hash, modified } = resource
  return answerGraph(c, lines, {
    suffix,
    graph,
    genidPrefix: names.genidPrefix,
    name: id,
    headers: { Link: linksOf(resource, c.get('address')) },
    ...(hash !== undefined && { hash }),
    ...(modified && { modified }),
  })
}

/** The `Link` header of a resource. */
export function linksOf(
  { iri, path, links = {} }: Pick<Resource, 'iri' | 'path' | 'links'>,
  address: string,
): string {
  const relatives = Object.entries({ canonical: iri, ...links }).flatMap(([relation, target]) =>
    target === undefined ? [] : `<${asciiUri(target)}>; rel="${relation}"`,
  )
  const others = Object.values(formats).map(
    ({ suffix, mediaType }) =>
      `<${address}${path}.${suffix}>; rel="alternate"; type="${mediaType}"`,
  )
  return [...relatives, ...others].join(', ')
}
