/**
 * JSON Schemas (2020-12) of one value of each mapping class, from `field-models.json`; values of `Nested` are described by their
 * fields.
 */

import models from './field-models.json' with { type: 'json' }
import type { JsonSchema } from './json-schema.ts'

/** Names of the metadata quality scores, as keys of documents and as local names of the metrics' IRIs. */
export const scores = [
  'scoring',
  'findabilityScoring',
  'accessibilityScoring',
  'interoperabilityScoring',
  'reusabilityScoring',
  'contextualityScoring',
] as const

/** Name of a mapping class that has a schema. */
export type ClassWithModel = keyof typeof models

/** Whether a name is a mapping class with a schema; `Nested` has none. */
export const isClassWithModel = (name: string): name is ClassWithModel =>
  Object.hasOwn(models, name)

/** Names of the mapping classes with a schema, which are also names of components of the OpenAPI document. */
export const classesWithModel: readonly string[] = Object.keys(models)

/** Schema of one value of a mapping class; `undefined` for `Nested` and unknown names. */
export const modelOf = (mapping: string): JsonSchema | undefined =>
  isClassWithModel(mapping) ? models[mapping] : undefined

/** Mapping classes to whose components the schema of a class refers. */
export const referencedModels = (mapping: string): readonly ClassWithModel[] =>
  mapping === 'Page' ? ['Format'] : []
