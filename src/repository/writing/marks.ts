/** Pending marks and other facts of the system graph, as lines of a change. */

import type { Change } from '../../store/change.ts'
import { ctl, systemGraph } from '../../rdf/namespaces.ts'
import { toLine } from '../../rdf/lines.ts'
import { literal, namedNode, quad } from '../../rdf/terms.ts'

/** A resource that was written and waits to be indexed. */
export type Mark = { readonly resource: string; readonly version: number }

/** The line of the system graph that says `name` of `resource`; `value` is an IRI when it is given as `{ iri }`. */
export function fact(
  resource: string,
  name: string,
  value: string | { readonly iri: string },
): string {
  const object = typeof value === 'string' ? literal(value) : namedNode(value.iri)
  return toLine(quad(namedNode(resource), ctl(name), object))
}

export const pendingLine = (mark: Mark): string =>
  fact(mark.resource, 'pending', String(mark.version))

export const cascadeLine = (mark: Mark): string =>
  fact(mark.resource, 'cascade', String(mark.version))

/** The change of the system graph that adds and removes `lines`. */
export const systemChange = (lines: {
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
}): Change => ({ graph: systemGraph, ...lines })
