/** The entries of `resources`: types of records that the profile adds. */

import { z } from 'zod'
import type { ResourceType } from '../fields.ts'
import type { Placed } from './core.ts'
import { checkShape, faultOfIri, read, type EntryText } from './reading.ts'

/** A type before its shape is compiled. */
export type DeclaredType = Omit<ResourceType, 'shape'>

const settings = z.object({
  max_agg_size: z.int().min(1).default(50),
  max_result_window: z.int().min(1).default(10_000),
  facets: z
    .array(z.object({ name: z.string().min(1), title: z.string().optional(), path: z.string() }))
    .default([]),
})

const entry = z.object({
  id: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, { error: 'an id is up to 64 letters, digits and -' }),
  name: z.string().default(''),
  description: z.string().default(''),
  path: z.string(),
  shapeUri: z.string(),
  typeUri: z.string(),
  inCatalogue: z.boolean().default(false),
  searchSettings: settings.prefault({}),
})

const core: ReadonlySet<string> = new Set(['dataset', 'catalog', 'catalogue', 'vocabulary'])

/** Indices are told apart without regard to case, because not every engine regards it. */
function checkId(
  text: EntryText,
  id: string,
  index: number,
  found: readonly Placed<DeclaredType>[],
) {
  const place = text.at(['resources', index, 'id'], `resources "${id}"`)
  const same = (other: string) => other.toLowerCase() === id.toLowerCase()
  if (core.has(id.toLowerCase())) text.problems.add(place, 'is the id of a core index')
  if (found.some(({ entry: other }) => same(other.id)))
    text.problems.add(place, 'stands there twice')
}

function checkFacets(
  text: EntryText,
  facets: ResourceType['search']['facets'],
  index: number,
  id: string,
) {
  facets.forEach(({ name }, at) => {
    if (facets.findIndex((other) => other.name === name) === at) return
    const path = ['resources', index, 'searchSettings', 'facets', at]
    text.problems.add(text.at(path, `resources "${id}"`), `facet "${name}" stands there twice`)
  })
}

/** The types that can be used, in the order of the file. */
export function readResources(
  text: EntryText,
  values: readonly unknown[],
): readonly Placed<DeclaredType>[] {
  const found: Placed<DeclaredType>[] = []
  values.forEach((value, index) => {
    const path = ['resources', index]
    const one = read(text, entry, value, path)
    if (!one) return
    const { searchSettings, ...rest } = one
    const facets = searchSettings.facets.map((facet) => ({
      ...facet,
      title: facet.title ?? facet.name,
    }))
    const label = `resources "${one.id}"`
    checkId(text, one.id, index, found)
    checkShape(text, one, path, label)
    const fault = faultOfIri(one.typeUri)
    if (fault !== undefined)
      text.problems.add(text.at([...path, 'typeUri'], label), `typeUri "${one.typeUri}" ${fault}`)
    checkFacets(text, facets, index, one.id)
    const search = {
      facetSize: searchSettings.max_agg_size,
      window: searchSettings.max_result_window,
      facets,
    }
    found.push({ entry: { ...rest, search }, at: (key) => text.at([...path, key], label) })
  })
  return found
}
