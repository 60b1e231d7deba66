/** Prepares a record for validation, in the worker: removes catalogue records, and adds the schemes of its concepts. */

import type { Quad } from '@rdfjs/types'
import { skos } from '../../rdf/namespaces.ts'
import { NodeKinds } from '../../rdf/node-kinds.ts'
import { keyOf } from '../../rdf/read.ts'
import { namedNode, quad } from '../../rdf/terms.ts'

/**
 * Triples without those of catalogue records (of all, or of those that `isUnwanted` picks by their keys) and of the blank nodes
 * that only they refer to. The platform writes its checksums there in a way that no version of the profile permits.
 */
export function withoutRecords(
  quads: readonly Quad[],
  isUnwanted: (key: string) => boolean = () => true,
): readonly Quad[] {
  const keys = [...new NodeKinds(quads).of('record').keys()]
  const records = new Set(keys.filter(isUnwanted))
  if (records.size === 0) return quads
  const blankLinks = quads.filter(({ object }) => object.termType === 'BlankNode')
  const links = Map.groupBy(blankLinks, ({ subject }) => keyOf(subject))
  const linkedKeys = new Set(blankLinks.map(({ object }) => keyOf(object)))
  const others = quads
    .map(({ subject }) => keyOf(subject))
    .filter((key) => !records.has(key) && !linkedKeys.has(key))
  const reachedByOthers = reachableKeys(others, links)
  const reachedByRecords = reachableKeys(records, links)
  return quads.filter(({ subject }) => {
    const key = keyOf(subject)
    return !records.has(key) && (reachedByOthers.has(key) || !reachedByRecords.has(key))
  })
}

/** Keys of nodes, and of the blank nodes that can be reached from them. */
function reachableKeys(
  from: Iterable<string>,
  links: ReadonlyMap<string, readonly Quad[]>,
): ReadonlySet<string> {
  const keys = new Set(from)
  for (const key of keys) for (const { object } of links.get(key) ?? []) keys.add(keyOf(object))
  return keys
}

/** Adds triples with `skos:inScheme` for every concept of a known scheme among the objects; `schemes` is concept → scheme. */
export function withSchemes(
  quads: readonly Quad[],
  schemes: ReadonlyMap<string, string>,
): readonly Quad[] {
  const mentionedIris = new Set<string>()
  for (const { object } of quads) {
    if (object.termType === 'NamedNode' && schemes.has(object.value))
      mentionedIris.add(object.value)
  }
  const schemeQuads = [...mentionedIris].map((iri) =>
    quad(namedNode(iri), skos('inScheme'), namedNode(schemes.get(iri) ?? '')),
  )
  return schemeQuads.length === 0 ? quads : [...quads, ...schemeQuads]
}
