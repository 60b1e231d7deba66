/**
 * Enrichment: values that name a concept of a configured vocabulary are filled from that concept. Where the rules apply is found
 * once in the field tree of the profile; a record without a hit comes back as it is.
 */

import { type Field, languageMaps, type MappingClass, type Profile } from '../../profile/profile.ts'
import { type TargetKind, targetsOf } from '../../profile/record-schemas.ts'
import { isJsonObject, type Json, type JsonObject } from '../../text/json.ts'
import type { Concept } from '../../vocabularies/concept.ts'
import type { BuilderContext } from './document.ts'
import { indexedShape } from './facets.ts'

/** How the values of some fields are filled from the concepts of a vocabulary. */
export type EnrichmentRule = {
  /** Id of a stored vocabulary. */
  readonly vocabulary: string
  /** Names of fields at any depth; a dotted one is exact. */
  readonly fields: readonly string[]
  /** Key of the field's object, and path in the indexed concept. */
  readonly replacements: readonly { readonly target: string; readonly source: string }[]
  /** Names of the indices whose documents are enriched. */
  readonly documents: readonly string[]
}

/** The indexed concept of a stored vocabulary, whatever the spelling of its IRI (http or https, slash at the end). */
export type ConceptLookup = (vocabulary: string, iri: string) => Concept | undefined

/** A field with something to enrich in it or below it. */
type Enriched = {
  readonly name: string
  readonly isAgent: boolean
  /** In the order of the configuration. */
  readonly uses: readonly { readonly vocabulary: string; readonly fillings: readonly Filling[] }[]
  readonly below: readonly Enriched[]
}

type Filling = { readonly target: string; readonly kind: TargetKind; readonly source: Source }

const fieldsOfIndex = (profile: Profile, index: string): readonly Field[] | undefined =>
  index === 'vocabulary' ? undefined : indexedShape(profile, index)?.fields

const isMeant = ({ fields }: EnrichmentRule, path: string, name: string) =>
  fields.includes(path) || fields.includes(name)

/** The fields that the rules touch, as a tree. */
const enrichedFields = (
  fields: readonly Field[],
  rules: readonly EnrichmentRule[],
  inside = '',
): readonly Enriched[] =>
  fields.flatMap((field): readonly Enriched[] => {
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

/** What of the rules can have no effect, for the start-up log. */
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

/** Makes the hook that changes a record before it is indexed. */
export function enrichment(
  rules: readonly EnrichmentRule[],
  lookup: ConceptLookup,
  profile: Profile,
): NonNullable<BuilderContext['enrich']> {
  const enriched = (value: Json, field: Enriched, language: string): Json => {
    if (Array.isArray(value)) {
      const values: Json[] = value.map((one: Json) => enriched(one, field, language))
      return values.every((one, at) => one === value[at]) ? value : values
    }
    const deep = isJsonObject(value) ? inside(value, field.below, language) : value
    // Only the IRI counts: an id alone may belong to anybody.
    const iri = isJsonObject(deep) ? deep['resource'] : deep
    if (typeof iri !== 'string') return deep
    for (const { vocabulary, fillings } of field.uses) {
      const concept = lookup(vocabulary, iri)
      if (!concept) continue
      const before = isJsonObject(deep) ? deep : {}
      const parts = filled(before, fillings, concept, language)
      if (!field.isAgent) return { ...before, ...parts }
      // An agent becomes what the vocabulary says of it; which one it is must stay visible.
      const { resource } = before
      return { type: 'Agent', ...(resource !== undefined && { resource }), ...parts }
    }
    return deep
  }
  const inside = (record: JsonObject, fields: readonly Enriched[], language: string) => {
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

/** The targets in the form that each has: one text, texts by language, or a list of texts. */
function filled(
  before: JsonObject,
  fillings: readonly Filling[],
  concept: Concept,
  language: string,
): JsonObject {
  const parts: Record<string, Json> = {}
  for (const { target, kind, source } of fillings) {
    const taken = source(concept, language)
    const text = typeof taken === 'object' ? oneOf(taken, language) : taken
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

/** `undefined` when the field has no such key, or one that no text of a concept can stand in. */
function kindOf({ mapping, children }: Field, target: string): TargetKind | undefined {
  if (mapping !== 'Nested') return targetsOf(mapping).get(target)
  const child = children.find(({ name }) => name === target)
  if (!child) return undefined
  if (languageMaps.has(child.mapping)) return 'map'
  if (!texts.has(child.mapping)) return undefined
  return child.single ? 'text' : 'list'
}

// What a replacement takes out of a concept.

/** Language key → text. */
type Texts = Readonly<Record<string, string>>

/** Reads a text of a concept, or texts in several languages; `language` is the default language of the record. */
type Source = (concept: Concept, language: string) => string | Texts | undefined

/** English, else the default language, else the first by code. */
const oneOf = (texts: Texts, language: string): string | undefined =>
  texts['en'] ?? texts[language] ?? texts[Object.keys(texts).toSorted()[0] ?? '']

/** The first alternative label of each language. */
function alternatives({ altLabel }: Concept): Texts | undefined {
  const firsts = Object.entries(altLabel).flatMap(([language, [text]]) =>
    text === undefined ? [] : [[language, text] as const],
  )
  return firsts.length === 0 ? undefined : Object.fromEntries(firsts)
}

const whole = new Map<string, Source>([
  ['id', ({ id }) => id],
  ['resource', ({ iri }) => iri],
  ['in_scheme', ({ scheme }) => scheme],
  ['pref_label', ({ prefLabel }) => prefLabel],
  ['alt_label', alternatives],
])

/** The source that a path such as `pref_label.en`, `pref_label` or `extensions.foaf_homepage` names. */
function sourceAt(path: string): Source | undefined {
  const [, name = '', key] = /^([^.]*)(?:\.([^]+))?$/.exec(path) ?? []
  if (key === undefined) return whole.get(name)
  if (name === 'pref_label')
    return ({ prefLabel }, language) => prefLabel[key] ?? oneOf(prefLabel, language)
  if (name === 'alt_label') return (concept) => alternatives(concept)?.[key]
  if (name !== 'extensions') return undefined
  return ({ extensions }) => Object.entries(extensions).find(([one]) => one === key)?.[1]
}
