/** Assigns IRIs to distributions that stay the same from one version of a dataset to the next, by their keys. */

import type { Quad, Term } from '@rdfjs/types'
import type { Names } from '../../rdf/names.ts'
import { dcat, dct, rdf } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import { literal, namedNode, quad } from '../../rdf/terms.ts'

/** Keys for recognising a distribution. */
export type DistributionKeys = {
  readonly node: Term
  readonly identifiers: readonly string[]
  /** Title that is smallest by language and text. */
  readonly title: string | undefined
  readonly accessUrl: string | undefined
  readonly downloadUrl: string | undefined
}

const [link, type, cls] = [
  dcat('distribution').value,
  rdf('type').value,
  dcat('Distribution').value,
]

/** Finds the nodes that are linked by `dcat:distribution` or typed `dcat:Distribution`, except the dataset itself. */
function distributionNodes(quads: readonly Quad[], dataset: string): ReadonlyMap<string, Term> {
  const nodes = new Map<string, Term>()
  for (const { subject, predicate, object } of quads) {
    if (predicate.value === link && object.termType !== 'Literal') nodes.set(keyOf(object), object)
    if (predicate.value === type && object.value === cls) nodes.set(keyOf(subject), subject)
  }
  nodes.delete(dataset)
  return nodes
}

/** Returns the keys of some nodes in one pass over the quads, in a stable order for pairing equal ones. */
export function distributionKeys(
  quads: readonly Quad[],
  nodes: ReadonlyMap<string, Term>,
): DistributionKeys[] {
  const about = new Map<string, Quad[]>([...nodes.keys()].map((key) => [key, []]))
  for (const q of quads) about.get(keyOf(q.subject))?.push(q)
  const keys = [...nodes].map(([key, node]): DistributionKeys => {
    const values = ({ value }: Term) =>
      (about.get(key) ?? []).filter((q) => q.predicate.value === value).map((q) => q.object)
    const smallest = (property: Term) =>
      values(property)
        .map(({ value }) => value)
        .sort()[0]
    const titles = values(dct('title')).map((term) =>
      term.termType === 'Literal' ? `${term.language}\n${term.value}` : `\n${term.value}`,
    )
    const identifiers = values(dct('identifier')).filter(({ termType }) => termType === 'Literal')
    return {
      node,
      identifiers: identifiers.map((term) => term.value).sort(),
      title: titles.sort()[0]?.split('\n').slice(1).join('\n'),
      accessUrl: smallest(dcat('accessURL')),
      downloadUrl: smallest(dcat('downloadURL')),
    }
  })
  return keys.sort((a, b) => (position(a) < position(b) ? -1 : 1))
}

/** Sort key for pairing equal distributions: address, then title, then name. */
const position = ({ node, title = '', accessUrl = '', downloadUrl = '' }: DistributionKeys) =>
  [accessUrl, downloadUrl, title, keyOf(node)].join('\n')

/** Key of a distribution in the body (absent = not in this round), and the key of a stored one that it has to match. */
type Round = readonly [
  sought: (fresh: DistributionKeys) => string | undefined,
  found: (stored: DistributionKeys) => readonly (string | undefined)[],
]

const iriOf = ({ node }: DistributionKeys) =>
  node.termType === 'NamedNode' ? node.value : undefined

/** Rounds of matching with stored distributions, most reliable first; within a round each stored one is used once. */
const rounds: readonly Round[] = [
  [({ node }) => node.value, ({ node }) => [node.value]],
  [({ identifiers }) => identifiers[0], ({ identifiers }) => identifiers],
  [iriOf, ({ identifiers }) => identifiers],
  [({ title }) => title, ({ identifiers, title }) => [...identifiers, title]],
  [({ accessUrl }) => accessUrl, ({ identifiers, accessUrl }) => [...identifiers, accessUrl]],
]

/** IRI of the dataset in a body and in the store; neither is a distribution. */
type DatasetKeys = { readonly sent: string; readonly stored: string }

type Renaming = {
  /** Node key in the body → platform IRI. */
  readonly iris: ReadonlyMap<string, string>
  /** `dct:identifier` triples for distributions that had none, so that the next version can be matched. */
  readonly identifiers: readonly Quad[]
}

/**
 * Assigns platform IRIs to the distributions of `body`, matched with the `stored` version (empty for a new dataset); without a
 * match a random UUID is used.
 */
export function distributionIris(
  body: readonly Quad[],
  stored: readonly Quad[],
  dataset: DatasetKeys,
  { names, uuid }: { readonly names: Names; readonly uuid: () => string },
): Renaming {
  const fresh = distributionKeys(body, distributionNodes(body, dataset.sent))
  const free = new Set(distributionKeys(stored, distributionNodes(stored, dataset.stored)))
  const iris = new Map<string, string>()
  for (const [sought, found] of rounds) {
    // From the end, so that the first one is the first to be taken.
    const entries = [...free].reverse().flatMap((one) => {
      return [...new Set(found(one))].map((key) => ({ key, one }))
    })
    const places = Map.groupBy(entries, ({ key }) => key)
    for (const keys of fresh) {
      const key = sought(keys)
      if (key === undefined || iris.has(keyOf(keys.node))) continue
      const waiting = places.get(key) ?? []
      let twin = waiting.pop()?.one
      while (twin && !free.has(twin)) twin = waiting.pop()?.one
      if (!twin) continue
      free.delete(twin)
      iris.set(keyOf(keys.node), twin.node.value)
    }
  }
  const identifiers = fresh.flatMap((keys) => {
    const key = keyOf(keys.node)
    const iri = iris.get(key) ?? names.distribution(uuid())
    iris.set(key, iri)
    return distributionIdentifier(keys, iri)
  })
  return { iris, identifiers }
}

/** The key of a distribution as its `dct:identifier`, when it came without one. */
export function distributionIdentifier(keys: DistributionKeys, iri: string): Quad[] {
  const own = iriOf(keys) ?? keys.title ?? keys.accessUrl
  if (keys.identifiers.length > 0 || own === undefined || own === iri) return []
  return [quad(namedNode(iri), dct('identifier'), literal(own))]
}

/**
 * Returns the IRI of the stored distribution that equals a new one: the same IRI, or the first key of the new one (identifier,
 * source IRI, title, access address) is a key of the stored one.
 */
export function findStoredDistribution(
  fresh: DistributionKeys,
  stored: readonly Quad[],
  dataset: string,
): string | undefined {
  const places = distributionKeys(stored, distributionNodes(stored, dataset))
  const twin = (round: Round | undefined) => {
    const key = round?.[0](fresh)
    return key === undefined ? undefined : places.find((one) => round?.[1](one).includes(key))
  }
  const [itself, ...others] = rounds
  return (twin(itself) ?? twin(others.find(([sought]) => sought(fresh) !== undefined)))?.node.value
}
