/** Datasets as entries of a feed, the same for Atom and RSS. */

import { type Fields, textAt, valueAt } from '../../text/json.ts'
import type { FeedEntry, FeedFile } from '../../http/feed-formats.ts'
import type { Hit } from '../../search-index/search-index.ts'
import type { RecordPages } from '../search-service-context.ts'
import {
  textInLanguage,
  httpAddress,
  instantAt,
  valuesAtPath,
  recordFields,
} from '../record-values.ts'

/** Fields that entries are made from. */
export const entryFields: readonly string[] = (
  'resource title description issued modified catalog_record publisher categories distributions.title ' +
  'distributions.download_url distributions.access_url distributions.media_type distributions.byte_size ' +
  'catalog.language catalog.title'
).split(' ')

type Audience = {
  readonly language: string
  readonly root: string
  readonly recordPages: RecordPages
}

/**
 * Makes an entry. A dataset without any date gets the epoch, because feeds require a date and the current one would change every
 * day.
 */
export function entryOf({ id, record }: Hit, { language, root, recordPages }: Audience): FeedEntry {
  const fields = recordFields(record)
  const page = recordPages.address(root, { kind: 'dataset', id }, language)
  const published = instantAt(fields, 'issued', 'catalog_record.issued')
  const updated = instantAt(fields, 'modified', 'catalog_record.modified') ?? published
  return {
    iri: textAt(fields, 'resource') ?? page,
    page,
    isHtml: recordPages.isPortal,
    title: textInLanguage(fields, 'title', language) ?? { text: id },
    summary: textInLanguage(fields, 'description', language),
    published,
    updated: updated ?? new Date(0),
    author: authorOf(fields, language),
    categories: valuesAtPath(fields, 'categories').flatMap((theme) => {
      const term = textAt(theme, 'id')
      const label = textInLanguage(theme, 'label', language)?.text
      return term === undefined ? [] : [{ term, label }]
    }),
    files: valuesAtPath(fields, 'distributions').flatMap((distribution) =>
      fileOf(distribution, fields, language),
    ),
  }
}

/** Maximum length of a mail address (RFC 5321, 4.5.3.1.3). */
const longestAddress = 254
const address = /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/

/** Returns the publisher, else the catalogue. */
function authorOf(fields: Fields, language: string): FeedEntry['author'] {
  const name = textAt(fields, 'publisher.name')
  if (name === undefined) {
    const catalogue = textInLanguage(fields, 'catalog.title', language)
    return catalogue && { name: catalogue.text, uri: undefined, email: undefined }
  }
  const email = textAt(fields, 'publisher.email')?.replace(/^mailto:/i, '')
  const isAddress = email !== undefined && email.length <= longestAddress && address.test(email)
  const uri = httpAddress(
    valueAt(fields, 'publisher.homepage') ?? valueAt(fields, 'publisher.resource'),
  )
  return { name, uri, email: isAddress ? email : undefined }
}

const mediaType = /^[\w.+-]{1,127}\/[\w.+-]{1,127}$/

/** Makes the enclosure of a distribution; none without a web address. The main language is that of the catalogue. */
function fileOf(distribution: unknown, fields: Fields, language: string): readonly FeedFile[] {
  const addresses = ['download_url', 'access_url'].flatMap((name) =>
    valuesAtPath(distribution, name),
  )
  const href = addresses.map(httpAddress).find((href) => href !== undefined)
  if (href === undefined) return []
  const textMatching = (path: string, pattern: RegExp) => {
    const text = textAt(distribution, path)
    return text !== undefined && pattern.test(text) ? text : undefined
  }
  return [
    {
      href,
      title: textInLanguage(distribution, 'title', language, fields)?.text,
      type: textMatching('media_type', mediaType),
      length: textMatching('byte_size', /^\d{1,16}$/),
    },
  ]
}
