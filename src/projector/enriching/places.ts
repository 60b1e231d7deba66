/** Where in the documents of an index the rules of enrichment apply; found once in the field tree. */

import type { Field, MappingClass, Profile } from '../../profile/fields.ts'
import { sourceAt, type Source } from './sources.ts'
import { kindOf, type Kind } from './targets.ts'

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
export type Use = {
  readonly vocabulary: string
  readonly isAgent: boolean
  readonly fillings: readonly Filling[]
}

/** A field with something to enrich in it or below it. */
export type Place = {
  readonly name: string
  /** In the order of the configuration. */
  readonly uses: readonly Use[]
  readonly below: readonly Place[]
}

const agents: ReadonlySet<MappingClass> = new Set(['Agent', 'AgentMultiLang'])

/** The fields of the documents of an index; `undefined` when there is no such index. */
export function fieldsOfIndex(profile: Profile, index: string): readonly Field[] | undefined {
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
export function placesOf(
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
