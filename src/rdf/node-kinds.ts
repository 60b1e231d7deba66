/**
 * Decides whether a node of a body is a dataset, a catalogue, a record or a distribution when its types leave a choice. Links
 * between nodes take precedence over types. Used by all readers of bodies: writes, harvests, imports, previews, metrics.
 */

import type { Quad, Term } from '@rdfjs/types'
import { dcat, foaf, rdf, vcard } from './namespaces.ts'
import { keyOf } from './read.ts'

/** Kinds of nodes that a body can describe. */
export type NodeKind = 'dataset' | 'catalogue' | 'record' | 'distribution'

/** Bit for each kind, and for agents, so that the types of a node are one number. */
const kindBits = { dataset: 1, catalogue: 2, record: 4, distribution: 8, agent: 16 } as const

const classBits: ReadonlyMap<string, number> = new Map([
  [dcat('Dataset').value, kindBits.dataset],
  [dcat('DatasetSeries').value, kindBits.dataset],
  [dcat('Catalog').value, kindBits.catalogue],
  [dcat('CatalogRecord').value, kindBits.record],
  [dcat('Distribution').value, kindBits.distribution],
  ...['Agent', 'Organization', 'Person'].map((name) => [foaf(name).value, kindBits.agent] as const),
  ...['Kind', 'Organization', 'Individual'].map(
    (name) => [vcard(name).value, kindBits.agent] as const,
  ),
])

/** Types of a node, given as IRIs, as one number for `NodeFacts`. */
export const typeBits = (iris: Iterable<string>): number => {
  let bits = 0
  for (const iri of iris) bits |= classBits.get(iri) ?? 0
  return bits
}

/** Properties that decide the kind of a node. All but `types` are read only when they matter, so they may be costly getters. */
export type NodeFacts = {
  /** Result of `typeBits`. */
  readonly types: number
  /** Whether another node references it by `dcat:dataset`. */
  readonly isListed: boolean
  /** Whether it references another node by one of `listingPredicates`. */
  readonly lists: boolean
  /** Whether its `foaf:primaryTopic` is another node for which `isTopic` holds. */
  readonly describesDataset: boolean
  /** Whether another node references it by `dcat:distribution`. */
  readonly isDistributed: boolean
}

/** IRIs of predicates by which a catalogue lists its resources. */
export const listingPredicates: ReadonlySet<string> = new Set(
  ['dataset', 'catalog', 'record', 'service', 'resource'].map((name) => dcat(name).value),
)

/** Whether the types are those of a dataset that a record describes. A dataset that is also typed as record describes itself. */
export const isTopic = (types: number): boolean =>
  (types & kindBits.dataset) !== 0 && (types & kindBits.record) === 0

/** Whether the types make a node a person or an organisation, even if it is also typed as catalogue. */
export const isAgent = (types: number): boolean => (types & kindBits.agent) !== 0

/**
 * Kind of a node. A node typed as dataset is a dataset, unless structure shows that it is a catalogue (lists others), a record
 * (describes another dataset) or, if typed so too, a distribution of another node; what `dcat:dataset` names is none of these.
 * Any other node is a distribution if `dcat:distribution` names it and `dcat:dataset` does not, else what its types say.
 */
export function kindOf(facts: NodeFacts): NodeKind | undefined {
  const has = (kind: NodeKind) => (facts.types & kindBits[kind]) !== 0
  const isNotDataset = !has('dataset')
  const isPart = (isNotDataset || has('distribution')) && facts.isDistributed && !facts.isListed
  if (isPart) return 'distribution'
  if (has('catalogue') && (isNotDataset || (facts.lists && !facts.isListed))) return 'catalogue'
  if (has('record') && (isNotDataset || (facts.describesDataset && !facts.isListed)))
    return 'record'
  if (!isNotDataset) return 'dataset'
  return has('distribution') ? 'distribution' : undefined
}

const [type, datasetLink, distribution, topic] = [
  rdf('type').value,
  dcat('dataset').value,
  dcat('distribution').value,
  foaf('primaryTopic').value,
]

/** Kinds of the nodes of a body, computed in one pass. */
export class NodeKinds {
  readonly #nodes = new Map<string, Term>()
  readonly #types = new Map<string, number>()
  readonly #listedNodes = new Set<string>()
  readonly #listingNodes = new Set<string>()
  readonly #distributedNodes = new Set<string>()
  readonly #topics = new Map<string, string[]>()

  constructor(quads: Iterable<Quad> = []) {
    for (const quad of quads) this.add(quad)
  }

  add({ subject, predicate: { value: predicate }, object }: Quad): void {
    if (predicate === type) this.#addType(subject, object.value)
    else if (listingPredicates.has(predicate) || predicate === distribution || predicate === topic)
      this.#addLink(keyOf(subject), predicate, keyOf(object))
  }

  /** Kind of a node; `undefined` if it has none. */
  kind(key: string): NodeKind | undefined {
    const types = this.#types.get(key) ?? 0
    const describesDataset = (this.#topics.get(key) ?? []).some((topicKey) =>
      isTopic(this.#types.get(topicKey) ?? 0),
    )
    const isListed = this.#listedNodes.has(key)
    const isDistributed = this.#distributedNodes.has(key)
    return kindOf({
      types,
      isListed,
      isDistributed,
      lists: this.#listingNodes.has(key),
      describesDataset,
    })
  }

  /** Typed nodes of these kinds by their keys. */
  of(...kinds: readonly NodeKind[]): Map<string, Term> {
    const isOfKinds = (kind: NodeKind | undefined) => kind !== undefined && kinds.includes(kind)
    return new Map([...this.#nodes].filter(([key]) => isOfKinds(this.kind(key))))
  }

  /** Datasets by their keys; if there are none, the nodes typed as dataset that were classified otherwise. */
  datasets(): Map<string, Term> {
    const datasets = this.of('dataset')
    return datasets.size > 0 ? datasets : this.typed('dataset')
  }

  /** Nodes with the type of a kind, however classified. */
  typed(kind: NodeKind): Map<string, Term> {
    return new Map(
      [...this.#nodes].filter(([key]) => ((this.#types.get(key) ?? 0) & kindBits[kind]) !== 0),
    )
  }

  /** Whether another node references it by `dcat:dataset`. */
  isListed(key: string): boolean {
    return this.#listedNodes.has(key)
  }

  /** Whether the node is typed as a person or an organisation. */
  isAgent(key: string): boolean {
    return isAgent(this.#types.get(key) ?? 0)
  }

  #addType(subject: Term, iri: string): void {
    const bit = classBits.get(iri)
    if (bit === undefined) return
    const key = keyOf(subject)
    this.#nodes.set(key, subject)
    this.#types.set(key, (this.#types.get(key) ?? 0) | bit)
  }

  #addLink(subject: string, predicate: string, object: string): void {
    if (subject === object) return
    if (predicate === distribution) this.#distributedNodes.add(object)
    else if (predicate === topic) {
      const topics = this.#topics.get(subject)
      if (topics) topics.push(object)
      else this.#topics.set(subject, [object])
    } else {
      this.#listingNodes.add(subject)
      if (predicate === datasetLink) this.#listedNodes.add(object)
    }
  }
}
