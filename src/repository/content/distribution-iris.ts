/** Gives distributions IRIs that stay the same from one version of a dataset to the next. */

import type { Quad, Term } from '@rdfjs/types'
import type { Names } from '../../rdf/names.ts'
import { dcat, dct, rdf } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import { literal, namedNode, quad } from '../../rdf/terms.ts'

type Renaming = {
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

type Round = {
  /** By what a distribution of the body is looked for; absent = not in this round. */
  readonly sought: (fresh: DistributionKeys) => string | undefined
  /** Under what a stored one is found. */
  readonly found: (stored: DistributionKeys) => readonly (string | undefined)[]
}

/** Rounds of matching against what is stored, surest first; within a round each stored one is taken once. */
const rounds: readonly Round[] = [
  { sought: ({ node }) => node.value, found: ({ node }) => [node.value] },
  { sought: ({ identifiers }) => identifiers[0], found: ({ identifiers }) => identifiers },
  {
    sought: ({ node }) => (node.termType === 'NamedNode' ? node.value : undefined),
    found: ({ identifiers }) => identifiers,
  },
  { sought: ({ title }) => title, found: ({ identifiers, title }) => [...identifiers, title] },
  {
    sought: ({ accessUrl }) => accessUrl,
    found: ({ identifiers, accessUrl }) => [...identifiers, accessUrl],
  },
]

/** Pairs what is still alone on both sides, in the order of the keys. */
function match(
  { sought, found }: Round,
  alone: readonly DistributionKeys[],
  free: Set<DistributionKeys>,
): Map<DistributionKeys, DistributionKeys> {
  const places = new Map<string, DistributionKeys[]>()
  for (const stored of free) {
    for (const key of new Set(found(stored))) {
      if (key === undefined) continue
      const known = places.get(key)
      if (known) known.push(stored)
      else places.set(key, [stored])
    }
  }
  for (const waiting of places.values()) waiting.reverse()
  const pairs = new Map<DistributionKeys, DistributionKeys>()
  for (const fresh of alone) {
    const key = sought(fresh)
    const waiting = key === undefined ? [] : (places.get(key) ?? [])
    let twin = waiting.pop()
    while (twin && !free.has(twin)) twin = waiting.pop()
    if (!twin) continue
    free.delete(twin)
    pairs.set(fresh, twin)
  }
  return pairs
}

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
  let alone: readonly DistributionKeys[] = fresh
  for (const round of rounds) {
    if (free.size === 0) break
    const pairs = match(round, alone, free)
    for (const [keys, twin] of pairs) iris.set(keyOf(keys.node), twin.node.value)
    alone = alone.filter((keys) => !pairs.has(keys))
  }
  for (const keys of fresh) {
    const key = keyOf(keys.node)
    if (!iris.has(key)) iris.set(key, mint.names.distribution(mint.uuid()))
  }
  const identifiers = fresh.flatMap((keys) =>
    distributionIdentifier(keys, iris.get(keyOf(keys.node)) ?? ''),
  )
  return { iris, identifiers }
}

/** The key of a distribution as its `dct:identifier`, when it came without one. */
export function distributionIdentifier(keys: DistributionKeys, iri: string): Quad[] {
  const own = ownKey(keys)
  if (keys.identifiers.length > 0 || own === undefined || own === iri) return []
  return [quad(namedNode(iri), dct('identifier'), literal(own))]
}

/**
 * The IRI of the stored distribution that a new one is a double of: it is that one, or the first key that the new one has
 * (identifier, source IRI, title, access address) is a key of the stored one.
 */
export function storedTwin(fresh: DistributionKeys, stored: readonly Quad[]): string | undefined {
  const places = distributionKeys(stored, distributionNodes(stored))
  const twin = ({ sought, found }: Round) => {
    const key = sought(fresh)
    return key === undefined ? undefined : places.find((one) => found(one).includes(key))
  }
  const [itself, ...others] = rounds
  const first = others.find(({ sought }) => sought(fresh) !== undefined)
  const known = (itself && twin(itself)) ?? (first && twin(first))
  return known?.node.value
}

// The keys by which a distribution is recognised from one version of a dataset to the next.

export type DistributionKeys = {
  readonly node: Term
  readonly identifiers: readonly string[]
  /** Smallest by language and text. */
  readonly title: string | undefined
  readonly accessUrl: string | undefined
  readonly downloadUrl: string | undefined
}

const smallest = (values: readonly string[]): string | undefined =>
  values.reduce<string | undefined>(
    (least, next) => (least === undefined || next < least ? next : least),
    undefined,
  )

/** The keys of the given nodes, in one pass over the quads, ordered so that twins pair up the same way each time. */
export function distributionKeys(
  quads: Iterable<Quad>,
  nodes: ReadonlyMap<string, Term>,
): DistributionKeys[] {
  const about = new Map<string, Quad[]>([...nodes.keys()].map((key) => [key, []]))
  for (const q of quads) about.get(keyOf(q.subject))?.push(q)
  const keys = [...nodes].map(([key, node]): DistributionKeys => {
    const own = about.get(key) ?? []
    const values = (predicate: string) =>
      own.filter((q) => q.predicate.value === predicate).map((q) => q.object)
    const titles = values(dct('title').value).map((term) =>
      term.termType === 'Literal' ? `${term.language}\n${term.value}` : `\n${term.value}`,
    )
    const identifiers = values(dct('identifier').value).filter(
      (term) => term.termType === 'Literal',
    )
    return {
      node,
      identifiers: identifiers.map((term) => term.value).sort(),
      title: smallest(titles)?.split('\n').slice(1).join('\n'),
      accessUrl: smallest(values(dcat('accessURL').value).map((term) => term.value)),
      downloadUrl: smallest(values(dcat('downloadURL').value).map((term) => term.value)),
    }
  })
  return keys.sort((a, b) => (position(a) < position(b) ? -1 : 1))
}

const position = (keys: DistributionKeys) =>
  [keys.accessUrl ?? '', keys.downloadUrl ?? '', keys.title ?? '', keyOf(keys.node)].join('\n')
