/** The compiled profile: a tree of fields that drives documents, index settings and response models. */

import { type ClassWithModel, isClassWithModel } from './field-models.ts'

/** Name of the class that turns a value into JSON. */
export type MappingClass = ClassWithModel | 'Nested'

/** Whether a profile may use the name as `mappingClass`. */
export const isMappingClass = (name: string): name is MappingClass =>
  name === 'Nested' || isClassWithModel(name)

/** Classes whose value is an object from language to text, never an array. */
export const languageMaps: ReadonlySet<MappingClass> = new Set([
  'SimpleMultiLangTitle',
  'SimpleMultiLang',
  'MultiLang',
  'MultiLangTitle',
  'TrimmedMultiLangTitle',
  'TrimmedMultiLangSubtitle',
])

/** One field of a document. */
export type Field = {
  readonly name: string
  readonly mapping: MappingClass
  /** Predicate IRIs whose values count; empty = the platform fills the field. */
  readonly paths: readonly string[]
  /** `sh:minCount 1` */
  readonly required: boolean
  /** `sh:maxCount 1`: a value instead of an array. */
  readonly single: boolean
  /** Fields of a `Nested` value, in profile order. */
  readonly children: readonly Field[]
  /** IRI of the embedded shape. */
  readonly link?: string
  /** The embedding ends here, because of its depth or a circle; values become `{id, resource}`. */
  readonly tooDeep?: true
  /** `sh:name`: what people read. */
  readonly title?: string
  readonly description?: string
}

/** A root of the field tree. */
export type Shape = {
  readonly iri: string
  readonly targetClass: string
  readonly name: string
  readonly description: string
  readonly fields: readonly Field[]
}

/** An entry of `core` as `GET /profile` shows it. */
export type Entry = {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Shapes file, relative to the profile directory. */
  readonly path: string
  readonly shapeUri: string
}

/** A facet of a custom resource type; `path` is a field, dotted where it lies inside another. */
type ResourceFacet = { readonly name: string; readonly title: string; readonly path: string }

/** A resource type that the profile adds to catalogues, datasets and concepts. */
export type ResourceType = {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Shapes file, relative to the profile directory. */
  readonly path: string
  readonly shapeUri: string
  /** RDF class that marks such a resource in what a client writes. */
  readonly typeUri: string
  /** Whether it must be written into a catalogue. */
  readonly inCatalogue: boolean
  readonly shape: Shape
  readonly search: {
    /** Most items that a facet lists. */
    readonly facetSize: number
    /** Most hits that can be paged through. */
    readonly window: number
    readonly facets: readonly ResourceFacet[]
  }
}

export type Profile = {
  readonly id: string
  /** Version of the entry file's form. */
  readonly version: string
  readonly profileVersion: string
  readonly title: string
  readonly description: string
  readonly maker: string
  /** The profile's own version, free text. */
  readonly versionInfo: string
  readonly builtIn: boolean
  readonly enabled: boolean
  readonly dataset: Shape
  readonly catalogue: Shape
  readonly concept: Shape
  readonly entries: readonly Entry[]
  readonly resources: readonly ResourceType[]
  /** All shapes of the profile as one Turtle text. */
  readonly shapes: string
  /** SHA-256 over the compiled fields and types: another hash means other documents or another index. */
  readonly hash: string
  /** Problems that do not keep the process from starting, as sentences. */
  readonly warnings: readonly string[]
}
