/** What a target of an enrichment holds in the JSON of its field: one text, texts by language, or a list of texts. */

import { languageMaps, type Field, type MappingClass } from '../../profile/fields.ts'
import { targetsOf } from '../../profile/schemas/records.ts'
import type { Json } from '../mappings/json.ts'
import { oneOf, type Taken } from './sources.ts'

export type Kind = 'text' | 'map' | 'list'

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
export function kindOf(field: Field, target: string): Kind | undefined {
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
export function shaped(kind: Kind, taken: Taken, language: string): Json | undefined {
  if (kind === 'map') return typeof taken === 'string' ? { en: taken } : taken
  const text = typeof taken === 'string' ? taken : oneOf(taken, language)
  if (text === undefined) return undefined
  return kind === 'list' ? [text] : text
}
