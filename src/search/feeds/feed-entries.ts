/** Datasets as entries of a feed. */

import type { Fields } from '../../text/json.ts'
import type { Hit } from '../../search-index/search-index.ts'
import type { RecordPages } from '../search-deps.ts'
import {
  at,
  chosenAt,
  recordFields,
  instantAt,
  listAt,
  textAt,
  webAddress,
  type Chosen,
} from '../record-values.ts'

export type FeedEntry = {
  /** IRI of the dataset. */
  readonly iri: string
  /** Its page; `isHtml` where a portal has it. */
  readonly page: string
  readonly isHtml: boolean
  readonly title: Chosen
  readonly summary: Chosen | undefined
  readonly published: Date | undefined
  readonly updated: Date
  readonly author: Author | undefined
  readonly categories: readonly Category[]
  readonly files: readonly File[]
}

type Author = {
  readonly name: string
  readonly uri: string | undefined
  readonly email: string | undefined
}

type Category = { readonly term: string; readonly label: string | undefined }

/** A distribution. */
type File = {
  readonly href: string
  readonly title: string | undefined
  readonly type: string | undefined
  /** Bytes. */
  readonly length: string | undefined
}

/** The fields that entries are made of. */
export const entryFields: readonly string[] = [
  'resource',
  'title',
  'description',
  'issued',
  'modified',
  'catalog_record',
  'publisher',
  'categories',
  'distributions.title',
  'distributions.download_url',
  'distributions.access_url',
  'distributions.media_type',
  'distributions.byte_size',
  'catalog.language',
  'catalog.title',
]

type Reader = {
  readonly language: string
  readonly root: string
  readonly recordPages: RecordPages
}

/** A dataset without any date was updated at the epoch: readers need a date, and one of today would change every day. */
export function entryOf({ id, record }: Hit, { language, root, recordPages }: Reader): FeedEntry {
  const fields = recordFields(record)
  const page = recordPages.address(root, { kind: 'dataset', id }, language)
  const published = instantAt(fields, 'issued', 'catalog_record.issued')
  const updated = instantAt(fields, 'modified', 'catalog_record.modified') ?? published
  return {
    iri: textAt(fields, 'resource') ?? page,
    page,
    isHtml: recordPages.isPortal,
    title: chosenAt(fields, 'title', language) ?? { text: id },
    summary: chosenAt(fields, 'description', language),
    published,
    updated: updated ?? new Date(0),
    author: authorOf(fields, language),
    categories: listAt(fields, 'categories').flatMap((one) => categoryOf(one, language)),
    files: listAt(fields, 'distributions').flatMap((one) => fileOf(one, fields, language)),
  }
}

/** RFC 5321 4.5.3.1.3 allows no longer ones. */
const longestAddress = 254
const address = /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/

/** The publisher, else the catalogue. */
function authorOf(fields: Fields, language: string): Author | undefined {
  const name = textAt(fields, 'publisher.name')
  if (name === undefined) {
    const catalogue = chosenAt(fields, 'catalog.title', language)
    return catalogue && { name: catalogue.text, uri: undefined, email: undefined }
  }
  const email = textAt(fields, 'publisher.email')?.replace(/^mailto:/i, '')
  const isAddress = email !== undefined && email.length <= longestAddress && address.test(email)
  return {
    name,
    uri: webAddress(at(fields, 'publisher.homepage') ?? at(fields, 'publisher.resource')),
    email: isAddress ? email : undefined,
  }
}

function categoryOf(theme: unknown, language: string): readonly Category[] {
  const term = textAt(theme, 'id')
  if (term === undefined) return []
  return [{ term, label: labelOf(theme, 'label', language) }]
}

/** Parts of a record have no catalogue of their own to tell their main language. */
const labelOf = (part: unknown, path: string, language: string, catalog?: unknown) =>
  chosenAt({ [path]: at(part, path), catalog }, path, language)?.text

const mediaType = /^[\w.+-]{1,127}\/[\w.+-]{1,127}$/

/** A distribution without an address of the web cannot be enclosed. */
function fileOf(distribution: unknown, fields: Fields, language: string): readonly File[] {
  const addresses = ['download_url', 'access_url'].flatMap((name) => listAt(distribution, name))
  const href = addresses.map(webAddress).find((one) => one !== undefined)
  if (href === undefined) return []
  const type = textAt(distribution, 'media_type')
  const length = textAt(distribution, 'byte_size')
  return [
    {
      href,
      title: labelOf(distribution, 'title', language, fields['catalog']),
      type: type !== undefined && mediaType.test(type) ? type : undefined,
      length: length !== undefined && /^\d{1,16}$/.test(length) ? length : undefined,
    },
  ]
}
