/** The compiled profile: a tree of fields that drives documents, index settings and response models. */

import { type ClassWithModel, isClassWithModel } from './field-models.ts'

/** Name of the function that turns RDF values of a field into JSON. */
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
  /** IRIs of the predicates whose values fill the field; empty = only the platform or an enrichment fills it. */
  readonly paths: readonly string[]
  /** `sh:minCount 1` */
  readonly required: boolean
  /** `sh:maxCount 1`: the JSON is one value instead of an array. */
  readonly single: boolean
  /** Fields of a `Nested` value, in profile order. */
  readonly children: readonly Field[]
  /** IRI of the shape whose fields are embedded (`mappingLink`). */
  readonly link?: string
  /** Embedding ends here, because of its depth or a cycle; values become `{id, resource}`. */
  readonly tooDeep?: true
  /** `sh:name`: label for readers. */
  readonly title?: string
  readonly description?: string
}

/** Fields of one class of records, compiled from a SHACL node shape: a root of the field tree. */
export type Shape = {
  readonly iri: string
  readonly targetClass: string
  readonly name: string
  readonly description: string
  readonly fields: readonly Field[]
}

/** Entry of `core` in `platform.json`, as `GET /profile` shows it. */
export type Entry = {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Shapes file, relative to the profile directory. */
  readonly path: string
  readonly shapeUri: string
}

/** Facet of a custom resource type; `path` is a field name, dotted for a nested field. */
type ResourceFacet = { readonly name: string; readonly title: string; readonly path: string }

/** Resource type that the profile adds to catalogues, datasets and concepts. */
export type ResourceType = {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Shapes file, relative to the profile directory. */
  readonly path: string
  readonly shapeUri: string
  /** RDF class by which such a resource is recognised in the body of a write. */
  readonly typeUri: string
  /** Whether resources of the type belong to a catalogue. */
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

/** SHACL files of a profile directory, compiled to the shapes and fields of all kinds of records. */
export type Profile = {
  readonly id: string
  /** Format version of the entry file. */
  readonly version: string
  /** Version of the annotation terms: `1`. */
  readonly profileVersion: string
  readonly title: string
  readonly description: string
  readonly maker: string
  /** Version of the profile (`owl:versionInfo`), free text. */
  readonly versionInfo: string
  /** Whether it is the profile that ships with the platform. */
  readonly builtIn: boolean
  /** Feature flag that `GET /profile` shows; it changes nothing else here. */
  readonly enabled: boolean
  readonly dataset: Shape
  readonly catalogue: Shape
  readonly concept: Shape
  /** Entries of `core`. */
  readonly entries: readonly Entry[]
  readonly resources: readonly ResourceType[]
  /** All shapes of the profile as one Turtle text. */
  readonly shapes: string
  /** SHA-256 over the compiled fields and types: another hash means other documents or another index. */
  readonly hash: string
  /** Problems with which the process starts nevertheless, as sentences. */
  readonly warnings: readonly string[]
}
