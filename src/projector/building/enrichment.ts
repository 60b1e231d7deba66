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
  readonly below: readonly EnrichedField[]
}

type Filling = { readonly target: string; readonly kind: ValueKind; readonly source: Source }

const fieldsOfIndex = (profile: Profile, index: string): readonly Field[] | undefined =>
  index === 'vocabulary' ? undefined : indexedShape(profile, index)?.fields

const isMeant = ({ fields }: EnrichmentRule, path: string, name: string) =>
  fields.includes(path) || fields.includes(name)

/** Returns the fields that the rules concern, as a tree. */
const enrichedFields = (
  fields: readonly Field[],
  rules: readonly EnrichmentRule[],
  inside = '',
): readonly EnrichedField[] =>
  fields.flatMap((field): readonly EnrichedField[] => {
    const { name, mapping } = field
    const below = enrichedFields(field.children, rules, `${inside}${name}.`)
    const uses = rules
      .filter((rule) => isMeant(rule, inside + name, name))
      .map(({ vocabulary, replacements }) => {
        const fillings = replacements.flatMap(({ target, source: path }) => {
          const [kind, source] = [kindOf(field, target), sourceAt(path)]
          return kind && source ? [{ target, kind, source }] : []
        })
        return { vocabulary, fillings }
      })
      .filter(({ fillings }) => fillings.length > 0)
    const isAgent = mapping === 'Agent' || mapping === 'AgentMultiLang'
    return uses.length + below.length === 0 ? [] : [{ name, isAgent, uses, below }]
  })

/** Lists the parts of the rules that can have no effect, for the start-up log. */
export const enrichmentWarnings = (
  rules: readonly EnrichmentRule[],
  profile: Profile,
): readonly string[] =>
  rules.flatMap((rule) =>
    [...warningsOf(rule, profile)].map((what) => `vocabulary ${rule.vocabulary}: ${what}`),
  )

function* warningsOf(rule: EnrichmentRule, profile: Profile): Generator<string> {
  const { documents, replacements } = rule
  const meant = documents.flatMap((index) =>
    [...fieldsMeant(fieldsOfIndex(profile, index) ?? [], rule)].map((one) => ({ index, ...one })),
  )
  for (const index of documents)
    if (!fieldsOfIndex(profile, index)) yield `there are no documents of type "${index}"`
  for (const name of rule.fields)
    if (!meant.some(({ path, field }) => path === name || field.name === name))
      yield `there is no field "${name}"`
  for (const { source } of replacements) if (!sourceAt(source)) yield `a concept has no "${source}"`
  for (const { index, path, field } of meant)
    for (const { target } of replacements)
      if (!kindOf(field, target))
        yield `${index} field ${path} (${field.mapping}) cannot hold "${target}"`
}

function* fieldsMeant(
  fields: readonly Field[],
  rule: EnrichmentRule,
  inside = '',
): Generator<{ readonly path: string; readonly field: Field }> {
  for (const field of fields) {
    const path = inside + field.name
    if (isMeant(rule, path, field.name)) yield { path, field }
    yield* fieldsMeant(field.children, rule, `${path}.`)
  }
}

/** Creates the function that enriches a record before it is indexed. */
export function enrichment(
  rules: readonly EnrichmentRule[],
  lookup: ConceptLookup,
  profile: Profile,
): NonNullable<BuilderContext['enrich']> {
  const enriched = (value: Json, field: EnrichedField, language: string): Json => {
    if (Array.isArray(value)) {
      const values: Json[] = value.map((one: Json) => enriched(one, field, language))
      return values.every((one, at) => one === value[at]) ? value : values
    }
    const deep = isJsonObject(value) ? inside(value, field.below, language) : value
    // Only the IRI identifies the concept: an id may occur in several vocabularies.
    const iri = isJsonObject(deep) ? deep['resource'] : deep
    if (typeof iri !== 'string') return deep
    for (const { vocabulary, fillings } of field.uses) {
      const concept = lookup(vocabulary, iri)
      if (!concept) continue
      const before = isJsonObject(deep) ? deep : {}
      const parts = targetValues(before, fillings, concept, language)
      if (!field.isAgent) return { ...before, ...parts }
      // The texts of an agent are replaced by those of the vocabulary; its IRI stays visible.
      const { resource } = before
      return { type: 'Agent', ...(resource !== undefined && { resource }), ...parts }
    }
    return deep
  }
  const inside = (record: JsonObject, fields: readonly EnrichedField[], language: string) => {
    let changed = record
    for (const field of fields) {
      const value = record[field.name]
      const next = value === undefined ? undefined : enriched(value, field, language)
      if (next !== undefined && next !== value) changed = { ...changed, [field.name]: next }
    }
    return changed
  }
  const fields = new Map(
    rules
      .flatMap(({ documents }) => documents)
      .map((index) => {
        const own = rules.filter(({ documents }) => documents.includes(index))
        return [index, enrichedFields(fieldsOfIndex(profile, index) ?? [], own)]
      }),
  )
  return (record, index, language) => inside(record, fields.get(index) ?? [], language)
}

/** Returns the targets in the form of each: one text, texts by language, or a list of texts. */
function targetValues(
  before: JsonObject,
  fillings: readonly Filling[],
  concept: Concept,
  language: string,
): JsonObject {
  const parts: Record<string, Json> = {}
  for (const { target, kind, source } of fillings) {
    const taken = source(concept, language)
    const text = typeof taken === 'object' ? chooseText(taken, language) : taken
    let value: Json | undefined = text
    if (kind === 'map') value = typeof taken === 'string' ? { en: taken } : taken
    else if (kind === 'list' && text !== undefined) value = [text]
    value ??= before[target]
    if (value !== undefined) parts[target] = value
  }
  return parts
}

const texts: ReadonlySet<MappingClass> = new Set([
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
  if (!texts.has(child.mapping)) return undefined
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
  if (name === 'pref_label')
    return ({ prefLabel }, language) => prefLabel[key] ?? chooseText(prefLabel, language)
  if (name === 'alt_label') return (concept) => alternatives(concept)?.[key]
  if (name !== 'extensions') return undefined
  return ({ extensions }) => Object.entries(extensions).find(([one]) => one === key)?.[1]
}
