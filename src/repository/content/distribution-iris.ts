/** Gives distributions IRIs that stay the same from one version of a dataset to the next. */

import { keyOf } from '../../rdf/read.ts'
import type { Quad, Term } from '@rdfjs/types'
import type { Names } from '../../rdf/names.ts'
import { dcat, dct, rdf } from '../../rdf/namespaces.ts'
import { literal, namedNode, quad } from '../../rdf/terms.ts'
import { distributionKeys, type DistributionKeys } from './distribution-keys.ts'

export type Renaming = {
  /** Node key in the body → platform IRI. */
  readonly iris: ReadonlyMap<string, string>
  /** `dct:identifier` triples for distributions that had none, so that the next version can be matched. */
  readonly identifiers: readonly Quad[]
}

/** Every node that is linked by `dcat:distribution` or typed `dcat:Distribution`. */
function distributionNodes(quads: Iterable<Quad>): ReadonlyMap<string, Term> {
  const [link, type, cls] = [
    dcat('distribution').value,
    rdf('type').value,
    dcat('Distribution').value,
  ]
  const nodes = new Map<string, Term>()
  for (const q of quads) {
    if (q.predicate.value === link && q.object.termType !== 'Literal')
      nodes.set(keyOf(q.object), q.object)
    if (q.predicate.value === type && q.object.value === cls) nodes.set(keyOf(q.subject), q.subject)
  }
  return nodes
}

const ownKey = (keys: DistributionKeys): string | undefined =>
  keys.node.termType === 'NamedNode' ? keys.node.value : (keys.title ?? keys.accessUrl)

/** Rounds of matching against what is stored, surest first; within a round each stored one is taken once. */
const rounds: readonly ((fresh: DistributionKeys, stored: DistributionKeys) => boolean)[] = [
  (fresh, stored) => fresh.node.value === stored.node.value,
  (fresh, stored) =>
    fresh.identifiers[0] !== undefined && stored.identifiers.includes(fresh.identifiers[0]),
  (fresh, stored) =>
    fresh.node.termType === 'NamedNode' && stored.identifiers.includes(fresh.node.value),
  (fresh, stored) =>
    fresh.title !== undefined &&
    (stored.identifiers.includes(fresh.title) || stored.title === fresh.title),
  (fresh, stored) =>
    fresh.accessUrl !== undefined &&
    (stored.identifiers.includes(fresh.accessUrl) || stored.accessUrl === fresh.accessUrl),
]

/**
 * Platform IRIs for the distributions of `body`, matched against the `stored` version (empty for a new dataset); what has no
 * match gets a random UUID.
 */
export function distributionIris(
  body: readonly Quad[],
  stored: readonly Quad[],
  mint: { readonly names: Names; readonly uuid: () => string },
): Renaming {
  const fresh = distributionKeys(body, distributionNodes(body))
  const free = new Set(distributionKeys(stored, distributionNodes(stored)))
  const iris = new Map<string, string>()
  for (const matches of free.size > 0 ? rounds : []) {
    for (const keys of fresh) {
      if (iris.has(keyOf(keys.node))) continue
      const twin = [...free].find((known) => matches(keys, known))
      if (!twin) continue
      free.delete(twin)
      iris.set(keyOf(keys.node), twin.node.value)
    }
  }
  for (const keys of fresh) {
    const key = keyOf(keys.node)
    if (!iris.has(key)) iris.set(key, mint.names.distribution(mint.uuid()))
  }
  return { iris, identifiers: fresh.flatMap((keys) => identifierOf(keys, iris)) }
}

function identifierOf(keys: DistributionKeys, iris: ReadonlyMap<string, string>): Quad[] {
  const iri = iris.get(keyOf(keys.node))
  const own = ownKey(keys)
  if (keys.identifiers.length > 0 || own === undefined || iri === undefined || own === iri)
    return []
  return [quad(namedNode(iri), dct('identifier'), literal(own))]
}
