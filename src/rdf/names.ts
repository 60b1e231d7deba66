/** The IRIs of the platform's own resources, made from ids and read back into them. */
import { hash } from 'node:crypto'
import { isId } from './ids.ts'

export type ResourceKind =
  | 'dataset'
  | 'catalogue'
  | 'record'
  | 'metrics'
  | 'distribution'
  | 'vocabulary'

/** The part of an IRI between `{base}` and the id, with the slash at its end. */
export type Segments = Readonly<Record<ResourceKind, string>>

export type Names = {
  readonly base: string
  readonly dataset: (id: string) => string
  readonly catalogue: (id: string) => string
  readonly record: (id: string) => string
  readonly metrics: (id: string) => string
  readonly distribution: (uuid: string) => string
  /** The handle of a stored vocabulary; its graph is named by its concept scheme. */
  readonly vocabulary: (id: string) => string
  /** What skolem IRIs of one graph begin with, slash at the end. */
  readonly genid: (graph: string) => string
  /** What skolem IRIs of all graphs begin with (RFC 8615 and RDF 1.1 Concepts, 3.5). */
  readonly genidPrefix: string
  /** The id inside an IRI of that kind; `undefined` for every other IRI. */
  readonly idOf: (kind: ResourceKind, iri: string) => string | undefined
  /**
   * Whether the IRI is of a kind that the platform itself gives out. Other IRIs under `{base}` are the institution's: its
   * publishers and vocabularies may well live on the portal's own host.
   */
  readonly owns: (iri: string) => boolean
}

const usual: Segments = {
  dataset: 'set/data/',
  catalogue: 'id/catalogue/',
  record: 'set/record/',
  metrics: 'id/metrics/',
  distribution: 'set/distribution/',
  vocabulary: 'id/vocabulary/',
}

/** Names under a base IRI such as `http://localhost:8080/`; a missing slash at its end is added. */
export function names(base: string, segments: Partial<Segments> = {}): Names {
  const root = base.endsWith('/') ? base : `${base}/`
  const parts = { ...usual, ...segments }
  const under = (kind: ResourceKind) => {
    const prefix = root + parts[kind]
    return (id: string) => prefix + id
  }
  const prefixes = Object.values(parts).map((part) => root + part)
  const genidPrefix = `${root}.well-known/genid/`
  return {
    base: root,
    dataset: under('dataset'),
    catalogue: under('catalogue'),
    record: under('record'),
    metrics: under('metrics'),
    distribution: under('distribution'),
    vocabulary: under('vocabulary'),
    genid: (graph) => `${genidPrefix}${hash('sha256', graph, 'hex').slice(0, 16)}/`,
    genidPrefix,
    idOf: (kind, iri) => {
      const prefix = root + parts[kind]
      const id = iri.startsWith(prefix) ? iri.slice(prefix.length) : ''
      return isId(id) ? id : undefined
    },
    owns: (iri) =>
      iri.startsWith(root) && [...prefixes, genidPrefix].some((prefix) => iri.startsWith(prefix)),
  }
}
