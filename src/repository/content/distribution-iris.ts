/** Assigns IRIs to the distributions of a written dataset; keys recognise those of its stored version, whose IRIs stay. */

import type { Quad, Term } from '@rdfjs/types'
import type { Names } from '../../rdf/names.ts'
import { dcat, dct, rdf } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import { literal, namedNode, quad } from '../../rdf/terms.ts'

/** Values by which a distribution is recognised in the next version of its dataset. */
export type DistributionKeys = {
  readonly node: Term
  readonly identifiers: readonly string[]
  /** Title that is smallest by language and text. */
  readonly title: string | undefined
  readonly accessUrl: string | undefined
  readonly downloadUrl: string | undefined
}

const [link, type, distributionClass] = [
  dcat('distribution').value,
  rdf('type').value,
  dcat('Distribution').value,
]

/** Finds the nodes that are linked by `dcat:distribution` or typed `dcat:Distribution`, except the dataset itself. */
function distributionNodes(quads: readonly Quad[], dataset: string): ReadonlyMap<string, Term> {
  const nodes = new Map<string, Term>()
  for (const { subject, predicate, object } of quads) {
    if (predicate.value === link && object.termType !== 'Literal') nodes.set(keyOf(object), object)
    if (predicate.value === type && object.value === distributionClass)
      nodes.set(keyOf(subject), subject)
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

/** Key of a sent distribution (`undefined` = not in this round), and the keys of a stored one, of which one has to equal it. */
type Round = readonly [
  newKey: (sent: DistributionKeys) => string | undefined,
  storedKeys: (stored: DistributionKeys) => readonly (string | undefined)[],
]

const iriOf = ({ node }: DistributionKeys) =>
  node.termType === 'NamedNode' ? node.value : undefined

/** Rounds of matching with stored distributions, most reliable first; each stored one is matched once. */
const rounds: readonly Round[] = [
  [({ node }) => node.value, ({ node }) => [node.value]],
  [({ identifiers }) => identifiers[0], ({ identifiers }) => identifiers],
  [iriOf, ({ identifiers }) => identifiers],
  [({ title }) => title, ({ identifiers, title }) => [...identifiers, title]],
  [({ accessUrl }) => accessUrl, ({ identifiers, accessUrl }) => [...identifiers, accessUrl]],
]

/** Keys of the dataset in a body and in the store; neither is a distribution. */
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
  const sentDistributions = distributionKeys(body, distributionNodes(body, dataset.sent))
  const unmatched = new Set(distributionKeys(stored, distributionNodes(stored, dataset.stored)))
  const iris = new Map<string, string>()
  for (const [newKey, storedKeys] of rounds) {
    // Reversed, because `pop` takes the last entry: the first stored distribution is matched first.
    const entries = [...unmatched].reverse().flatMap((distribution) => {
      return [...new Set(storedKeys(distribution))].map((key) => ({ key, distribution }))
    })
    const entriesByKey = Map.groupBy(entries, ({ key }) => key)
    for (const keys of sentDistributions) {
      const key = newKey(keys)
      if (key === undefined || iris.has(keyOf(keys.node))) continue
      const candidates = entriesByKey.get(key) ?? []
      let match = candidates.pop()?.distribution
      while (match && !unmatched.has(match)) match = candidates.pop()?.distribution
      if (!match) continue
      unmatched.delete(match)
      iris.set(keyOf(keys.node), match.node.value)
    }
  }
  const identifiers = sentDistributions.flatMap((keys) => {
    const key = keyOf(keys.node)
    const iri = iris.get(key) ?? names.distribution(uuid())
    iris.set(key, iri)
    return distributionIdentifier(keys, iri)
  })
  return { iris, identifiers }
}

/**
 * Returns the first key of a distribution (source IRI, title, access address) as its `dct:identifier`, when it came without one.
 */
export function distributionIdentifier(keys: DistributionKeys, iri: string): Quad[] {
  const key = iriOf(keys) ?? keys.title ?? keys.accessUrl
  if (keys.identifiers.length > 0 || key === undefined || key === iri) return []
  return [quad(namedNode(iri), dct('identifier'), literal(key))]
}

/**
 * Returns the IRI of the stored distribution that equals a new one: the same IRI, or the first key that the new one has
 * (identifier, source IRI, title, access address) equals the same key, or an identifier, of the stored one.
 */
export function findStoredDistribution(
  sent: DistributionKeys,
  stored: readonly Quad[],
  dataset: string,
): string | undefined {
  const candidates = distributionKeys(stored, distributionNodes(stored, dataset))
  const matchIn = (round: Round | undefined) => {
    const key = round?.[0](sent)
    return key === undefined
      ? undefined
      : candidates.find((candidate) => round?.[1](candidate).includes(key))
  }
  const [byIri, ...others] = rounds
  return (matchIn(byIri) ?? matchIn(others.find(([newKey]) => newKey(sent) !== undefined)))?.node
    .value
}
