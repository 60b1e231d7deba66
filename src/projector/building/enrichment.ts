/** Enrichment: values that name a concept of a configured vocabulary are filled from that concept. */

import { type Field, languageMaps, type MappingClass, type Profile } from '../../profile/profile.ts'
import { targetsOf } from '../../profile/record-schemas.ts'
import type { Concept } from '../../vocabularies/concept.ts'
import { isObject, type Json, type JsonObject } from '../mappings/mapping.ts'
import type { BuilderDeps } from './assemble.ts'

// Where in the documents of an index the rules of enrichment apply; found once in the field tree.

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

type Filling = { readonly target: string; readonly kind: Kind; readonly source: Source }

/** A rule as it applies to one field. */
type Use = {
  readonly vocabulary: string
  readonly isAgent: boolean
  readonly fillings: readonly Filling[]
}

/** A field with something to enrich in it or below it. */
type Place = {
  readonly name: string
  /** In the order of the configuration. */
  readonly uses: readonly Use[]
  readonly below: readonly Place[]
}

const agents: ReadonlySet<MappingClass> = new Set(['Agent', 'AgentMultiLang'])

/** The fields of the documents of an index; `undefined` when there is no such index. */
function fieldsOfIndex(profile: Profile, index: string): readonly Field[] | undefined {
  if (index === 'dataset') return profile.dataset.fields
  if (index === 'catalogue') return profile.catalogue.fields
  return profile.resources.find(({ id }) => `resource_${id}` === index)?.shape.fields
}

const isMeant = ({ fields }: EnrichmentRule, path: string, name: string) =>
  fields.some((wanted) => wanted === path || wanted === name)

function useOf(rule: EnrichmentRule, field: Field): Use | undefined {
  const fillings = rule.replacements.flatMap(({ target, source }): Filling[] => {
    const kind = kindOf(field, target)
    const from = sourceAt(source)
    return kind && from ? [{ target, kind, source: from }] : []
  })
  if (fillings.length === 0) return undefined
  return { vocabulary: rule.vocabulary, isAgent: agents.has(field.mapping), fillings }
}

/** The fields that the rules touch, as a tree. */
function placesOf(
  fields: readonly Field[],
  rules: readonly EnrichmentRule[],
  inside = '',
): readonly Place[] {
  return fields.flatMap((field): Place[] => {
    const path = inside + field.name
    const below = placesOf(field.children, rules, `${path}.`)
    const meant = rules.filter((rule) => isMeant(rule, path, field.name))
    const uses = meant.flatMap((rule) => useOf(rule, field) ?? [])
    return uses.length + below.length === 0 ? [] : [{ name: field.name, uses, below }]
  })
}

function* fieldsMeant(
  fields: readonly Field[],
  rule: EnrichmentRule,
  inside = '',
): Generator<readonly [string, Field]> {
  for (const field of fields) {
    const path = inside + field.name
    if (isMeant(rule, path, field.name)) yield [path, field]
    yield* fieldsMeant(field.children, rule, `${path}.`)
  }
}

function warningsOf(rule: EnrichmentRule, profile: Profile): readonly string[] {
  const say = (what: string) => `vocabulary ${rule.vocabulary}: ${what}`
  const indices = rule.documents.flatMap((index) => {
    const fields = fieldsOfIndex(profile, index)
    return fields ? [{ index, fields }] : []
  })
  const unknown = rule.documents.filter((index) => !fieldsOfIndex(profile, index))
  const meant = indices.flatMap(({ index, fields }) =>
    [...fieldsMeant(fields, rule)].map(([path, field]) => ({ index, path, field })),
  )
  const unused = rule.fields.filter(
    (wanted) => !meant.some(({ path, field }) => path === wanted || field.name === wanted),
  )
  const sources = rule.replacements.filter(({ source }) => !sourceAt(source))
  const targets = meant.flatMap(({ index, path, field }) =>
    rule.replacements
      .filter(({ target }) => !kindOf(field, target))
      .map(({ target }) => `${index} field ${path} (${field.mapping}) cannot hold "${target}"`),
  )
  return [
    ...unknown.map((index) => `there are no documents of type "${index}"`),
    ...unused.map((field) => `there is no field "${field}"`),
    ...sources.map(({ source }) => `a concept has no "${source}"`),
    ...targets,
  ].map(say)
}

/** What of the rules can have no effect, for the start-up log. */
export const enrichmentWarnings = (
  rules: readonly EnrichmentRule[],
  profile: Profile,
): readonly string[] => rules.flatMap((rule) => warningsOf(rule, profile))

/** The indexed concept of a stored vocabulary, whatever the spelling of its IRI (http or https, slash at the end). */
export type Lookup = (vocabulary: string, iri: string) => Concept | undefined

type Hit = { readonly use: Use; readonly concept: Concept }

/** Only the IRI counts: an id alone may belong to anybody. */
function iriOf(value: Json): string | undefined {
  if (typeof value === 'string') return value
  const resource = isObject(value) ? value['resource'] : undefined
  return typeof resource === 'string' ? resource : undefined
}

function filled(value: Json, { use, concept }: Hit, language: string): Json {
  const before: JsonObject = isObject(value) ? value : {}
  const found: Record<string, Json> = {}
  for (const { target, kind, source } of use.fillings) {
    const taken = source(concept, language)
    const json = taken === undefined ? undefined : shaped(kind, taken, language)
    const kept = json ?? before[target]
    if (kept !== undefined) found[target] = kept
  }
  if (!use.isAgent) return { ...before, ...found }
  // An agent becomes what the vocabulary says of it; which one it is must stay visible.
  const { resource } = before
  return { type: 'Agent', ...(resource !== undefined && { resource }), ...found }
}

/** Makes the hook that changes a record before it is indexed. A record without a hit comes back as it is. */
export function enrichment(
  rules: readonly EnrichmentRule[],
  lookup: Lookup,
  profile: Profile,
): NonNullable<BuilderDeps['enrich']> {
  const hitOf = (value: Json, uses: readonly Use[]): Hit | undefined => {
    const iri = uses.length === 0 ? undefined : iriOf(value)
    if (iri === undefined) return undefined
    for (const use of uses) {
      const concept = lookup(use.vocabulary, iri)
      if (concept) return { use, concept }
    }
    return undefined
  }
  const enriched = (value: Json, place: Place, language: string): Json => {
    if (Array.isArray(value)) {
      const values: Json[] = value.map((one: Json) => enriched(one, place, language))
      return values.every((one, at) => one === value[at]) ? value : values
    }
    const deep = isObject(value) ? inside(value, place.below, language) : value
    const hit = hitOf(deep, place.uses)
    return hit ? filled(deep, hit, language) : deep
  }
  const inside = (record: JsonObject, places: readonly Place[], language: string): JsonObject => {
    let changed: Record<string, Json> | undefined
    for (const place of places) {
      const value = record[place.name]
      if (value === undefined) continue
      const next = enriched(value, place, language)
      if (next !== value) changed = { ...(changed ?? record), [place.name]: next }
    }
    return changed ?? record
  }

  const indices = [...new Set(rules.flatMap(({ documents }) => documents))]
  const places = new Map(
    indices.map((index) => {
      const meant = rules.filter(({ documents }) => documents.includes(index))
      return [index, placesOf(fieldsOfIndex(profile, index) ?? [], meant)]
    }),
  )
  return (record, index, language) => {
    const own = places.get(index)
    return own && own.length > 0 ? inside(record, own, language) : record
  }
}

// What a target of an enrichment holds in the JSON of its field: one text, texts by language, or a list of texts.

type Kind = 'text' | 'map' | 'list'

const maps: Partial<Record<MappingClass, readonly string[]>> = {
  Theme: ['label'],
  HvdCategory: ['label'],
  EuroVoc: ['label'],
  GenericSkosMultiLang: ['label'],
  AgentMultiLang: ['name'],
  Page: ['title', 'description'],
}

const lists: Partial<Record<MappingClass, readonly string[]>> = {
  ContactPoint: ['url'],
  QualifiedRelation: ['relation', 'had_role'],
  MetadataExtension: ['is_used_by'],
}

const texts: ReadonlySet<MappingClass> = new Set([
  'StandardText',
  'StandardDisabled',
  'StandardKeyword',
  'StandardResourceKeyword',
  'LabeledText',
])

function kindOfField({ mapping, single }: Field): Kind | undefined {
  if (languageMaps.has(mapping)) return 'map'
  if (!texts.has(mapping)) return undefined
  return single ? 'text' : 'list'
}

/** `undefined` when the field has no such key, or one that no text of a concept can stand in. */
function kindOf(field: Field, target: string): Kind | undefined {
  if (field.mapping === 'Nested') {
    const child = field.children.find(({ name }) => name === target)
    return child && kindOfField(child)
  }
  if (!targetsOf(field.mapping).has(target)) return undefined
  if (field.mapping === 'Page' && target === 'format') return undefined
  if (maps[field.mapping]?.includes(target)) return 'map'
  return lists[field.mapping]?.includes(target) ? 'list' : 'text'
}

/** What was taken out of a concept in the form that its target has. */
function shaped(kind: Kind, taken: Taken, language: string): Json | undefined {
  if (kind === 'map') return typeof taken === 'string' ? { en: taken } : taken
  const text = typeof taken === 'string' ? taken : oneOf(taken, language)
  if (text === undefined) return undefined
  return kind === 'list' ? [text] : text
}

// What a replacement takes out of a concept: the paths of the indexed concept, and which language stands in for one
// that is missing.

/** Language key → text. */
type Texts = Readonly<Record<string, string>>

/** A text, or texts in several languages. */
type Taken = string | Texts

/** Reads a concept; `language` is the default language of the record. */
type Source = (concept: Concept, language: string) => Taken | undefined

/** English, else the default language, else the first by code. */
function oneOf(texts: Texts, language: string): string | undefined {
  const [first] = Object.keys(texts).toSorted()
  return texts['en'] ?? texts[language] ?? (first === undefined ? undefined : texts[first])
}

const alternatives = ({ altLabel }: Concept): Texts | undefined => {
  const firsts = Object.entries(altLabel).flatMap(([language, [text]]) =>
    text === undefined ? [] : [[language, text] as const],
  )
  return firsts.length === 0 ? undefined : Object.fromEntries(firsts)
}

const whole: Readonly<Record<string, Source>> = {
  id: ({ id }) => id,
  resource: ({ iri }) => iri,
  in_scheme: ({ scheme }) => scheme,
  pref_label: ({ prefLabel }) => prefLabel,
  alt_label: alternatives,
}

const inside: Readonly<Record<string, (key: string) => Source>> = {
  pref_label:
    (wanted) =>
    ({ prefLabel }, language) =>
      prefLabel[wanted] ?? oneOf(prefLabel, language),
  alt_label: (wanted) => (concept) => alternatives(concept)?.[wanted],
  extensions:
    (key) =>
    ({ extensions }) =>
      Object.entries(extensions).find(([name]) => name === key)?.[1],
}

/** The source that a path such as `pref_label.en`, `pref_label` or `extensions.foaf_homepage` names. */
function sourceAt(path: string): Source | undefined {
  const dot = path.indexOf('.')
  if (dot < 0) return Object.hasOwn(whole, path) ? whole[path] : undefined
  const [name, key] = [path.slice(0, dot), path.slice(dot + 1)]
  return Object.hasOwn(inside, name) && key !== '' ? inside[name]?.(key) : undefined
}
