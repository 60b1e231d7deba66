/** `filterDistributions`: of the parts that a record lists, only those that its facets ask for. */

import { includeFields } from '../../search-index/include.ts'
import type { FacetFilter } from '../../search-index/search-index.ts'
import type { IndexSettings } from '../../search-index/index-settings.ts'

/** Wanted values of parts: in each group one of them has to be there, in every group or in one. */
export type Narrowing = {
  readonly groups: readonly Group[]
  readonly operator: 'AND' | 'OR'
  /** What is left of a record in the end; absent = all of it. */
  readonly include?: readonly string[]
}

type Group = {
  /** Member that lists the parts, and the path of the value inside of each. */
  readonly array: string
  readonly value: string
  readonly values: readonly string[]
}

/** `undefined` when no facet of parts is asked for, or the parts are not shown. */
export function narrowingOf(
  filter: FacetFilter | undefined,
  settings: readonly IndexSettings[],
  include?: readonly string[],
): Narrowing | undefined {
  const places = new Map(
    settings.flatMap(({ facets }) => facets.map(({ id, within }) => [id, within] as const)),
  )
  const groups = (filter?.groups ?? []).flatMap(({ facet, values }): readonly Group[] => {
    const within = places.get(facet)
    return within && shows(within.array, include) ? [{ ...within, values }] : []
  })
  if (groups.length === 0 || !filter) return undefined
  return { groups, operator: filter.groupOperator, ...(include && { include }) }
}

const shows = (array: string, include?: readonly string[]): boolean =>
  include?.some((path) => path === array || path.startsWith(`${array}.`)) ?? true

/** The paths to read so that the parts can be told apart. */
export const narrowedInclude = ({ include, groups }: Narrowing): readonly string[] | undefined =>
  include && [...include, ...groups.map(({ array, value }) => `${array}.${value}`)]

type Fields = Readonly<Record<string, unknown>>

/** JSON text of a record with the parts that are wanted. */
export function narrowed(text: string, { groups, operator, include }: Narrowing): string {
  const record: unknown = JSON.parse(text)
  if (!isFields(record)) return text
  const kept = Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      const own = groups.filter(({ array }) => array === name)
      if (own.length === 0 || !Array.isArray(value)) return [name, value]
      const holds = (part: unknown) => (group: Group) =>
        group.values.some((wanted) => valuesAt(part, group.value.split('.')).includes(wanted))
      const fits = (part: unknown) =>
        operator === 'AND' ? own.every(holds(part)) : own.some(holds(part))
      return [name, value.filter(fits)]
    }),
  )
  return JSON.stringify(include ? includeFields(kept, include) : kept)
}

function valuesAt(value: unknown, path: readonly string[]): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one: unknown) => valuesAt(one, path))
  const [step, ...rest] = path
  if (step === undefined) return isScalar(value) ? [String(value)] : []
  return isFields(value) && Object.hasOwn(value, step) ? valuesAt(value[step], rest) : []
}

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
