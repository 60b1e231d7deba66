/** What the datasets of a catalogue carry of it, and whether that is still what the index has. */

import { isDeepStrictEqual } from 'node:util'
import type { MappingClass, Profile } from '../../../profile/fields.ts'
import { languageMaps } from '../../../profile/fields.ts'
import type { GatherDeps } from '../records.ts'

/** Classes that look nothing up. */
const plain: ReadonlySet<MappingClass> = new Set([
  ...languageMaps,
  'StandardText',
  'StandardKeyword',
  'StandardResourceKeyword',
  'StandardDisabled',
  'LabeledText',
  'DateTime',
  'Integer',
  'Numeric',
  'Boolean',
])

/** Fields of a catalogue that stand in its datasets in one way or another; `undefined` when the catalogue's document does not show all of them. */
function embeddedFields(profile: Profile): readonly string[] | undefined {
  const own = new Set(profile.catalogue.fields.map(({ name }) => name))
  const embedding = [profile.dataset, ...profile.resources.map(({ shape }) => shape)]
  const children = embedding
    .flatMap(({ fields }) => fields.filter(({ name }) => name === 'catalog'))
    .flatMap((field) => field.children)
  const isSeen = children.every(
    ({ name, paths, mapping }) =>
      (paths.length === 0 ? own.has(name) : plain.has(mapping)) || name === 'id',
  )
  if (!isSeen || !own.has('country') || !own.has('language')) return undefined
  return ['country', 'language', ...children.map(({ name }) => name)]
}

const chosen = (record: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  names.map((name) => record[name])

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Answers whether the datasets of a catalogue would look different, now that concepts have changed. */
export function embeddedChange(deps: Omit<GatherDeps, 'told'>) {
  const fields = embeddedFields(deps.profile)
  return async (id: string, signal: AbortSignal): Promise<boolean> => {
    const context = await deps.contexts.get(id, signal)
    if (!context || context.hidden) return false
    const text = await deps.index.get('catalogue', id, signal)
    const before: unknown = text === undefined ? undefined : JSON.parse(text)
    if (!fields || !isRecord(before)) return true
    await deps.stored.prepare([context.graph], signal)
    const input = { ...context, iri: deps.names.catalogue(id), version: 0 }
    const after: unknown = JSON.parse(JSON.stringify(deps.builder.catalogue(input).document.record))
    return !isRecord(after) || !isDeepStrictEqual(chosen(before, fields), chosen(after, fields))
  }
}
