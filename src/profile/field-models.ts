/** The JSON of one value of each mapping class, as a JSON Schema (2020-12) from a file; `Nested` is made of its fields instead. */

import models from './field-models.json' with { type: 'json' }
import type { JsonSchema } from './json-schema.ts'

/** Names of the scores, in documents and as local names of the metrics. */
export const scores = [
  'scoring',
  'findabilityScoring',
  'accessibilityScoring',
  'interoperabilityScoring',
  'reusabilityScoring',
  'contextualityScoring',
] as const

/** A mapping class with a schema of its own. */
export type ClassWithModel = keyof typeof models

/** `Nested` has none, and neither has what is no mapping class. */
export const isClassWithModel = (name: string): name is ClassWithModel =>
  Object.hasOwn(models, name)

/** Their names, which components of the OpenAPI document have. */
export const classesWithModel: readonly string[] = Object.keys(models)

/** The schema of one value; `undefined` for `Nested`. */
export const modelOf = (mapping: string): JsonSchema | undefined =>
  isClassWithModel(mapping) ? models[mapping] : undefined

/** Other classes whose components a model refers to. */
export const referencedModels = (mapping: string): readonly ClassWithModel[] =>
  mapping === 'Page' ? ['Format'] : []
