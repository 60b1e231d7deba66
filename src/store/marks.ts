/** Marks and other facts that the platform keeps in its system graph, as lines of a change. */

import type { Quad } from '@rdfjs/types'
import { toLine } from '../rdf/lines.ts'
import { ctl, systemGraph } from '../rdf/namespaces.ts'
import { literal, namedNode, quad } from '../rdf/terms.ts'
import type { GraphChange } from './graph-store.ts'

/** Resource that was written and waits to be indexed. Versions grow with every write. */
export type Mark = { readonly resource: string; readonly version: number }

/**
 * Mark of a write that was just committed, with the written content if the writer still has it, so that the indexer need not read it
 * from the store.
 */
export type CommittedMark = Mark & { readonly content?: WrittenContent }

/** Content of a dataset that was just written. */
export type WrittenContent = {
  /** Id of the dataset's catalogue. */
  readonly catalogue: string
  /** Parses the written graph. */
  readonly quads: () => readonly Quad[]
  /** Whether the dataset is new, so that the store has nothing else about it. */
  readonly created: boolean
  /** Statements of its metrics graph about scores, if only these were written; absent = to be read from the store. */
  readonly scores?: readonly Quad[]
}

/** `pending` = the resource has to be indexed, `cascade` = so have the datasets of a catalogue. */
type MarkKind = 'pending' | 'cascade'

/** Line of the system graph with the property `name` of `resource`; `value` is a text, or an IRI as `{ iri }`. */
export function factLine(
  resource: string,
  name: string,
  value: string | { readonly iri: string },
): string {
  const object = typeof value === 'string' ? literal(value) : namedNode(value.iri)
  return toLine(quad(namedNode(resource), ctl(name), object))
}

/** Line of the system graph that marks a resource. */
export const markLine = (kind: MarkKind, { resource, version }: Mark): string =>
  factLine(resource, kind, String(version))

/** Change of the system graph that adds and removes `lines`. */
export const systemChange = (lines: {
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
}): GraphChange => ({ graph: systemGraph, ...lines })
