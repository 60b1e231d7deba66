/** Creates and parses the IRIs of the platform's resources. */
import { hash } from 'node:crypto'
import { isId } from './ids.ts'
import { withDefaults } from '../text/defaults.ts'
import { keysOf } from '../text/records.ts'

/** Kind of resource that the platform gives an IRI; `resource` = of a type that the profile declares. */
export type ResourceKind =
  | 'dataset'
  | 'catalogue'
  | 'record'
  | 'metrics'
  | 'distribution'
  | 'vocabulary'
  | 'resource'

/** Path between `{base}` and the id by kind of resource, with a trailing slash. */
export type Segments = Readonly<Record<ResourceKind, string>>

/** Identity of a resource of a declared type. */
type TypedId = { readonly type: string; readonly id: string }

/** IRIs of the platform: functions that make them from ids, and back. */
export type Names = {
  /** Base IRI with a trailing slash. */
  readonly base: string
  readonly dataset: (id: string) => string
  readonly catalogue: (id: string) => string
  readonly record: (id: string) => string
  readonly metrics: (id: string) => string
  readonly distribution: (uuid: string) => string
  /** Handle of a stored vocabulary; its graph is named by its concept scheme. */
  readonly vocabulary: (id: string) => string
  /** Resource of a type that the profile declares. */
  readonly resource: (type: string, id: string) => string
  /** Catalogue record of such a resource, in the same graph. */
  readonly resourceRecord: (type: string, id: string) => string
  /** Prefix of the skolem IRIs of one graph, with a trailing slash. */
  readonly genid: (graph: string) => string
  /** Prefix of the skolem IRIs of all graphs (RFC 8615 and RDF 1.1 Concepts, 3.5). */
  readonly genidPrefix: string
  /** Id in an IRI of that kind; `undefined` for any other IRI. */
  readonly idOf: (kind: Exclude<ResourceKind, 'resource'>, iri: string) => string | undefined
  /** Type and id in the IRI of a resource of a declared type; `undefined` for any other IRI. */
  readonly typedIdOf: (iri: string) => TypedId | undefined
  /**
   * Whether the IRI is of a kind that the platform creates. Other IRIs under `{base}` may belong to the institution, such as
   * its publishers and vocabularies.
   */
  readonly owns: (iri: string) => boolean
}

/** Default path segments. */
export const defaultSegments: Segments = {
  dataset: 'set/data/',
  catalogue: 'id/catalogue/',
  record: 'set/record/',
  metrics: 'id/metrics/',
  distribution: 'set/distribution/',
  vocabulary: 'id/vocabulary/',
  resource: 'set/resource/',
}

/** All kinds of resources. */
export const segmentKinds: readonly ResourceKind[] = keysOf(defaultSegments)

/** Names under a base IRI such as `http://localhost:8080/`; a missing trailing slash is added. */
export function names(base: string, segments: Partial<Segments> = {}): Names {
  const root = base.endsWith('/') ? base : `${base}/`
  const parts = withDefaults(defaultSegments, segments)
  const iriMaker = (kind: ResourceKind) => {
    const prefix = root + parts[kind]
    return (id: string) => prefix + id
  }
  const prefixes = Object.values(parts).map((part) => root + part)
  const genidPrefix = `${root}.well-known/genid/`
  return {
    base: root,
    dataset: iriMaker('dataset'),
    catalogue: iriMaker('catalogue'),
    record: iriMaker('record'),
    metrics: iriMaker('metrics'),
    distribution: iriMaker('distribution'),
    vocabulary: iriMaker('vocabulary'),
    resource: (type, id) => `${root}${parts.resource}${type}/${id}`,
    resourceRecord: (type, id) => `${root}${parts.record}${type}/${id}`,
    genid: (graph) => `${genidPrefix}${hash('sha256', graph, 'hex').slice(0, 16)}/`,
    genidPrefix,
    idOf: (kind, iri) => {
      const prefix = root + parts[kind]
      const id = iri.startsWith(prefix) ? iri.slice(prefix.length) : ''
      return isId(id) ? id : undefined
    },
    typedIdOf: (iri) => {
      const prefix = root + parts.resource
      const [type = '', id = '', ...furtherParts] = iri.startsWith(prefix)
        ? iri.slice(prefix.length).split('/')
        : []
      return isId(type) && isId(id) && furtherParts.length === 0 ? { type, id } : undefined
    },
    owns: (iri) =>
      iri.startsWith(root) && [...prefixes, genidPrefix].some((prefix) => iri.startsWith(prefix)),
  }
}
