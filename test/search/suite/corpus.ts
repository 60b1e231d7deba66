/** The corpus of the suite as documents: 14 datasets in two catalogues, three concepts in two vocabularies. */

import { readFileSync } from 'node:fs'
import type { Document, FacetValue } from '../../../src/search-index/search-index.ts'
import type { IndexName } from '../../../src/search-index/index-settings.ts'
import { fingerprint } from '../../../src/text/fingerprint.ts'
import { fold } from '../../../src/text/fold.ts'
import { scoreBands } from './settings.ts'

type Texts = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

type Entry = {
  readonly index: IndexName
  readonly id: string
  readonly text: Texts
  readonly facets: Readonly<Record<string, readonly string[]>>
  readonly issued?: string
  readonly modified?: string
  readonly scoring?: number
  readonly boxes?: Document['boxes']
  readonly dataServices?: boolean
}

/** Of the first distribution of a dataset, and of its second one. */
const licenses: readonly FacetValue[] = ['CC0', 'CC_BY'].map((id) => ({ id, title: id }))

/** Every third dataset is in the second catalogue. */
const catalogueOf = (id: string) => (Number(id.slice(1)) % 3 === 0 ? 'c02' : 'c01')

const file = new URL('../../contracts/search-index-corpus.json', import.meta.url)
const entries: readonly Entry[] = JSON.parse(readFileSync(file, 'utf8'))

export const documents: readonly Document[] = entries.map(documentOf)

export function documentOf(entry: Entry): Document {
  const { index, issued, modified, scoring } = entry
  const id = index === 'vocabulary' ? `${entry.facets['vocabulary']?.[0]}/${entry.id}` : entry.id
  return {
    index,
    id,
    version: 1,
    hash: id,
    text: entry.text,
    facets: facetsOf(entry),
    dates: {
      ...(issued && { issued: [[Date.parse(issued), Date.parse(issued)]] }),
      ...(modified && { modified: [[Date.parse(modified), Date.parse(modified)]] }),
    },
    numbers: {
      ...(scoring !== undefined && { scoring }),
      ...(index === 'vocabulary' && { resource: fingerprint(iriOf(entry)) }),
    },
    flags: {
      countryData: (entry.facets['country'] ?? []).some((id) => id !== 'eu' && id !== 'io'),
      dataServices: entry.dataServices ?? false,
    },
    boxes: entry.boxes ?? [],
    order: orderOf(entry.text['title'] ?? {}),
    record: recordOf(entry),
  }
}

function facetsOf({ index, id, facets, scoring }: Entry): Document['facets'] {
  const named = Object.entries(facets).map(([name, ids]): [string, FacetValue[]] => [
    name,
    ids.map((id) => ({ id, title: id })),
  ])
  if (index !== 'dataset') return Object.fromEntries(named)
  const catalog = { id: catalogueOf(id), title: catalogueOf(id) }
  const band = scoreBands.find(({ from, to }) => from <= (scoring ?? -1) && (scoring ?? -1) <= to)
  return Object.fromEntries([
    ...named,
    ['catalog', [catalog]],
    ['license', licenses.slice(0, facets['format']?.length ?? 0)],
    ['quality', band ? [{ id: band.id, title: band.title }] : []],
  ])
}

function orderOf(title: Texts[string]): Document['order'] {
  const keyed = Object.entries(title).map(([language, [text = '']]) => [language, fold(text)])
  const [main] = keyed
  if (!main) return {}
  const texts: Readonly<Record<string, string>> = Object.fromEntries(keyed)
  const all = ['en', 'de', 'fr', 'el', 'ja'].map((language) => [
    `title.${language}`,
    texts[language] ?? main[1] ?? '',
  ])
  return Object.fromEntries([['title', main[1] ?? ''], ...all])
}

function iriOf({ index, id }: Pick<Entry, 'index' | 'id'>): string {
  return `http://example.org/${index}/${id}`
}

function recordOf(entry: Entry): Document['record'] {
  const { index, id, text, issued, modified } = entry
  const labels = Object.entries(text).map(([name, texts]) => [
    name,
    Object.fromEntries(Object.entries(texts).map(([language, [first]]) => [language, first])),
  ])
  return {
    id,
    resource: iriOf(entry),
    ...Object.fromEntries(labels),
    ...(issued && { issued }),
    ...(modified && { modified }),
    ...(index === 'dataset' && {
      catalog: { id: catalogueOf(id), stale: true },
      distributions: (entry.facets['format'] ?? []).map((format, n) => ({
        id: `${id}-${n}`,
        title: { en: `${format} of ${id}` },
        format: { id: format, label: format },
        license: { id: licenses[n]?.id },
      })),
      catalog_record: { issued, modified },
    }),
  }
}
