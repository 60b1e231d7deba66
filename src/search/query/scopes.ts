/** Which names in front of a colon limit a term to a field, and what kind of field each is. */

import { reachOf } from '../../search-index/field-reach.ts'
import type { IndexSettings } from '../../search-index/index-settings.ts'

export type QueryScope =
  | { readonly kind: 'text'; readonly field: string }
  | { readonly kind: 'date' | 'number'; readonly name: string }
  /** `field`: the facet's values have labels that can be searched, too. */
  | { readonly kind: 'facet'; readonly facet: string; readonly field?: string }

/** The scope that a name stands for; `undefined` leaves the colon literal. */
export type Scopes = (name: string) => QueryScope | undefined

/** Language keys of documents: `de`, `sr-Latn`. */
const language = /^[a-z]{2,3}(-[A-Za-z0-9-]{1,40})?$/

/**
 * The scopes of all searched indices together: `title`, `title.en`, `issued`; `country` is the facet's value or words of its
 * label, `country.id` the value alone.
 */
export function scopesOf(settings: readonly IndexSettings[]): Scopes {
  const texts = [...new Set(settings.flatMap(({ texts }) => texts.map(({ name }) => name)))]
  const dates = new Set(settings.flatMap(({ dates }) => dates))
  const numbers = new Set(settings.flatMap(({ numbers }) => numbers))
  const ids = settings.flatMap(({ facets }) => facets.map(({ id }) => id))
  const facets = new Map(ids.map((id) => [plain(id), id]))
  const fieldOf = (name: string) => {
    const suffix = name.slice(withoutLanguage(name).length + 1).toLowerCase()
    return reachOf(name, texts, suffix === '' ? [] : [suffix]).length > 0 ? name : undefined
  }
  return (name) => {
    if (dates.has(name)) return { kind: 'date', name }
    if (numbers.has(name)) return { kind: 'number', name }
    const owner = idOwner(name)
    const facet = owner === undefined ? ids.find((id) => id === name) : facets.get(plain(owner))
    const field = owner !== undefined && facet !== undefined ? undefined : fieldOf(name)
    if (facet === undefined) return field === undefined ? undefined : { kind: 'text', field }
    return { kind: 'facet', facet, ...(field !== undefined && { field }) }
  }
}

/** `title` of `title.en`; the name itself when its last step is no language. */
export function withoutLanguage(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 && language.test(name.slice(dot + 1)) ? name.slice(0, dot) : name
}

/** `format` of `distributions.format.id`: the values of facets are the ids inside the records. */
const idOwner = (name: string): string | undefined =>
  name.endsWith('.id') ? name.slice(0, -'.id'.length).split('.').at(-1) : undefined

/** Records say `hvd_category` where the facet is called `hvdCategory`. */
const plain = (name: string): string => name.replaceAll('_', '').toLowerCase()
