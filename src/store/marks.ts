/** Pending marks and other facts that the platform keeps in its system graph, as lines of a change. */

import type { Quad } from '@rdfjs/types'
import { toLine } from '../rdf/lines.ts'
import { ctl, systemGraph } from '../rdf/namespaces.ts'
import { literal, namedNode, quad } from '../rdf/terms.ts'
import type { Change } from './graph-store.ts'

/** A resource that was written and waits to be indexed. Versions grow with every write. */
export type Mark = { readonly resource: string; readonly version: number }

/**
 * A mark of a write that has just landed. Whoever wrote a dataset still holds what it wrote: with `fresh` nobody needs to
 * read it back.
 */
export type CommittedMark = Mark & { readonly content?: WrittenContent }

export type WrittenContent = {
  /** Id of the dataset's catalogue. */
  readonly catalogue: string
  /** The whole graph as it was written; read out of its lines by whoever needs it, where the writer did not. */
  readonly quads: () => readonly Quad[]
  /** A dataset that did not exist before has nothing else in the store. */
  readonly created: boolean
  /** What its metrics graph says of scores now, where the writer has written that and nothing else; otherwise it stands in the store. */
  readonly scores?: readonly Quad[]
}

/** `pending` = the resource itself, `cascade` = the datasets of a catalogue. */
type MarkKind = 'pending' | 'cascade'

/** The line of the system graph that says `name` of `resource`; `value` is an IRI when it is given as `{ iri }`. */
export function fact(
  resource: string,
  name: string,
  value: string | { readonly iri: string },
): string {
  const object = typeof value === 'string' ? literal(value) : namedNode(value.iri)
  return toLine(quad(namedNode(resource), ctl(name), object))
}

/** The line that marks a resource. */
export const markLine = (kind: MarkKind, { resource, version }: Mark): string =>
  fact(resource, kind, String(version))

/** The change of the system graph that adds and removes `lines`. */
export const systemChange = (lines: {
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
}): Change => ({ graph: systemGraph, ...lines })
