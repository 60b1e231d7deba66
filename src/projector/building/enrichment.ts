/**
 * Fills values that name a concept of a configured vocabulary with texts of that concept. The fields concerned are found once in
 * the profile; a record without a match is returned unchanged.
 */

import { type Field, languageMaps, type MappingClass, type Profile } from '../../profile/profile.ts'
import { type ValueKind, valueKeysOf } from '../../profile/record-schemas.ts'
import { isJsonObject, type Json, type JsonObject } from '../../text/json.ts'
import type { Concept } from '../../vocabularies/concept.ts'
import type { BuilderContext } from './document.ts'
import { indexedShape } from './facets.ts'

/** Rule that fills the values of some fields from the concepts of a vocabulary. */
export type EnrichmentRule = {
  /** Id of a stored vocabulary. */
  readonly vocabulary: string
  /** Names of fields at any depth; a name with dots is an exact path. */
  readonly fields: readonly string[]
  /** `target`: key of the field's object; `source`: path in the indexed concept. */
  readonly replacements: readonly { readonly target: string; readonly source: string }[]
  /** Names of the indices to enrich. */
  readonly documents: readonly string[]
}

/** Finds the indexed concept of a stored vocabulary; accepts any spelling of its IRI (http or https, trailing slash). */
export type ConceptLookup = (vocabulary: string, iri: string) => Concept | undefined

/** Field with something to enrich in it or below it. */
type EnrichedField = {
  readonly name: string
  readonly isAgent: boolean
  /** Vocabularies in the order of the configuration. */
  readonly uses: readonly { readonly vocabulary: string; readonly fillings: readonly Filling[] }[]
  readonly children: readonly EnrichedField[]
}

type Filling = { readonly target: string; readonly kind: ValueKind; readonly source: Source }

const fieldsOfIndex = (profile: Profile, index: string): readonly Field[] | undefined =>
  index === 'vocabulary' ? undefined : indexedShape(profile, index)?.fields

const appliesTo = ({ fields }: EnrichmentRule, path: string, name: string) =>
  fields.includes(path) || fields.includes(name)

/** Returns the fields that the rules concern, as a tree. */
const enrichedFields = (
  fields: readonly Field[],
  rules: readonly EnrichmentRule[],
  inside = '',
): readonly EnrichedField[] =>
  fields.flatMap((field): readonly EnrichedField[] => {
    const { name, mapping } = field
    const children = enrichedFields(field.children, rules, `${inside}${name}.`)
    const uses = rules
      .filter((rule) => appliesTo(rule, inside + name, name))
      .map(({ vocabulary, replacements }) => {
        const fillings = replacements.flatMap(({ target, source: path }) => {
          const [kind, source] = [kindOf(field, target), sourceAt(path)]
          return kind && source ? [{ target, kind, source }] : []
        })
        return { vocabulary, fillings }
      })
      .filter(({ fillings }) => fillings.length > 0)
    const isAgent = mapping === 'Agent' || mapping === 'AgentMultiLang'
    return uses.length + children.length === 0 ? [] : [{ name, isAgent, uses, children }]
  })

/** Lists the parts of the rules that can have no effect, for the start-up log. */
export const enrichmentWarnings = (
  rules: readonly EnrichmentRule[],
  profile: Profile,
): readonly string[] =>
  rules.flatMap((rule) =>
    [...warningsOf(rule, profile)].map((warning) => `vocabulary ${rule.vocabulary}: ${warning}`),
  )

function* warningsOf(rule: EnrichmentRule, profile: Profile): Generator<string> {
  const { documents, replacements } = rule
  const matches = documents.flatMap((index) =>
    [...matchingFields(fieldsOfIndex(profile, index) ?? [], rule)].map((match) => ({
      index,
      ...match,
    })),
  )
  for (const index of documents)
    if (!fieldsOfIndex(profile, index)) yield `there are no documents of type "${index}"`
  for (const name of rule.fields)
    if (!matches.some(({ path, field }) => path === name || field.name === name))
      yield `there is no field "${name}"`
  for (const { source } of replacements) if (!sourceAt(source)) yield `a concept has no "${source}"`
  for (const { index, path, field } of matches)
    for (const { target } of replacements)
      if (!kindOf(field, target))
        yield `${index} field ${path} (${field.mapping}) cannot hold "${target}"`
}

function* matchingFields(
  fields: readonly Field[],
  rule: EnrichmentRule,
  inside = '',
): Generator<{ readonly path: string; readonly field: Field }> {
  for (const field of fields) {
    const path = inside + field.name
    if (appliesTo(rule, path, field.name)) yield { path, field }
    yield* matchingFields(field.children, rule, `${path}.`)
  }
}

/** Creates the function that enriches a record before it is indexed. */
export function enrichment(
  rules: readonly EnrichmentRule[],
  lookup: ConceptLookup,
  profile: Profile,
): NonNullable<BuilderContext['enrich']> {
  const enrichValue = (value: Json, field: EnrichedField, language: string): Json => {
    if (Array.isArray(value)) {
      const values: Json[] = value.map((element: Json) => enrichValue(element, field, language))
      return values.every((element, index) => element === value[index]) ? value : values
    }
    const withChildren = isJsonObject(value) ? enrichFields(value, field.children, language) : value
    // Only the IRI identifies the concept: an id may occur in several vocabularies.
    const iri = isJsonObject(withChildren) ? withChildren['resource'] : withChildren
    if (typeof iri !== 'string') return withChildren
    for (const { vocabulary, fillings } of field.uses) {
      const concept = lookup(vocabulary, iri)
      if (!concept) continue
      const original = isJsonObject(withChildren) ? withChildren : {}
      const parts = targetValues(original, fillings, concept, language)
      if (!field.isAgent) return { ...original, ...parts }
      // The texts of an agent are replaced by those of the vocabulary; its IRI stays visible.
      const { resource } = original
      return { type: 'Agent', ...(resource !== undefined && { resource }), ...parts }
    }
    return withChildren
  }
  const enrichFields = (record: JsonObject, fields: readonly EnrichedField[], language: string) => {
    let result = record
    for (const field of fields) {
      const value = record[field.name]
      const next = value === undefined ? undefined : enrichValue(value, field, language)
      if (next !== undefined && next !== value) result = { ...result, [field.name]: next }
    }
    return result
  }
  const fieldsByIndex = new Map(
    rules
      .flatMap(({ documents }) => documents)
      .map((index) => {
        const rulesOfIndex = rules.filter(({ documents }) => documents.includes(index))
        return [index, enrichedFields(fieldsOfIndex(profile, index) ?? [], rulesOfIndex)]
      }),
  )
  return (record, index, language) => enrichFields(record, fieldsByIndex.get(index) ?? [], language)
}

/**
 * Returns the targets in the form of each: one text, texts by language, or a list of texts; without a text the original value.
 */
function targetValues(
  original: JsonObject,
  fillings: readonly Filling[],
  concept: Concept,
  language: string,
): JsonObject {
  const parts: Record<string, Json> = {}
  for (const { target, kind, source } of fillings) {
    const sourceValue = source(concept, language)
    const text = typeof sourceValue === 'object' ? chooseText(sourceValue, language) : sourceValue
    let value: Json | undefined = text
    if (kind === 'map') value = typeof sourceValue === 'string' ? { en: sourceValue } : sourceValue
    else if (kind === 'list' && text !== undefined) value = [text]
    value ??= original[target]
    if (value !== undefined) parts[target] = value
  }
  return parts
}

const textClasses: ReadonlySet<MappingClass> = new Set([
  'StandardText',
  'StandardDisabled',
  'StandardKeyword',
  'StandardResourceKeyword',
  'LabeledText',
])

/** Returns the form of a target; `undefined` when the field has no such key, or one that cannot hold a text. */
function kindOf({ mapping, children }: Field, target: string): ValueKind | undefined {
  if (mapping !== 'Nested') return valueKeysOf(mapping).get(target)
  const child = children.find(({ name }) => name === target)
  if (!child) return undefined
  if (languageMaps.has(child.mapping)) return 'map'
  if (!textClasses.has(child.mapping)) return undefined
  return child.single ? 'text' : 'list'
}

// Sources: the texts of a concept that a replacement takes.

/** Texts by language key. */
type Texts = Readonly<Record<string, string>>

/** Reads one text of a concept, or texts by language; `language` is the default language of the record. */
type Source = (concept: Concept, language: string) => string | Texts | undefined

/** Chooses English, else the default language, else the first by code. */
const chooseText = (texts: Texts, language: string): string | undefined =>
  texts['en'] ?? texts[language] ?? texts[Object.keys(texts).toSorted()[0] ?? '']

/** Returns the first alternative label of each language. */
function alternatives({ altLabel }: Concept): Texts | undefined {
  const firsts = Object.entries(altLabel).flatMap(([language, [text]]) =>
    text === undefined ? [] : [[language, text] as const],
  )
  return firsts.length === 0 ? undefined : Object.fromEntries(firsts)
}

const sources = new Map<string, Source>([
  ['id', ({ id }) => id],
  ['resource', ({ iri }) => iri],
  ['in_scheme', ({ scheme }) => scheme],
  ['pref_label', ({ prefLabel }) => prefLabel],
  ['alt_label', alternatives],
])

/** Returns the source for a path such as `pref_label.en`, `pref_label` or `extensions.foaf_homepage`. */
function sourceAt(path: string): Source | undefined {
  const [, name = '', key] = /^([^.]*)(?:\.([^]+))?$/.exec(path) ?? []
  if (key === undefined) return sources.get(name)
  // A label in another language is better than none; alternative labels complement others, and may be absent.
  if (name === 'pref_label')
    return ({ prefLabel }, language) => prefLabel[key] ?? chooseText(prefLabel, language)
  if (name === 'alt_label') return (concept) => alternatives(concept)?.[key]
  if (name !== 'extensions') return undefined
  // Own keys only: `constructor` is no extension.
  return ({ extensions }) =>
    Object.entries(extensions).find(([candidate]) => candidate === key)?.[1]
}
